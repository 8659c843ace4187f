import Foundation
import PackagePlugin

/// The `runtime` that works for a build: the one that `COREML_RUNTIME` names, else the first in `PATH`, else the one that was built in the
/// checkout that this plugin is of.
enum RuntimeTool {
  static func find() throws -> URL {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["COREML_RUNTIME"], !path.isEmpty {
      guard FileManager.default.isExecutableFile(atPath: path) else {
        throw PluginFailure("COREML_RUNTIME is \(path), which cannot be run")
      }
      return URL(filePath: path)
    }
    let installed = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/runtime" }
    let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let built = ["release", "debug"].map { checkout.appending(path: ".build/\($0)/runtime").path }
    guard let path = (installed + built).first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw PluginFailure(
        "the command `runtime` is not found: tools/install of the package \(checkout.path) installs it, or COREML_RUNTIME names it"
      )
    }
    return URL(filePath: path)
  }
}

struct PluginFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
