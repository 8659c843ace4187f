// swift-tools-version: 6.3
import PackageDescription

/// `tools/fuzz` sets FUZZ. Only then are our own sources instrumented for coverage, and a `fuzzer` executable replaces
/// the tests of the same functions.
let isFuzzing = Context.environment["FUZZ"] != nil
/// Coverage instrumentation requires a sanitizer in the Swift compiler: AddressSanitizer, which the script enables, or
/// with FUZZ=plain only the fuzzer's own.
let counted =
  ["-enable-testing", "-sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table"]
  + (Context.environment["FUZZ"] == "plain" ? ["-sanitize=fuzzer"] : [])

/// Warnings are errors in our own sources. Dependencies use their own settings.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)] + (isFuzzing ? [.unsafeFlags(counted)] : [])
/// `tools/test` sets OPTIMISE_C, so that debug builds test the optimized C code of release builds. It is not the
/// default, since SwiftPM does not allow dependencies on packages with unsafe flags.
let optimised: [CSetting] =
  [.define("NDEBUG", .when(configuration: .release))]
  + (isFuzzing ? [.unsafeFlags(["-fsanitize=fuzzer-no-link"])] : [])
  + (Context.environment["OPTIMISE_C"] == nil ? [] : [.unsafeFlags(["-O2"], .when(configuration: .debug))])
let optimisedCXX: [CXXSetting] =
  (isFuzzing ? [.unsafeFlags(["-fsanitize=fuzzer-no-link"])] : [])
  + (Context.environment["OPTIMISE_C"] == nil ? [] : [.unsafeFlags(["-O2"], .when(configuration: .debug))])

let fuzzed: [Target.Dependency] = [
  "CoreMLBase", "CoreMLSpec", "MIL", "CoreMLImport", "CoreMLKernels", "CoreMLExecution", "CoreMLRuntime",
  "CoreMLImages", "BatchFiles", "FeatureFiles", "SpecDump", "CoreMLServingInterface", "CoreMLServingProtocol",
  "CoreMLServingWire",
]
let fuzzing: Target =
  isFuzzing
  ? .executableTarget(
    name: "fuzzer", dependencies: fuzzed, path: "Tests/FuzzTests", exclude: ["CorpusTests.swift"],
    swiftSettings: strict)
  : .testTarget(
    name: "FuzzTests", dependencies: fuzzed, exclude: ["Fuzzer.swift", "MessageTree.swift", "Mutation.swift"],
    swiftSettings: strict)

/// Linker flags of `libcoreml_runtime.so`. It exports only the functions of the C interface, and stays loaded, since
/// the Swift runtime cannot be unloaded. It contains the Swift runtime. SwiftPM links dynamic libraries to the shared
/// runtime even with `--static-swift-stdlib`. Objects compiled without that option do not list all parts of Foundation,
/// so these are listed here. `-L` is searched first for OpenBLAS. The flags are unsafe, so other packages cannot depend
/// on this product. The other products do not contain the target.
let dynamicLibrary =
  ["-static-stdlib", "-L\(Context.packageDirectory)/Sources/CInterfaceLibrary/link"]
  // Passed to the linker directly, since the driver would move the libraries before the start of their group.
  + [
    "--start-group", "-lFoundation", "-lFoundationEssentials", "-lFoundationInternationalization", "-l_FoundationICU",
    "-l_FoundationCShims", "-l_FoundationCollections", "-lCoreFoundation", "-lswiftSynchronization", "--end-group",
    "--version-script=\(Context.packageDirectory)/Sources/CInterfaceLibrary/exports.map",
    "-soname", "libcoreml_runtime.so", "-z", "nodelete",
  ].flatMap { ["-Xlinker", $0] }

/// Linker flags of `runtime`: no dynamic symbol table for public symbols, which would add 4 MB that is searched at each
/// start. Unsafe flags are acceptable here, since no package depends on an executable.
let small = ["-use-ld=lld", "-Xlinker", "--no-export-dynamic"]

