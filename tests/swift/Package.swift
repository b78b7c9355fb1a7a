// swift-tools-version:5.6
// Users' programs, as test_swift.py runs them beside the package: what TSMobile does and refuses, and the class that the
// example for iOS is built around.
import PackageDescription

let package = Package(
    name: "TestTSMobile",
    platforms: [.macOS(.v11)],
    dependencies: [.package(name: "tsmobile", path: "../tsmobile")],
    targets: ["TestTSMobile", "Classify"].map { .executableTarget(name: $0, dependencies: [.product(name: "TSMobile", package: "tsmobile")]) }
)
