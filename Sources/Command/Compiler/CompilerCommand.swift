import ArgumentParser

/// Xcode's model compiler, as build scripts call it. Prints the paths of the files that it wrote.
struct CompilerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coremlc", abstract: "Compiles models and generates code as Xcode's coremlc does, with its options.",
    subcommands: [CompileModel.self, GenerateCode.self, PrintMetadata.self])
}

/// Options of Xcode's builds.
struct BuildOptions: ParsableArguments {
  @Option(help: "With `yes` only print the paths and write nothing.")
  var dryRun = Answer.no
  @Option(help: "The path for a property list that Xcode adds to an application's; it is empty.")
  var outputPartialInfoPlist: String?
  @Option(help: "Accepted without effect: the output works on every platform.")
  var deploymentTarget: String?
  @Option(help: "Accepted without effect.")
  var sdkroot: String?
  @Option(help: "Accepted without effect.")
  var platform: String?
  @Option(help: "Where programs find the compiled model: bundle-resources, or swift-package for `Bundle.module`.")
  var container = Container.bundleResources
  @Option(help: "Not supported: only Apple's systems have the keys for this encryption.")
  var encrypt: String?

  enum Answer: String, ExpressibleByArgument, CaseIterable { case yes, no }
  enum Container: String, ExpressibleByArgument, CaseIterable {
    case bundleResources = "bundle-resources"
    case swiftPackage = "swift-package"
  }

  func validate() throws {
    guard encrypt == nil else {
      throw ValidationError(
        "--encrypt makes models that only Apple's systems open; `runtime models encrypt` makes those that this runtime opens"
      )
    }
  }
}
