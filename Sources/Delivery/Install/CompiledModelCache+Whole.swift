import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import Foundation
import Synchronization

extension ModelInstaller {
  /// Returns whether a trusted record says that a model passed its trial.
  static func isBelieved(_ verdict: URL) -> Bool {
    let trust = FileTrust.process
    return access(verdict.path, F_OK) == 0 && trust.refusal(at: verdict.path, as: .record) == nil
      && trust.refusal(of: verdict.deletingLastPathComponent().path) == nil
  }
}

/// Integrity checks of the cache.
extension CompiledModelCache {
  private var damaged: DamagedItems {
    DamagedItems(folder: directory.appending(path: "damaged", directoryHint: .isDirectory))
  }

  func damagedItems() -> [URL] { damaged.items() }

  /// Sets an entry aside.
  @discardableResult func setAside(_ entry: URL) throws -> URL? { try damaged.setAside(entry, seen: nil) }

  /// - Throws: ``DeliveryError`` `untrusted` if other users could have written to the cache.
  func requireTrustedFolders() throws {
    try FileTrust.process.require(folder: directory.deletingLastPathComponent(), followingLink: true)
    try FileTrust.process.require(folder: directory)
  }

  /// Returns whether an entry exists and is intact. Files with unchanged metadata are accepted without reading them. A
  /// damaged entry, or one that other users could have written, is set aside.
  func isWhole(_ entry: URL, _ compiled: URL) throws -> Bool {
    guard FileManager.default.fileExists(atPath: entry.path) else { return false }
    let seen = DamagedItems.Identity(entry)
    do {
      try FileTrust.process.require(tree: entry, as: .file)
      if let record = try DurableFile.read(json: Record.self, at: entry.appending(path: Record.fileName)) {
        let stamp = ModelContents.Stamp(try ModelContents(of: compiled))
        if record.stamp == stamp { return true }
        if try TreeDigest.digest(of: compiled) == record.compiled {
          let read = Record(
            source: record.source, compiled: record.compiled, runtimeVersion: record.runtimeVersion, stamp: stamp)
          // In a read-only cache, the entry is read every time.
          try? DurableFile.write(json: read, to: entry.appending(path: Record.fileName), drafts: directory)
          return true
        }
      }
    } catch let error as DeliveryError where error.code != .noMemory {
      // The entry was removed meanwhile, or it is not trusted.
    }
    guard let aside = try damaged.setAside(entry, seen: seen) else { return false }
    let finding = StoreFinding(kind: .damagedCompiledModel, path: entry.path, message: "it is not what was compiled")
    DeliveryMetrics.found([finding])
    tell("a compiled model was damaged, or others could have written it; it is made anew, and kept as \(aside.path)")
    return false
  }

  /// Returns whether the cache caused an error, not the model: its folder is untrusted, not writable or full, or memory
  /// is exhausted.
  static func isTrouble(_ error: any Error) -> Bool {
    switch error {
    case let error as DeliveryError: return [.untrusted, .unwritable, .noSpace, .noMemory].contains(error.code)
    case let error as SpecError: return error.code == .unwritable
    case let error as MLModelError: return error.code == .io || error.underlyingError.map(isTrouble) ?? false
    default: return false
    }
  }

  /// Reports each sentence only once per process.
  func tellOnce(_ sentence: String) {
    if Self.told.withLock({ $0.insert("\(directory.path) \(sentence)").inserted }) { tell(sentence) }
  }

  private static let told = Mutex<Set<String>>([])

  static func sentence(of error: any Error) -> String { (error as? MLModelError)?.message ?? "\(error)" }
}
