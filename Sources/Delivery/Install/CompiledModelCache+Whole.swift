import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import Foundation
import Synchronization

extension ModelInstaller {
  /// Whether a model has passed its test, as far as nobody else could have said so.
  static func isBelieved(_ verdict: URL) -> Bool {
    let trust = FileTrust.process
    return access(verdict.path, F_OK) == 0 && trust.refusal(at: verdict.path, as: .record) == nil
      && trust.refusal(of: verdict.deletingLastPathComponent().path) == nil
  }
}

/// The cache does not believe its files.
extension CompiledModelCache {
  private var damaged: DamagedItems {
    DamagedItems(folder: directory.appending(path: "damaged", directoryHint: .isDirectory))
  }

  func damagedItems() -> [URL] { damaged.items() }

  /// Takes an entry out of use.
  @discardableResult func setAside(_ entry: URL) throws -> URL? { try damaged.setAside(entry, seen: nil) }

  /// - Throws: ``DeliveryError`` `untrusted` when others could have written to the cache.
  func requireTrustedFolders() throws {
    try FileTrust.process.require(folder: directory.deletingLastPathComponent(), followingLink: true)
    try FileTrust.process.require(folder: directory)
  }

  /// Whether an entry is there and is what was compiled. As long as the file system says the same of its files as then, that is enough;
  /// otherwise they are read again. One that is damaged, or that others could have written, is set aside.
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
          // A cache that cannot be written is read each time.
          try? DurableFile.write(json: read, to: entry.appending(path: Record.fileName), drafts: directory)
          return true
        }
      }
    } catch let error as DeliveryError where error.code != .noMemory {
      // It went meanwhile, or is not to be believed.
    }
    guard let aside = try damaged.setAside(entry, seen: seen) else { return false }
    let finding = StoreFinding(kind: .damagedCompiledModel, path: entry.path, message: "it is not what was compiled")
    DeliveryMetrics.found([finding])
    tell("a compiled model was damaged, or others could have written it; it is made anew, and kept as \(aside.path)")
    return false
  }

  /// Whether an error is the cache's and not the model's: its folder is not to be believed, cannot be written, or is full.
  static func isTrouble(_ error: any Error) -> Bool {
    switch error {
    case let error as DeliveryError: return [.untrusted, .unwritable, .noSpace, .noMemory].contains(error.code)
    case let error as SpecError: return error.code == .unwritable
    case let error as MLModelError: return error.code == .io || error.underlyingError.map(isTrouble) ?? false
    default: return false
    }
  }

  /// The same is not told again and again.
  func tellOnce(_ sentence: String) {
    if Self.told.withLock({ $0.insert("\(directory.path) \(sentence)").inserted }) { tell(sentence) }
  }

  private static let told = Mutex<Set<String>>([])

  static func sentence(of error: any Error) -> String { (error as? MLModelError)?.message ?? "\(error)" }
}
