import Foundation

/// Finds the `runtime` command for a build: the one in `COREML_RUNTIME`, else the first in `PATH`, else one built in
/// this plugin's checkout.
enum RuntimeTool {
  static func find() throws -> URL {
    let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try find(ProcessInfo.processInfo.environment, checkout: checkout)
  }

  /// Relative paths are ignored. Their base depends on the process that runs the plugin or the command, and could
  /// contain files of a package.
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

  /// An executable regular file, or a link to one. Folders have the executable bit too.
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
