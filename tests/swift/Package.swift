// swift-tools-version:5.6
// A user's program, as test_swift.py runs it beside the package: what TSMobile does and refuses.
import PackageDescription

let package = Package(
    name: "TestTSMobile",
    platforms: [.macOS(.v11)],
    dependencies: [.package(name: "tsmobile", path: "../tsmobile")],
    targets: [.executableTarget(name: "TestTSMobile", dependencies: [.product(name: "TSMobile", package: "tsmobile")])]
)
