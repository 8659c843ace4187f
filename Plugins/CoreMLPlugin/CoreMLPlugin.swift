import Foundation
import PackagePlugin

/// Compiles the models among a target's files, and generates Swift classes for them.
///
/// For `Name.mlmodel` or `Name.mlpackage`, the build creates `Name.mlmodelc` as a resource of the target, and
/// `Name.swift` with a class that loads it from `Bundle.module`. A model is processed again if its own files change.
@main struct CoreMLPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
    guard let target = target as? SwiftSourceModuleTarget else { return [] }
    let models = TargetModels.of(target)
    guard !models.isEmpty else { return [] }
    try TargetModels.requireDistinctNames(models)
    let runtime = try RuntimeTool.find()
    return models.flatMap { model in
      let code = context.pluginWorkDirectoryURL.appending(path: "Classes", directoryHint: .isDirectory)
      let compiled = context.pluginWorkDirectoryURL.appending(path: "Models", directoryHint: .isDirectory)
      return [
        Command.buildCommand(
          displayName: "Compiling \(model.url.lastPathComponent)", executable: runtime,
          arguments: ["coremlc", "compile", model.url.path, compiled.path], inputFiles: [runtime] + model.files,
          outputFiles: [compiled.appending(path: "\(model.name).mlmodelc")]),
        Command.buildCommand(
          displayName: "Generating \(model.className).swift", executable: runtime,
          arguments: [
            "coremlc", "generate", model.url.path, code.path, "--language", "Swift", "--container", "swift-package",
            "--class-name", model.className,
          ], inputFiles: [runtime] + model.files, outputFiles: [code.appending(path: "\(model.className).swift")]),
      ]
    }
  }
}
