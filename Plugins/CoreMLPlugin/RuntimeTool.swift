import Foundation

/// The `runtime` that works for a build: the one that `COREML_RUNTIME` names, else the first in `PATH`, else the one that was built in the
/// checkout that this plugin is of.
enum RuntimeTool {
  static func find() throws -> URL {
    let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try find(ProcessInfo.processInfo.environment, checkout: checkout)
  }

  /// Relative paths are none: which folder they begin at depends on who runs the plugin, and the command, and may hold what a package brought.
  static func find(_ environment: [String: String], checkout: URL) throws -> URL {
    if let path = environment["COREML_RUNTIME"], !path.isEmpty {
      guard path.hasPrefix("/") else {
        throw PluginFailure("COREML_RUNTIME is \(path), expected an absolute path")
      }
      guard isCommand(path) else { throw PluginFailure("COREML_RUNTIME is \(path), which is no file that can be run") }
      return URL(filePath: path)
    }
    let installed = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
      .map { "\($0)/runtime" }
    let built = ["release", "debug"].map { checkout.appending(path: ".build/\($0)/runtime").path }
    guard let path = (installed + built).first(where: isCommand) else {
      throw PluginFailure(
        "the command `runtime` is not found: tools/install of the package \(checkout.path) installs it, or COREML_RUNTIME names it"
      )
    }
    return URL(filePath: path)
  }

  /// A regular file, or a link to one, that can be run: folders can be "executed", too.
  private static func isCommand(_ path: String) -> Bool {
    let file = URL(filePath: path).resolvingSymlinksInPath()
    let isRegular = (try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
    return isRegular && FileManager.default.isExecutableFile(atPath: path)
  }
}

struct PluginFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
