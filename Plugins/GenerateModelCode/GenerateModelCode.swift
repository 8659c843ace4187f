import Foundation
import PackagePlugin

/// `swift package generate-model-code`: runs `runtime generate` once with the given arguments, for generated code that
/// is checked in with the sources.
@main struct GenerateModelCode: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let process = Process()
    process.executableURL = try RuntimeTool.find()
    process.arguments = ["generate"] + arguments
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw PluginFailure("runtime generate ended with status \(process.terminationStatus)")
    }
  }
}
