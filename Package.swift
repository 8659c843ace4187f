// swift-tools-version: 6.3
import PackageDescription

/// `tools/fuzz` sets FUZZ: then, and only then, our own sources count the edges they go over, and there is a `fuzzer` where tests of the
/// same functions are otherwise.
let isFuzzing = Context.environment["FUZZ"] != nil
/// Counting wants a sanitizer of Swift's compiler: AddressSanitizer, which the script asks for, or with FUZZ=plain that of the fuzzers alone.
let counted =
  ["-enable-testing", "-sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table"]
  + (Context.environment["FUZZ"] == "plain" ? ["-sanitize=fuzzer"] : [])

/// Our own sources build without warnings; dependencies are left to their authors.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)] + (isFuzzing ? [.unsafeFlags(counted)] : [])
/// `tools/test` sets OPTIMISE_C, so that a debug build tests the C that a release build runs. Plain builds leave it alone: a package with
/// unsafe flags cannot be depended on.
let optimised: [CSetting] =
  [.define("NDEBUG", .when(configuration: .release))]
  + (isFuzzing ? [.unsafeFlags(["-fsanitize=fuzzer-no-link"])] : [])
  + (Context.environment["OPTIMISE_C"] == nil ? [] : [.unsafeFlags(["-O2"], .when(configuration: .debug))])
let optimisedCXX: [CXXSetting] =
  (isFuzzing ? [.unsafeFlags(["-fsanitize=fuzzer-no-link"])] : [])
  + (Context.environment["OPTIMISE_C"] == nil ? [] : [.unsafeFlags(["-O2"], .when(configuration: .debug))])

let fuzzed: [Target.Dependency] = [
  "CoreMLBase", "CoreMLSpec", "MIL", "CoreMLImport", "CoreMLKernels", "CoreMLExecution", "CoreMLRuntime",
  "CoreMLImages", "BatchFiles", "FeatureFiles", "SpecDump",
]
let fuzzing: Target =
  isFuzzing
  ? .executableTarget(
    name: "fuzzer", dependencies: fuzzed, path: "Tests/FuzzTests", exclude: ["CorpusTests.swift"],
    swiftSettings: strict)
  : .testTarget(
    name: "FuzzTests", dependencies: fuzzed, exclude: ["Fuzzer.swift", "MessageTree.swift", "Mutation.swift"],
    swiftSettings: strict)

/// How `libcoreml_runtime.so` is linked. It shows the interface's functions alone, stays loaded (Swift's runtime cannot be unloaded), and has
/// Swift's runtime inside: SwiftPM links dynamic libraries to the shared one whatever `--static-swift-stdlib` says, and objects that were
/// compiled without that name fewer of Foundation's parts. `-L` is where OpenBLAS is looked for first. These flags are unsafe to SwiftPM, so no
/// other package can depend on this product; the others do not contain the target.
let dynamicLibrary =
  ["-static-stdlib", "-L\(Context.packageDirectory)/Sources/CInterfaceLibrary/link"]
  // Handed on to the linker as they stand: the driver would put libraries before the beginning of their group.
  + [
    "--start-group", "-lFoundation", "-lFoundationEssentials", "-lFoundationInternationalization", "-l_FoundationICU",
    "-l_FoundationCShims", "-l_FoundationCollections", "-lCoreFoundation", "-lswiftSynchronization", "--end-group",
    "--version-script=\(Context.packageDirectory)/Sources/CInterfaceLibrary/exports.map",
    "-soname", "libcoreml_runtime.so", "-z", "nodelete",
  ].flatMap { ["-Xlinker", $0] }

/// How `runtime` is linked: without the names of all that is public in it, 4 MB that every start looks through. No other package can depend on
/// a command.
let small = ["-use-ld=lld", "-Xlinker", "--no-export-dynamic"]

