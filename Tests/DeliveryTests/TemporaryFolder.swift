import CoreMLDelivery
import Foundation

/// A folder that exists during the test.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "delivery-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Writes a file below the folder and creates its parent folders.
  @discardableResult func write(_ text: String, to path: String) throws -> URL {
    let file = url.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file
  }

  /// Returns directories for a user whose data, cache and state are all below the folder, in `coreml`.
  func places() throws -> DeliveryDirectories {
    try DeliveryDirectories(environment: [
      "XDG_DATA_HOME": url.path, "XDG_CACHE_HOME": "\(url.path)/cache", "XDG_STATE_HOME": url.path,
    ])
  }

  func store() throws -> ModelStore { ModelStore(try places()) }

  func read(_ path: String) throws -> String { try String(contentsOf: url.appending(path: path), encoding: .utf8) }

  func list(_ path: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.appending(path: path).path).sorted()
  }
}
