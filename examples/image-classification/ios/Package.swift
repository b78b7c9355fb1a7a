// swift-tools-version:5.6
// The same sources for Swift's package manager: where there is no iOS, a program for the command line (ClassifyCommand.swift).
// The app itself is Classify.xcodeproj.
import PackageDescription

let package = Package(
    name: "Classify",
    platforms: [.iOS(.v15), .macOS(.v11)],
    // cmake --build build --target xcframework
    dependencies: [.package(name: "tsmobile", path: "../../../build/apple")],
    targets: [.executableTarget(name: "Classify", dependencies: [.product(name: "TSMobile", package: "tsmobile")], path: "Classify",
                                exclude: ["Info.plist"])]
)
