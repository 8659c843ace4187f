import Foundation
import Synchronization

/// A folder of models: `NAME.mlpackage`, `NAME.mlmodel` or `NAME.mlmodelc`, or `NAME/VERSION/` with one such model.
package final class ModelFolder: Sendable {
  /// Extensions of models. The first one wins if a name has several.
  private static let extensions = ["mlmodelc", "mlpackage", "mlmodel"]

  private let url: URL
  /// Files are complete when nothing has changed for this many seconds.
  private let quietSeconds: Double
  /// The state in which each model was seen first, and when.
  private let seen = Mutex<[String: (fingerprint: String, since: Date)]>([:])

  package init(_ url: URL, quietSeconds: Double = 2) { (self.url, self.quietSeconds) = (url, quietSeconds) }

  package var catalog: ModelCatalog { ModelCatalog { self.sources(now: Date()) } }

  /// The models of the folder. One that cannot be read, for it is being replaced, is left out until the next time.
  package func sources(now: Date) -> [ModelSource] {
    var sources: [ModelSource] = []
    for entry in Self.entries(url) {
      if let name = Self.name(entry) {
        if !sources.contains(where: { $0.name == name }) { append(name, "1", entry, now, &sources) }
      } else {
        for version in Self.entries(entry) {
          guard let model = Self.entries(version).first(where: { Self.name($0) != nil }) else { continue }
          append(entry.lastPathComponent, version.lastPathComponent, model, now, &sources)
        }
      }
    }
    let known = Set(sources.map(Self.key))
    seen.withLock { seen in seen = seen.filter { known.contains($0.key) } }
    return sources
  }

  private func append(
    _ name: String, _ version: String, _ model: URL, _ now: Date, _ sources: inout [ModelSource]
  ) {
    guard let found = try? FileFingerprint(model) else { return }
    var source = ModelSource(name: name, version: version, url: model, fingerprint: found.text)
    let since = seen.withLock { seen -> Date in
      if let known = seen[Self.key(source)], known.fingerprint == found.text { return known.since }
      seen[Self.key(source)] = (found.text, now)
      return now
    }
    // Copies keep the times of their originals, so an old time alone does not prove that a first sight is whole. An
    // empty folder has old times, too. Files whose manifest is missing fail to load and are tried again when they change.
    source.isComplete =
      found.byteCount > 0
      && (now.timeIntervalSince(found.newest) >= quietSeconds || now.timeIntervalSince(since) >= quietSeconds)
    sources.append(source)
  }

  private static func key(_ source: ModelSource) -> String { "\(source.name)/\(source.version)" }

  /// The entries of a folder without hidden ones, by preference of their extension and by name.
  private static func entries(_ folder: URL) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    func rank(_ url: URL) -> Int { extensions.firstIndex(of: url.pathExtension) ?? extensions.count }
    return names.filter { !$0.hasPrefix(".") }.sorted().map { folder.appending(path: $0) }
      .sorted { rank($0) < rank($1) }
  }

  /// The name of a model; nil for other files and folders.
  private static func name(_ url: URL) -> String? {
    guard extensions.contains(url.pathExtension) else { return nil }
    return url.deletingPathExtension().lastPathComponent
  }
}
