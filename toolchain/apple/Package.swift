// swift-tools-version:5.6
// libtsmobile for Swift's package manager: the compiled tsmobile.xcframework, or, where TSM_FROM_SOURCE stands in the
// environment, tsmobile.c compiled by the package. Programs write `import tsmobile` either way.
import PackageDescription

let compiled = Target.binaryTarget(name: "tsmobile", path: "tsmobile.xcframework")
let source = Target.target(name: "tsmobile", path: "Sources/tsmobile", sources: ["tsmobile.c"], publicHeadersPath: "include")

let package = Package(
    name: "tsmobile",
    platforms: [.iOS(.v15), .macOS(.v11)],
    products: [.library(name: "tsmobile", targets: ["tsmobile"])],
    targets: [Context.environment["TSM_FROM_SOURCE"] == nil ? compiled : source],
    cLanguageStandard: .gnu11
)
