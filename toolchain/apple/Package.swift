// swift-tools-version:5.6
// libtsmobile for Swift's package manager: `import TSMobile`, or `import tsmobile` for the C interface. That is the compiled
// tsmobile.xcframework; on Linux the installed library, which pkg-config finds; and where TSM_FROM_SOURCE stands in the
// environment tsmobile.c, compiled by the package.
import PackageDescription

#if os(Linux)
let compiled = Target.systemLibrary(name: "tsmobile", path: "Sources/tsmobile/include", pkgConfig: "tsmobile")
#else
let compiled = Target.binaryTarget(name: "tsmobile", path: "tsmobile.xcframework")
#endif
let source = Target.target(name: "tsmobile", path: "Sources/tsmobile", sources: ["tsmobile.c"], publicHeadersPath: "include",
                           linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))])

let package = Package(
    name: "tsmobile",
    platforms: [.iOS(.v15), .macOS(.v11)],
    products: [.library(name: "TSMobile", targets: ["TSMobile"]), .library(name: "tsmobile", targets: ["tsmobile"])],
    targets: [Context.environment["TSM_FROM_SOURCE"] == nil ? compiled : source,
              .target(name: "TSMobile", dependencies: ["tsmobile"], path: "Sources/Swift")],
    cLanguageStandard: .gnu11
)
