// swift-tools-version: 6.3
import PackageDescription

/// `tools/fuzz` sets FUZZ: then, and only then, our own sources count the edges they go over, and there is a `fuzzer` where tests of the
/// same functions are otherwise.
let isFuzzing = Context.environment["FUZZ"] != nil
let counted = ["-enable-testing", "-sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table"]

/// Our own sources build without warnings; dependencies are left to their authors.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)] + (isFuzzing ? [.unsafeFlags(counted)] : [])
/// `tools/test` sets OPTIMISE_C, so that a debug build tests the C that a release build runs. Plain builds leave it alone: a package with
/// unsafe flags cannot be depended on.
let optimised: [CSetting] =
  [.define("NDEBUG", .when(configuration: .release))]
  + (isFuzzing ? [.unsafeFlags(["-fsanitize=fuzzer-no-link"])] : [])
  + (Context.environment["OPTIMISE_C"] == nil ? [] : [.unsafeFlags(["-O2"], .when(configuration: .debug))])

let fuzzed: [Target.Dependency] = [
  "CoreMLSpec", "MIL", "CoreMLImport", "CoreMLKernels", "CoreMLExecution", "CoreMLRuntime", "CoreMLImages",
  "FeatureFiles", "SpecDump",
]
let fuzzing: Target =
  isFuzzing
  ? .executableTarget(
    name: "fuzzer", dependencies: fuzzed, path: "Tests/FuzzTests", exclude: ["CorpusTests.swift"],
    swiftSettings: strict)
  : .testTarget(
    name: "FuzzTests", dependencies: fuzzed, exclude: ["Fuzzer.swift", "MessageTree.swift", "Mutation.swift"],
    swiftSettings: strict)