let package = Package(
  name: "coreml",
  products: [
    .library(name: "CoreML", targets: ["CoreML"]),
    // Modules that programs import beside Core ML, each by itself: `CoreML` brings none of them.
    .library(name: "CoreGraphics", targets: ["CoreGraphics"]),
    .library(name: "CoreVideo", targets: ["CoreVideo"]),
    .library(name: "ImageIO", targets: ["ImageIO"]),
    .library(name: "VideoToolbox", targets: ["VideoToolbox"]),
    .library(name: "Vision", targets: ["Vision"]),
    .library(name: "Delivery", targets: ["CoreMLDelivery"]),
    .library(name: "DeliveryHTTP", targets: ["CoreMLDeliveryHTTP"]),
    // libcoreml_runtime.so: the C interface with everything that it needs inside.
    .library(name: "coreml_runtime", type: .dynamic, targets: ["CInterface", "CInterfaceLibrary"]),
    .executable(name: "runtime", targets: ["RuntimeCommand"]),
    .executable(name: "conformance", targets: ["Conformance"]),
    .plugin(name: "CoreMLPlugin", targets: ["CoreMLPlugin"]),
    .plugin(name: "GenerateModelCode", targets: ["GenerateModelCode"]),
  ],
  // What a program does not use it need not fetch: `.package(url: ..., traits: [])` leaves `CoreML` with swift-log alone.
  traits: [
    .trait(name: "Delivery", description: "Models over the air: the product Delivery."),
    .trait(
      name: "DeliveryHTTP", description: "Models over the air by HTTP: the product DeliveryHTTP.",
      enabledTraits: ["Delivery"]),
    .trait(name: "Command", description: "The command `runtime`.", enabledTraits: ["DeliveryHTTP"]),
    .default(enabledTraits: ["Command"]),
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
    // OpenBLAS and libpng without pkg-config, whose folders would stand before the one where the dynamic library finds a static OpenBLAS.
    .systemLibrary(name: "COpenBLAS", path: "Sources/System/COpenBLAS", providers: [.apt(["libopenblas-dev"])]),
    .systemLibrary(name: "CBZip2", path: "Sources/System/CBZip2", providers: [.apt(["libbz2-dev"])]),
    .systemLibrary(name: "CZLib", path: "Sources/System/CZLib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CArchive", path: "Sources/System/CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(name: "CPNG", path: "Sources/System/CPNG", providers: [.apt(["libpng-dev"])]),
    .target(name: "CJPEG", path: "Sources/System/CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
    .systemLibrary(name: "CWebP", path: "Sources/System/CWebP", providers: [.apt(["libwebp-dev"])]),
    .systemLibrary(name: "CGIF", path: "Sources/System/CGIF", providers: [.apt(["libgif-dev"])]),
    // Its header says what there is; libtiff is opened at run time.
    .target(name: "CTIFF", path: "Sources/System/CTIFF", linkerSettings: [.linkedLibrary("dl")]),

    // C: kernels for the CPU, the OpenCL loader, the embedded OpenCL sources.
    .target(name: "CKernels", path: "Sources/CKernels", cSettings: optimised, linkerSettings: [.linkedLibrary("m")]),
    .target(
      name: "COpenCL", path: "Sources/COpenCL", cSettings: [.define("_GNU_SOURCE")],
      linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CKernelSources", path: "kernels"),
    // C that serves every module: SHA-256, XXH3 (a header of Debian's libxxhash-dev), what Linux offers for files beyond POSIX.
    .target(name: "CPlatform", path: "Sources/CPlatform", cSettings: optimised),
    // Numbers of text, by fast_float: headers of C++ alone (Debian's libfast-float-dev).
    .target(name: "CNumbers", path: "Sources/CNumbers", cxxSettings: optimisedCXX),
    // C that works on pixels in bulk.
    .target(name: "CImages", path: "Sources/CImages", cSettings: optimised, linkerSettings: [.linkedLibrary("m")]),

    // What every module stands on: files, memory and time limits, cancellation, digests, errors, the version.
    .target(name: "CoreMLBase", dependencies: ["CPlatform"], path: "Sources/Base", swiftSettings: strict),
    // What do the bytes say?
    .target(
      name: "CoreMLSpec", dependencies: ["CoreMLBase", "CPlatform"], path: "Sources/Spec", swiftSettings: strict),
    // What is to be computed?
    .target(name: "MIL", dependencies: ["CoreMLBase", "CoreMLSpec"], path: "Sources/MIL", swiftSettings: strict),
    // How can it be computed, and at what cost?
    .target(
      name: "CoreMLKernels",
      dependencies: [
        "CoreMLBase", "CoreMLSpec", "MIL", "CKernels", "COpenCL", "COpenBLAS", "CKernelSources", "CPlatform",
      ],
      path: "Sources/Kernels", swiftSettings: strict),
    // Which program is the model, and how do features meet it? Kernels compute what is constant in it.
    .target(
      name: "CoreMLImport", dependencies: ["CoreMLBase", "CoreMLSpec", "MIL", "CoreMLKernels", "CPlatform"],
      path: "Sources/Import", swiftSettings: strict),
    .target(
      name: "CoreMLImages", dependencies: ["CoreMLBase", "CImages", "CPNG", "CJPEG", "CWebP", "CGIF", "CTIFF"],
      path: "Sources/Images", swiftSettings: strict),
    // When, where and in what order?
    .target(
      name: "CoreMLExecution",
      dependencies: [
        "CoreMLBase", "CoreMLSpec", "MIL", "CoreMLKernels", .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Execution", swiftSettings: strict),
    // How does an application use it? The public Core ML API lives here.
    .target(
      name: "CoreMLRuntime",
      dependencies: [
        "CoreMLBase", "CoreMLSpec", "MIL", "CoreMLImport", "CoreMLKernels", "CoreMLExecution", "CImages", "CKernels",
        "CoreMLImages", "CPlatform", .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Runtime", swiftSettings: strict),
    // From where, and kept where?
    .target(
      name: "CoreMLDelivery",
      dependencies: [
        "CoreMLBase", "CoreMLSpec", "CoreMLImport", "CoreMLRuntime", "FeatureFiles", "CPlatform", "CBZip2",
        "CArchive", "CZLib", .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Delivery"])),
        .product(name: "CryptoExtras", package: "swift-crypto", condition: .when(traits: ["Delivery"])),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Delivery"])),
      ],
      path: "Sources/Delivery", swiftSettings: strict),
    // The one module that speaks to a network; nothing but the command depends on it.
    .target(
      name: "CoreMLDeliveryHTTP",
      dependencies: [
        "CoreMLDelivery",
        .product(name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["DeliveryHTTP"])),
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["DeliveryHTTP"])),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["DeliveryHTTP"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["DeliveryHTTP"])),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["DeliveryHTTP"])),
      ],
      path: "Sources/DeliveryHTTP", swiftSettings: strict),
    // What code do programs use a model by?
    .target(
      name: "CoreMLGenerate", dependencies: ["CoreMLBase", "CoreMLSpec", "CoreMLImport", "MIL"],
      path: "Sources/Generate", swiftSettings: strict),
    .systemLibrary(name: "CoreMLHeaders", path: "Sources/CoreMLHeaders"),
    .target(
      name: "CoreML",
      dependencies: [
        "CoreMLGraphics", "CoreMLHeaders", "CoreMLImages", "CoreMLPixelBuffers", "CoreMLRuntime",
      ],
      path: "Sources/CoreML", swiftSettings: strict),
    // What Core ML's module brings of Core Graphics and Core Video, under names that nobody else has.
    .target(
      name: "CoreMLFoundationNames", dependencies: ["CoreMLImages"], path: "Sources/FoundationNames",
      swiftSettings: strict),
    .target(
      name: "CoreMLGraphics", dependencies: ["CoreMLFoundationNames", "CoreMLImages"],
      path: "Sources/Graphics",
      swiftSettings: strict),
    .target(
      name: "CoreMLPixelBuffers", dependencies: ["CoreMLGraphics", "CoreMLImages"],
      path: "Sources/PixelBuffers",
      swiftSettings: strict),
    // Modules beside Core ML, as far as programs for Core ML use them.
    .target(
      name: "CoreGraphics", dependencies: ["CoreMLGraphics", "_Testing_CoreGraphics"], path: "Sources/CoreGraphics",
      swiftSettings: strict),
    .target(name: "_Testing_CoreGraphics", path: "Sources/TestingCoreGraphics", swiftSettings: strict),
    .target(
      name: "CoreVideo", dependencies: ["CoreGraphics", "CoreMLPixelBuffers"], path: "Sources/CoreVideo",
      swiftSettings: strict),
    .target(
      name: "ImageIO", dependencies: ["CoreGraphics", "CoreMLImages"], path: "Sources/ImageIO",
      swiftSettings: strict),
    .target(
      name: "VideoToolbox", dependencies: ["CoreMLImages", "CoreVideo"], path: "Sources/VideoToolbox",
      swiftSettings: strict),
    .target(
      name: "Vision",
      dependencies: [
        "CoreGraphics", "CoreML", "CoreMLBase", "CoreMLImages", "CoreMLImport", "CoreMLRuntime", "CoreVideo",
        "ImageIO", "MIL",
      ],
      path: "Sources/Vision", swiftSettings: strict),
    // The C interface: the header with its module, the functions, and how the dynamic library is linked.
    .systemLibrary(name: "CCoreMLRuntime", path: "Sources/CInterface/include"),
    .target(
      name: "CInterface",
      dependencies: ["CoreMLBase", "CCoreMLRuntime", "CImages", "CoreMLRuntime", "CoreMLImages", "CoreMLSpec", "MIL"],
      path: "Sources/CInterface", exclude: ["include"], swiftSettings: strict),
    .target(
      name: "CInterfaceLibrary", path: "Sources/CInterfaceLibrary", exclude: ["exports.map", "link"],
      linkerSettings: [.unsafeFlags(dynamicLibrary)]),
    // An OpenBLAS that is linked dynamically starts no threads of its own in an executable that has this.
    .target(name: "COneThread", path: "Sources/COneThread"),
    // Features in files (npz, npy, JSON), shared by the two commands.
    .target(
      name: "FeatureFiles",
      dependencies: [
        "CImages", "CNumbers", "CPlatform", "CoreMLBase", "CoreMLRuntime", "CoreMLImages", "CoreMLSpec", "MIL",
        "CArchive",
      ],
      path: "Sources/FeatureFiles",
      swiftSettings: strict),
    // Files of many rows: their records, and how rows become blocks in the memory of kernels.
    .target(
      name: "BatchFiles", dependencies: ["CoreMLBase", "CNumbers", "CoreMLRuntime", "FeatureFiles", "MIL"],
      path: "Sources/BatchFiles", swiftSettings: strict),
    .executableTarget(
      name: "RuntimeCommand",
      dependencies: [
        "CoreMLBase", "BatchFiles", "CoreML", "CoreMLDelivery", "CoreMLDeliveryHTTP", "CoreMLGenerate", "CoreMLImages",
        "CoreMLKernels", "FeatureFiles", "CoreMLSpec", "MIL", "COneThread", "CPlatform",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Command", swiftSettings: strict,
      linkerSettings: [.unsafeFlags(small, .when(configuration: .release))]),
    // Models of other packages, compiled and made classes of. They call the `runtime` that is installed: a tool of this package would have
    // every build compile twice what it is made of, once for the machine that builds.
    .plugin(name: "CoreMLPlugin", capability: .buildTool()),
    .plugin(
      name: "GenerateModelCode",
      capability: .command(
        intent: .custom(verb: "generate-model-code", description: "Writes the classes that a program uses a model by."),
        permissions: [.writeToPackageDirectory(reason: "The classes are written among the package's sources.")])),
    // An example that is built with everything else, so that it stays true.
    .executableTarget(
      name: "DrawingClassifier", dependencies: ["CoreML"], path: "examples/DrawingClassifier",
      exclude: ["README.md", "DrawingClassifier.mlmodel", "drawings"], swiftSettings: strict),
    // `tools/bench-training` times it against torch.
    .executableTarget(
      name: "training-bench", dependencies: ["CoreML", "FeatureFiles"], path: "tools/training-bench",
      swiftSettings: strict),
    // `tools/bench-decoding` counts what it does.
    .executableTarget(
      name: "decoding-bench", dependencies: ["CoreML", "COneThread"], path: "tools/decoding-bench",
      swiftSettings: strict),
    // `tools/bench-kernels` builds and runs it.
    .executableTarget(
      name: "bench-kernels", dependencies: ["CoreMLKernels", "MIL"], path: "tools/kernel-bench",
      exclude: ["shapes.json"], swiftSettings: strict),
    .executableTarget(
      name: "Conformance",
      dependencies: [
        "CoreML", "FeatureFiles",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
      ],
      path: "Sources/Conformance", swiftSettings: strict),

    // Examples, each run with one command: `swift run FourWays`, `examples/OverTheAir/play`.
    .executableTarget(
      name: "FourWays", dependencies: ["CoreML", "CoreMLDelivery"], path: "examples/FourWays",
      exclude: ["README.md"],
      swiftSettings: strict),
    .executableTarget(
      name: "OverTheAir", dependencies: ["CoreML", "CoreMLDelivery", "CoreMLDeliveryHTTP"],
      path: "examples/OverTheAir",
      exclude: ["README.md", "play"], swiftSettings: strict),

    // What the views say of a message, as text: for tests and fuzzers.
    .target(
      name: "SpecDump", dependencies: ["CoreMLBase", "CoreMLSpec"], path: "Tests/SpecDump", swiftSettings: strict),
    // One process of `tools/soak`, and what C's library says of its heap.
    .executableTarget(
      name: "Soak",
      dependencies: [
        "AllocationCount", "CoreML", "CoreMLDelivery", "CoreMLDeliveryHTTP",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
      ],
      path: "Tests/Soak", swiftSettings: strict),
    // How often code takes memory, counted in the tests' own executable.
    .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
    .target(
      name: "AllocationCount", dependencies: ["CAllocationCount"], path: "Tests/AllocationCount", swiftSettings: strict),
    .testTarget(name: "SpecTests", dependencies: ["CoreMLBase", "CoreMLSpec", "SpecDump"], swiftSettings: strict),
    .testTarget(name: "MILTests", dependencies: ["CoreMLBase", "MIL"], swiftSettings: strict),
    .testTarget(
      name: "KernelsTests",
      dependencies: [
        "CoreMLBase", "CoreMLKernels", "CoreMLExecution", "CoreMLSpec", "CKernels", "COpenCL", "AllocationCount",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "GenerateTests", dependencies: ["CoreMLBase", "CoreMLGenerate", "CoreMLSpec"], swiftSettings: strict),
    .testTarget(name: "NumbersTests", dependencies: ["CNumbers"], swiftSettings: strict),
    .testTarget(name: "ImagesTests", dependencies: ["CImages", "CoreMLImages"], swiftSettings: strict),
    .testTarget(
      name: "RuntimeTests",
      dependencies: [
        "CoreMLBase", "CoreMLRuntime", "CoreMLImport", "CoreMLExecution", "CoreMLImages", "FeatureFiles", "MIL",
        "CoreMLKernels",
        "CoreMLSpec", "AllocationCount", "CKernels", "COpenCL",
      ],
      swiftSettings: strict),
    // Sources as they are written for Apple's framework: `import CoreML` and nothing else of ours.
    .testTarget(name: "CoreMLTests", dependencies: ["CoreML"], swiftSettings: strict),
    // The same sources, by links, as Swift 5 reads them.
    .testTarget(
      name: "SwiftFiveTests", dependencies: ["CoreML", "CoreVideo", "ImageIO", "Vision"],
      swiftSettings: strict + [.swiftLanguageMode(.v5)]),
    // Idioms of programs, without optimisation and with it: casts that always fail are undefined behaviour. Some of these idioms are what the
    // compiler warns of.
    .testTarget(
      name: "IdiomTests", dependencies: ["CoreML", "ImageIO", "VideoToolbox", "Vision"],
      swiftSettings: [.unsafeFlags(["-suppress-warnings"])]),
    .testTarget(
      name: "OptimizedIdiomTests", dependencies: ["CoreML", "ImageIO", "VideoToolbox", "Vision"],
      swiftSettings: [.unsafeFlags(["-O", "-suppress-warnings"]), .swiftLanguageMode(.v5)]),
    .testTarget(
      name: "VisionTests",
      dependencies: ["CoreMLBase", "CoreGraphics", "CoreML", "CoreMLImages", "CoreVideo", "ImageIO", "Vision"],
      swiftSettings: strict),
    .testTarget(
      name: "DeliveryTests",
      dependencies: [
        "CoreMLBase", "CoreMLDelivery", "CoreMLDeliveryHTTP", "CoreML", "CoreMLSpec", "CArchive", "CBZip2",
        "RuntimeCommand",
        "FourWays", "OverTheAir",
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Delivery"])),
        .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Delivery"])),
        .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Delivery"])),
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["DeliveryHTTP"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["DeliveryHTTP"])),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["DeliveryHTTP"])),
      ],
      exclude: ["Store/bombs.py"],
      swiftSettings: strict),
    .testTarget(
      name: "CommandTests",
      dependencies: ["CoreMLBase", "CoreML", "CoreMLSpec", "FeatureFiles", "MIL", "RuntimeCommand", "CArchive"],
      swiftSettings: strict),
    // The C interface from C: its checks, the library as it is linked, the examples.
    .target(
      name: "CInterfaceChecks", path: "Tests/CInterfaceChecks",
      cSettings: [.headerSearchPath("../../Sources/CInterface/include"), .define("_GNU_SOURCE")]),
    .testTarget(
      name: "CInterfaceTests",
      dependencies: ["CCoreMLRuntime", "CInterface", "CInterfaceChecks", "CoreMLRuntime"],
      swiftSettings: strict),
    fuzzing,
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu17
)