let package = Package(
  name: "coreml",
  products: [
    .library(name: "CoreML", targets: ["CoreML"]),
    // Modules that programs import next to Core ML. Each is separate, and `CoreML` includes none of them.
    .library(name: "CoreGraphics", targets: ["CoreGraphics"]),
    .library(name: "CoreVideo", targets: ["CoreVideo"]),
    .library(name: "ImageIO", targets: ["ImageIO"]),
    .library(name: "VideoToolbox", targets: ["VideoToolbox"]),
    .library(name: "Vision", targets: ["Vision"]),
    .library(name: "Delivery", targets: ["CoreMLDelivery"]),
    .library(name: "DeliveryHTTP", targets: ["CoreMLDeliveryHTTP"]),
    // Tokenizers, and text by language models.
    .library(name: "TextGeneration", targets: ["CoreMLTextGeneration", "CoreMLTokenizers"]),
    // libcoreml_runtime.so: the C interface with all its dependencies.
    .library(name: "coreml_runtime", type: .dynamic, targets: ["CInterface", "CInterfaceLibrary"]),
    .executable(name: "runtime", targets: ["RuntimeCommand"]),
    // The inference server, for programs that embed it, and the program that `runtime serve` starts.
    .library(
      name: "Serving", targets: ["CoreMLServing", "CoreMLServingGRPC", "CoreMLServingHTTP", "CoreMLServingInterface"]),
    .executable(name: "runtime-serve", targets: ["ServeCommand"]),
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
    .trait(
      name: "Serving", description: "The inference server: the product Serving, and `runtime-serve`.",
      enabledTraits: ["Delivery"]),
    .default(enabledTraits: ["Command", "Serving"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
    .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.1"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
  ],
  targets: [
    // System libraries with module maps; `tools/setup` installs the Debian packages. OpenBLAS and libpng do not use
    // pkg-config, since its folders would be searched before the one with the static OpenBLAS for the dynamic library.
    .systemLibrary(name: "COpenBLAS", path: "Sources/System/COpenBLAS", providers: [.apt(["libopenblas-dev"])]),
    .systemLibrary(name: "CBZip2", path: "Sources/System/CBZip2", providers: [.apt(["libbz2-dev"])]),
    .systemLibrary(name: "CZLib", path: "Sources/System/CZLib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CArchive", path: "Sources/System/CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(name: "CPNG", path: "Sources/System/CPNG", providers: [.apt(["libpng-dev"])]),
    .target(name: "CJPEG", path: "Sources/System/CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
    .systemLibrary(name: "CWebP", path: "Sources/System/CWebP", providers: [.apt(["libwebp-dev"])]),
    .systemLibrary(name: "CGIF", path: "Sources/System/CGIF", providers: [.apt(["libgif-dev"])]),
    // Only the header is used at build time; libtiff is loaded at run time.
    .target(name: "CTIFF", path: "Sources/System/CTIFF", linkerSettings: [.linkedLibrary("dl")]),

    // C code: CPU kernels, the OpenCL loader, the CUDA back end, the embedded OpenCL sources.
    .target(name: "CKernels", path: "Sources/CKernels", cSettings: optimised, linkerSettings: [.linkedLibrary("m")]),
    .target(
      name: "COpenCL", path: "Sources/COpenCL", cSettings: [.define("_GNU_SOURCE")],
      linkerSettings: [.linkedLibrary("dl")]),
    // CUDA's driver behind the entry points of OpenCL. Only NVIDIA's devices use it.
    .target(
      name: "CCUDA", dependencies: ["COpenCL"], path: "Sources/CCUDA", cSettings: [.define("_GNU_SOURCE")],
      linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CKernelSources", path: "kernels"),
    // C code shared by all modules: SHA-256, XXH3 (a header of Debian's libxxhash-dev), Linux file functions beyond
    // POSIX.
    .target(name: "CPlatform", path: "Sources/CPlatform", cSettings: optimised),
    // Parsing of numbers with fast_float, a header-only C++ library (Debian's libfast-float-dev).
    .target(name: "CNumbers", path: "Sources/CNumbers", cxxSettings: optimisedCXX),
    // C code that processes pixels in bulk.
    .target(name: "CImages", path: "Sources/CImages", cSettings: optimised, linkerSettings: [.linkedLibrary("m")]),

    // The base of every module: files, memory and time limits, cancellation, digests, errors, the version.
    .target(name: "CoreMLBase", dependencies: ["CPlatform"], path: "Sources/Base", swiftSettings: strict),
    // Reads and writes model files.
    .target(
      name: "CoreMLSpec", dependencies: ["CoreMLBase", "CPlatform"], path: "Sources/Spec", swiftSettings: strict),
    // The intermediate language: operations, types, programs.
    .target(name: "MIL", dependencies: ["CoreMLBase", "CoreMLSpec"], path: "Sources/MIL", swiftSettings: strict),
    // Kernels: implementations of operations, and their costs.
    .target(
      name: "CoreMLKernels",
      dependencies: [
        "CoreMLBase", "CoreMLSpec", "MIL", "CKernels", "COpenCL", "CCUDA", "COpenBLAS", "CKernelSources", "CPlatform",
      ],
      path: "Sources/Kernels", swiftSettings: strict),
    // Converts models to programs, and describes their features. Uses kernels to evaluate constants.
    .target(
      name: "CoreMLImport", dependencies: ["CoreMLBase", "CoreMLSpec", "MIL", "CoreMLKernels", "CPlatform"],
      path: "Sources/Import", swiftSettings: strict),
    .target(
      name: "CoreMLImages", dependencies: ["CoreMLBase", "CImages", "CPNG", "CJPEG", "CWebP", "CGIF", "CTIFF"],
      path: "Sources/Images", swiftSettings: strict),
    // The planner and the execution of plans.
    .target(
      name: "CoreMLExecution",
      dependencies: [
        "CoreMLBase", "CoreMLSpec", "MIL", "CoreMLKernels", .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Execution", swiftSettings: strict),
    // The public Core ML API.
    .target(
      name: "CoreMLRuntime",
      dependencies: [
        "CoreMLBase", "CoreMLSpec", "MIL", "CoreMLImport", "CoreMLKernels", "CoreMLExecution", "CImages", "CKernels",
        "CoreMLImages", "CPlatform", .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Runtime", swiftSettings: strict),
    // Delivery of models: sources, installation and storage.
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
    // The only module with network access. Of our targets, only executables and tests depend on it.
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
    // Generates Swift code for a model.
    .target(
      name: "CoreMLGenerate", dependencies: ["CoreMLBase", "CoreMLSpec", "CoreMLImport", "MIL"],
      path: "Sources/Generate", swiftSettings: strict),
    // Tokenizers of language models: `tokenizer.json`.
    .target(
      name: "CoreMLTokenizers", dependencies: ["CoreMLBase"], path: "Sources/Tokenizers", swiftSettings: strict),
    // Generates text with a language model.
    .target(
      name: "CoreMLTextGeneration", dependencies: ["CoreMLBase", "CoreMLRuntime", "CoreMLTokenizers"],
      path: "Sources/TextGeneration", swiftSettings: strict),
    .systemLibrary(name: "CoreMLHeaders", path: "Sources/CoreMLHeaders"),
    .target(
      name: "CoreML",
      dependencies: [
        "CoreMLGraphics", "CoreMLHeaders", "CoreMLImages", "CoreMLPixelBuffers", "CoreMLRuntime",
      ],
      path: "Sources/CoreML", swiftSettings: strict),
    // The parts of Core Graphics and Core Video that Core ML's module re-exports, under unique names.
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
    // Modules next to Core ML, as far as programs for Core ML use them.
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
    // The C interface: the header with its module, the functions, and the linking of the dynamic library.
    .systemLibrary(name: "CCoreMLRuntime", path: "Sources/CInterface/include"),
    .target(
      name: "CInterface",
      dependencies: ["CoreMLBase", "CCoreMLRuntime", "CImages", "CoreMLRuntime", "CoreMLImages", "CoreMLSpec", "MIL"],
      path: "Sources/CInterface", exclude: ["include"], swiftSettings: strict),
    .target(
      name: "CInterfaceLibrary", path: "Sources/CInterfaceLibrary", exclude: ["exports.map", "link"],
      linkerSettings: [.unsafeFlags(dynamicLibrary)]),
    // In an executable with this target, a dynamically linked OpenBLAS starts no threads.
    .target(name: "COneThread", path: "Sources/COneThread"),
    // Feature files (npz, npy, JSON), shared by both commands.
    .target(
      name: "FeatureFiles",
      dependencies: [
        "CImages", "CNumbers", "CPlatform", "CoreMLBase", "CoreMLRuntime", "CoreMLImages", "CoreMLSpec", "MIL",
        "CArchive",
      ],
      path: "Sources/FeatureFiles",
      swiftSettings: strict),
    // Files with many rows: splitting into records, and parsing of rows into blocks in kernel memory.
    .target(
      name: "BatchFiles", dependencies: ["CoreMLBase", "CNumbers", "CoreMLRuntime", "FeatureFiles", "MIL"],
      path: "Sources/BatchFiles", swiftSettings: strict),
    // Finds models by path, name or channel, and keeps compiled forms: shared by the command and by servers.
    .target(
      name: "CoreMLModels", dependencies: ["CoreML", "CoreMLBase", "CoreMLDelivery", "CoreMLSpec"],
      path: "Sources/Models", swiftSettings: strict),
    // Requests, answers, errors and statistics of the inference server: what its core and its protocols share.
    .target(
      name: "CoreMLServingInterface", dependencies: ["CoreMLBase"], path: "Sources/ServingInterface",
      swiftSettings: strict),
    // The core of the inference server: queues, batches, admission, models. No protocol and no network.
    .target(
      name: "CoreMLServing",
      dependencies: [
        "CImages", "CoreML", "CoreMLBase", "CoreMLDelivery", "CoreMLImages", "CoreMLModels", "CoreMLRuntime",
        "CoreMLServingInterface", "CoreMLSpec", "FeatureFiles", "MIL", .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Serving", swiftSettings: strict),
    // What the bytes of the Open Inference Protocol mean. No network.
    .target(
      name: "CoreMLServingProtocol", dependencies: ["CNumbers", "CZLib", "CoreMLBase", "CoreMLServingInterface"],
      path: "Sources/ServingProtocol", swiftSettings: strict),
    // The protocol over HTTP.
    .target(
      name: "CoreMLServingHTTP",
      dependencies: [
        "CoreMLBase", "CoreMLServingInterface", "CoreMLServingProtocol",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Serving"])),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Serving"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Serving"])),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Serving"])),
      ],
      path: "Sources/ServingHTTP", swiftSettings: strict),
    // The bytes of inference requests and answers in protobuf. No network, and no gRPC.
    .target(
      name: "CoreMLServingWire", dependencies: ["CoreMLServingInterface"], path: "Sources/ServingWire",
      swiftSettings: strict),
    // Messages and services of the protocol over gRPC, which `tools/make-serving-messages` generates.
    .target(
      name: "CoreMLServingMessages",
      dependencies: [
        .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["Serving"])),
        .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf", condition: .when(traits: ["Serving"])),
        .product(name: "SwiftProtobuf", package: "swift-protobuf", condition: .when(traits: ["Serving"])),
      ],
      path: "Sources/ServingMessages",
      exclude: [
        "health.proto", "inference.proto", "model_config.proto", "reflection.proto", "reflection_v1alpha.proto",
      ],
      swiftSettings: strict),
    // The protocol over gRPC.
    .target(
      name: "CoreMLServingGRPC",
      dependencies: [
        "CoreMLBase", "CoreMLServingInterface", "CoreMLServingMessages", "CoreMLServingWire",
        .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["Serving"])),
        .product(
          name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport",
          condition: .when(traits: ["Serving"])),
        .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf", condition: .when(traits: ["Serving"])),
        .product(
          name: "NIOCertificateReloading", package: "swift-nio-extras", condition: .when(traits: ["Serving"])),
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Serving"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Serving"])),
        .product(name: "SwiftProtobuf", package: "swift-protobuf", condition: .when(traits: ["Serving"])),
      ],
      path: "Sources/ServingGRPC", swiftSettings: strict),
    // The server as a program of its own, so that `runtime` stays small.
    .executableTarget(
      name: "ServeCommand",
      dependencies: [
        "CoreMLBase", "CoreMLModels", "CoreMLServing", "CoreMLServingGRPC", "CoreMLServingHTTP",
        "CoreMLServingInterface", "CoreMLServingProtocol", "COneThread",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Serving"])),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/ServeCommand", swiftSettings: strict,
      linkerSettings: [.unsafeFlags(small, .when(configuration: .release))]),
    .executableTarget(
      name: "RuntimeCommand",
      dependencies: [
        "CoreMLBase", "CoreMLModels", "BatchFiles", "CoreML", "CoreMLDelivery", "CoreMLDeliveryHTTP", "CoreMLGenerate",
        "CoreMLImages",
        "CoreMLKernels", "CoreMLTextGeneration", "CoreMLTokenizers", "FeatureFiles", "CoreMLSpec", "MIL", "COneThread",
        "CPlatform",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Command", swiftSettings: strict,
      linkerSettings: [.unsafeFlags(small, .when(configuration: .release))]),
    // Compile models in other packages and generate their classes. They call the installed `runtime`. A tool of this
    // package would make every build compile its sources twice, once for the build host.
    .plugin(name: "CoreMLPlugin", capability: .buildTool()),
    .plugin(
      name: "GenerateModelCode",
      capability: .command(
        intent: .custom(verb: "generate-model-code", description: "Writes the classes that a program uses a model by."),
        permissions: [.writeToPackageDirectory(reason: "The classes are written among the package's sources.")])),
    // An example, built with everything else so that it stays correct.
    .executableTarget(
      name: "DrawingClassifier", dependencies: ["CoreML"], path: "examples/DrawingClassifier",
      exclude: ["README.md", "DrawingClassifier.mlmodel", "drawings"], swiftSettings: strict),
    // Timed against PyTorch by `tools/bench-training`.
    .executableTarget(
      name: "training-bench", dependencies: ["CoreML", "FeatureFiles"], path: "tools/training-bench",
      swiftSettings: strict),
    // Measured by `tools/bench-decoding`.
    .executableTarget(
      name: "decoding-bench", dependencies: ["CoreML", "COneThread"], path: "tools/decoding-bench",
      swiftSettings: strict),
    // Built and run by `tools/bench-kernels`.
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

    // Examples. Each runs with one command: `swift run FourWays`, `examples/OverTheAir/play`.
    .executableTarget(
      name: "FourWays", dependencies: ["CoreML", "CoreMLDelivery"], path: "examples/FourWays",
      exclude: ["README.md"],
      swiftSettings: strict),
    .executableTarget(
      name: "OverTheAir", dependencies: ["CoreML", "CoreMLDelivery", "CoreMLDeliveryHTTP"],
      path: "examples/OverTheAir",
      exclude: ["README.md", "play"], swiftSettings: strict),

    // Shared by tests: tags, files of the checkout, the CPU time of a thread.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    // Shared by tests: models written field by field.
    .target(
      name: "TestModels", dependencies: ["CoreMLBase", "CoreMLImport", "CoreMLSpec"], path: "Tests/TestModels",
      swiftSettings: strict),
    // Prints views of a message as text, for tests and fuzzers.
    .target(
      name: "SpecDump", dependencies: ["CoreMLBase", "CoreMLSpec"], path: "Tests/SpecDump", swiftSettings: strict),
    // One process of `tools/soak`, and heap statistics from the C library.
    .executableTarget(
      name: "Soak",
      dependencies: [
        "AllocationCount", "CoreML", "CoreMLDelivery", "CoreMLDeliveryHTTP",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
      ],
      path: "Tests/Soak", swiftSettings: strict),
    // Counts allocations in the tests' own executable.
    .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
    .target(
      name: "AllocationCount", dependencies: ["CAllocationCount"], path: "Tests/AllocationCount", swiftSettings: strict),
    .testTarget(
      name: "SpecTests", dependencies: ["CoreMLBase", "CoreMLSpec", "SpecDump", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "MILTests", dependencies: ["CoreMLBase", "MIL"], swiftSettings: strict),
    .testTarget(
      name: "KernelsTests",
      dependencies: [
        "AllocationCount", "CKernels", "COpenCL", "CoreMLBase", "CoreMLKernels", "CoreMLSpec", "MIL", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ImportTests",
      dependencies: ["CoreMLBase", "CoreMLImport", "CoreMLKernels", "CoreMLSpec", "MIL", "TestModels", "TestSupport"],
      swiftSettings: strict),
    // Links to helpers of the neighbors that need internal symbols: Net+Function.swift, Case.swift, OpenCLHarness.swift.
    .testTarget(
      name: "ExecutionTests",
      dependencies: [
        "AllocationCount", "CKernels", "COpenCL", "CoreMLBase", "CoreMLExecution", "CoreMLImport", "CoreMLKernels",
        "CoreMLSpec", "MIL", "TestModels", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "GenerateTests", dependencies: ["CoreMLBase", "CoreMLGenerate", "CoreMLSpec", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "TokenizersTests", dependencies: ["CoreMLBase", "CoreMLTokenizers"], swiftSettings: strict),
    .testTarget(
      name: "TextGenerationTests",
      dependencies: ["CoreMLBase", "CoreMLRuntime", "CoreMLTextGeneration", "CoreMLTokenizers"], swiftSettings: strict),
    .testTarget(name: "NumbersTests", dependencies: ["CNumbers"], swiftSettings: strict),
    .testTarget(name: "ImagesTests", dependencies: ["CImages", "CoreMLImages"], swiftSettings: strict),
    .testTarget(
      name: "RuntimeTests",
      dependencies: [
        "AllocationCount", "COpenCL", "CoreMLBase", "CoreMLExecution", "CoreMLImages", "CoreMLImport", "CoreMLKernels",
        "CoreMLRuntime", "CoreMLSpec", "FeatureFiles", "MIL", "TestModels", "TestSupport",
      ],
      swiftSettings: strict),
    // Sources written for Apple's framework, which import only `CoreML`.
    .testTarget(name: "CoreMLTests", dependencies: ["CoreML", "TestSupport"], swiftSettings: strict),
    // The same sources (symbolic links) in Swift 5 mode.
    .testTarget(
      name: "SwiftFiveTests", dependencies: ["CoreML", "CoreVideo", "ImageIO", "TestSupport", "Vision"],
      swiftSettings: strict + [.swiftLanguageMode(.v5)]),
    // Common idioms of programs, with and without optimization, since casts that always fail are undefined behavior.
    // The compiler warns about some of them.
    .testTarget(
      name: "IdiomTests", dependencies: ["CoreML", "ImageIO", "TestSupport", "VideoToolbox", "Vision"],
      swiftSettings: [.unsafeFlags(["-suppress-warnings"])]),
    .testTarget(
      name: "OptimizedIdiomTests", dependencies: ["CoreML", "ImageIO", "TestSupport", "VideoToolbox", "Vision"],
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
        "FourWays", "OverTheAir", "TestSupport",
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
      dependencies: [
        "CoreMLBase", "CoreML", "CoreMLSpec", "FeatureFiles", "MIL", "RuntimeCommand", "CArchive", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ServingTests",
      dependencies: [
        "CoreML", "CoreMLBase", "CoreMLImages", "CoreMLRuntime", "CoreMLServing", "CoreMLServingInterface",
        "FeatureFiles", "TestModels", "TestSupport", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ServingProtocolTests", dependencies: ["CoreMLServingInterface", "CoreMLServingProtocol", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ServingHTTPTests",
      dependencies: [
        "CoreMLServingHTTP", "CoreMLServingInterface", "CoreMLServingProtocol", "TestSupport",
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Serving"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Serving"])),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Serving"])),
      ],
      swiftSettings: strict),
    // The service of the tests above as a server, for `tools/test-serving`.
    .executableTarget(
      name: "serving-test-server", dependencies: ["CoreMLServingHTTP", "CoreMLServingInterface"],
      path: "Tests/ServingTestServer", swiftSettings: strict),
    .testTarget(
      name: "ServingWireTests", dependencies: ["CoreMLServingInterface", "CoreMLServingWire"], swiftSettings: strict),
    // An inference service without models, and a program that serves it to clients in other languages.
    .target(
      name: "ServingFake", dependencies: ["CoreMLServingInterface"], path: "Tests/ServingFake", swiftSettings: strict),
    .executableTarget(
      name: "serving-fake-server", dependencies: ["CoreMLServingGRPC", "CoreMLServingInterface", "ServingFake"],
      path: "Tests/ServingFakeServer", swiftSettings: strict),
    .testTarget(
      name: "ServingGRPCTests",
      dependencies: [
        "CoreMLServingGRPC", "CoreMLServingInterface", "CoreMLServingMessages", "CoreMLServingWire", "ServingFake",
        .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["Serving"])),
        .product(
          name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport",
          condition: .when(traits: ["Serving"])),
        .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf", condition: .when(traits: ["Serving"])),
        .product(name: "SwiftProtobuf", package: "swift-protobuf", condition: .when(traits: ["Serving"])),
      ],
      swiftSettings: strict),
    // Tests of the C interface from C: its functions, the linked library, the examples.
    .target(
      name: "CInterfaceChecks", path: "Tests/CInterfaceChecks",
      cSettings: [.headerSearchPath("../../Sources/CInterface/include"), .define("_GNU_SOURCE")]),
    .testTarget(
      name: "CInterfaceTests",
      dependencies: ["CCoreMLRuntime", "CInterface", "CInterfaceChecks", "CoreMLRuntime", "TestSupport"],
      swiftSettings: strict),
    fuzzing,
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu17
)

/// `tools/test --module NAME` sets COREML_ONLY to the name of a test target: the package then has only that target and
/// its dependencies, so that a change of one module builds little.
if let only = Context.environment["COREML_ONLY"] {
  var wanted: Set<String> = [only]
  var waiting = [only]
  while let name = waiting.popLast() {
    for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
      let found: String?
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): found = name
      default: found = nil
      }
      if let found, wanted.insert(found).inserted { waiting.append(found) }
    }
  }
  package.targets.removeAll { !wanted.contains($0.name) }
  package.products = []
}
