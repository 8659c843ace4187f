import ArgumentParser

/// Xcode's compiler of models as build scripts call it. It prints the paths of what it wrote.
struct CompilerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coremlc", abstract: "Compiles models and generates code as Xcode's coremlc does, with its options.",
    subcommands: [CompileModel.self, GenerateCode.self, PrintMetadata.self])
}

/// Options of Xcode's builds.
struct BuildOptions: ParsableArguments {
  @Option(help: "With `yes` nothing is written, and the paths are printed all the same.")
  var dryRun = Answer.no
  @Option(help: "A property list that Xcode adds to an application's; it is written, and empty.")
  var outputPartialInfoPlist: String?
  @Option(help: "Taken, and of no effect: what is written serves every platform.")
  var deploymentTarget: String?
  @Option(help: "Taken, and of no effect.")
  var sdkroot: String?
  @Option(help: "Taken, and of no effect.")
  var platform: String?
  @Option(help: "Where programs find the compiled model: bundle-resources, or swift-package for `Bundle.module`.")
  var container = Container.bundleResources
  @Option(help: "Refused: only Apple's systems have the keys of its encryption.")
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