let package = Package(
  name: "coreml",
  products: [
    .library(name: "CoreML", targets: ["CoreML"]),
    .library(name: "Runtime", targets: ["CoreMLRuntime"]),
    .library(name: "Kernels", targets: ["CoreMLKernels"]),
    .library(name: "Delivery", targets: ["CoreMLDelivery"]),
    .library(name: "DeliveryHTTP", targets: ["CoreMLDeliveryHTTP"]),
    .executable(name: "runtime", targets: ["RuntimeCommand"]),
    .executable(name: "conformance", targets: ["Conformance"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
  ],
  targets: [
    // System libraries, found through their module maps; `tools/setup` installs the Debian packages.
    .systemLibrary(
      name: "COpenBLAS", path: "Sources/COpenBLAS", pkgConfig: "openblas", providers: [.apt(["libopenblas-dev"])]),
    .systemLibrary(name: "CBZip2", path: "Sources/CBZip2", providers: [.apt(["libbz2-dev"])]),
    .systemLibrary(
      name: "CArchive", path: "Sources/CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(name: "CPNG", path: "Sources/CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    .target(name: "CJPEG", path: "Sources/CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),

    // C: kernels for the CPU, the OpenCL loader, the embedded OpenCL sources.
    .target(name: "CKernels", path: "Sources/CKernels", cSettings: optimised, linkerSettings: [.linkedLibrary("m")]),
    .target(name: "COpenCL", path: "Sources/COpenCL", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CKernelSources", path: "kernels"),
    // C that serves every module: SHA-256, what Linux offers for files beyond POSIX.
    .target(name: "CPlatform", path: "Sources/CPlatform", cSettings: optimised),

    // What do the bytes say?
    .target(name: "CoreMLSpec", path: "Sources/Spec", swiftSettings: strict),
    // What is to be computed?
    .target(name: "MIL", dependencies: ["CoreMLSpec"], path: "Sources/MIL", swiftSettings: strict),
    // How can it be computed, and at what cost?
    .target(
      name: "CoreMLKernels",
      dependencies: ["MIL", "CKernels", "COpenCL", "COpenBLAS", "CKernelSources", "CPlatform"],
      path: "Sources/Kernels", swiftSettings: strict),
    // What went wrong on the way: one error for import, execution and the API.
    .target(name: "CoreMLErrors", path: "Sources/Errors", swiftSettings: strict),
    // Which program is the model, and how do features meet it? Kernels compute what is constant in it.
    .target(
      name: "CoreMLImport", dependencies: ["CoreMLErrors", "CoreMLSpec", "MIL", "CoreMLKernels", "CPlatform"],
      path: "Sources/Import", swiftSettings: strict),
    .target(name: "CoreMLImages", dependencies: ["CPNG", "CJPEG"], path: "Sources/Images", swiftSettings: strict),
    // When, where and in what order?
    .target(
      name: "CoreMLExecution", dependencies: ["CoreMLErrors", "MIL", "CoreMLKernels"], path: "Sources/Execution",
      swiftSettings: strict),
    // How does an application use it? The public Core ML API lives here.
    .target(
      name: "CoreMLRuntime",
      dependencies: [
        "CoreMLErrors", "CoreMLSpec", "MIL", "CoreMLImport", "CoreMLKernels", "CoreMLExecution", "CKernels",
        "CoreMLImages", "CPlatform", .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Runtime", swiftSettings: strict),
    // From where, and kept where?
    .target(
      name: "CoreMLDelivery",
      dependencies: [
        "CoreMLSpec", "CoreMLImport", "CoreMLRuntime", "FeatureFiles", "CPlatform", "CBZip2", "CArchive",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Metrics", package: "swift-metrics"),
      ],
      path: "Sources/Delivery", swiftSettings: strict),
    // The one module that speaks to a network; nothing but the command depends on it.
    .target(
      name: "CoreMLDeliveryHTTP",
      dependencies: [
        "CoreMLDelivery", .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      path: "Sources/DeliveryHTTP", swiftSettings: strict),
    .target(
      name: "CoreML", dependencies: ["CoreMLImages", "CoreMLRuntime"], path: "Sources/CoreML", swiftSettings: strict),
    // Features in files (npz, npy, JSON), shared by the two commands.
    .target(
      name: "FeatureFiles", dependencies: ["CoreMLRuntime", "CoreMLImages", "CoreMLSpec", "CArchive"],
      path: "Sources/FeatureFiles",
      swiftSettings: strict),
    .executableTarget(
      name: "RuntimeCommand",
      dependencies: [
        "CoreML", "CoreMLDelivery", "CoreMLDeliveryHTTP", "CoreMLImages", "CoreMLKernels", "FeatureFiles", "CoreMLSpec",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Command", swiftSettings: strict),
    // An example that is built with everything else, so that it stays true.
    .executableTarget(
      name: "DrawingClassifier", dependencies: ["CoreML"], path: "examples/DrawingClassifier",
      exclude: ["README.md", "DrawingClassifier.mlmodel", "drawings"], swiftSettings: strict),
    // `tools/bench-training` times it against torch.
    .executableTarget(
      name: "training-bench", dependencies: ["CoreML", "FeatureFiles"], path: "tools/training-bench",
      swiftSettings: strict),
    .executableTarget(
      name: "Conformance",
      dependencies: [
        "CoreML", "FeatureFiles", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Conformance", swiftSettings: strict),

    // Examples, each run with one command: `swift run FourWays`, `examples/OverTheAir/play`.
    .executableTarget(
      name: "FourWays", dependencies: ["CoreML", "CoreMLDelivery"], path: "examples/FourWays", exclude: ["README.md"],
      swiftSettings: strict),
    .executableTarget(
      name: "OverTheAir", dependencies: ["CoreML", "CoreMLDelivery", "CoreMLDeliveryHTTP"], path: "examples/OverTheAir",
      exclude: ["README.md", "play"], swiftSettings: strict),

    // What the views say of a message, as text: for tests and fuzzers.
    .target(name: "SpecDump", dependencies: ["CoreMLSpec"], path: "Tests/SpecDump", swiftSettings: strict),
    .testTarget(name: "SpecTests", dependencies: ["CoreMLSpec", "SpecDump"], swiftSettings: strict),
    .testTarget(name: "MILTests", dependencies: ["MIL"], swiftSettings: strict),
    .testTarget(name: "KernelsTests", dependencies: ["CoreMLKernels", "CKernels"], swiftSettings: strict),
    .testTarget(name: "ImagesTests", dependencies: ["CoreMLImages"], swiftSettings: strict),
    .testTarget(
      name: "RuntimeTests",
      dependencies: [
        "CoreMLRuntime", "CoreMLImport", "CoreMLExecution", "CoreMLImages", "FeatureFiles", "MIL", "CoreMLKernels",
        "CoreMLSpec",
      ],
      swiftSettings: strict),
    // Sources as they are written for Apple's framework: `import CoreML` and nothing else of ours.
    .testTarget(name: "CoreMLTests", dependencies: ["CoreML"], swiftSettings: strict),
    .testTarget(
      name: "DeliveryTests",
      dependencies: [
        "CoreMLDelivery", "CoreMLDeliveryHTTP", "CoreML", "CoreMLSpec", "CArchive", "CBZip2", "RuntimeCommand",
        "FourWays", "OverTheAir", .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CommandTests", dependencies: ["CoreML", "FeatureFiles", "RuntimeCommand", "CArchive"],
      swiftSettings: strict),
    fuzzing,
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu17
)
