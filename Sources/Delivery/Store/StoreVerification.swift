import CoreMLBase
import CoreMLSpec
import Foundation

/// A defect in the store or in the cache of compiled models.
public struct StoreFinding: Sendable, Codable, Hashable {
  /// The kind of a defect.
  public enum Kind: String, Sendable, Codable {
    /// A model's bytes differ from its digest.
    case damagedModel = "damaged-model"
    /// A compiled model's bytes differ from those that the compiler wrote.
    case damagedCompiledModel = "damaged-compiled-model"
    /// A name refers to a model that the store does not have.
    case missingModel = "missing-model"
    /// The record of a name or of a model cannot be read.
    case damagedRecord = "damaged-record"
    /// Other users could have written the item.
    case untrusted
    /// The item could not be read; the cause may be transient.
    case unreadable
  }
  /// The kind of the defect.
  public let kind: Kind
  /// The folder of the model or compiled model, or the record of the name.
  public let path: String
  /// A readable description.
  public let message: String
  /// The path that the item was set aside to, or of the recreated record; nil if nothing was done.
  public internal(set) var repaired: String?

  /// A readable description of the repair; nil if nothing was done.
  public var outcome: String? {
    repaired.map { $0.hasPrefix("\(path)/") ? "its record was made anew" : "it was set aside as \($0)" }
  }

  init(kind: Kind, path: String, message: String) { (self.kind, self.path, self.message) = (kind, path, message) }
}

/// Finds defective items in a store and in a cache of compiled models, and takes them out of use.
struct StoreVerification {
  let store: ModelStore
  let cache: CompiledModelCache

  /// Verifies the digests of all models and compiled models by reading them.
  func findings() throws -> [StoreFinding] {
    var findings: [StoreFinding] = []
    for digest in try store.digests() {
      if let finding = try finding(of: digest) { findings.append(finding) }
    }
    for name in try store.activeNames() {
      do {
        for version in try store.versions(name: name).versions.prefix(1) {
          // Other defects of the model were reported above.
          do { _ = try store.model(version.digest) } catch let error as DeliveryError where error.code != .notInStore {
            continue
          } catch {
            findings.append(
              .init(
                kind: .missingModel, path: store.names.file(of: name).path,
                message: "it stands for \(version.digest), which the store does not hold"))
          }
        }
      } catch let error as DeliveryError {
        findings.append(
          .init(
            kind: Self.kind(of: error, .damagedRecord), path: store.names.file(of: name).path, message: error.message))
      }
    }
    findings += verifyCompiled()
    DeliveryMetrics.found(findings)
    return findings
  }

  /// Returns the defect of a model; nil if it is intact or was removed meanwhile.
  private func finding(of digest: String) throws -> StoreFinding? {
    let folder = store.folder(of: digest)
    do {
      let lease = try store.leases.lease(digest)
      defer { withExtendedLifetime(lease) {} }
      let model = try store.model(digest)
      try FileTrust.process.require(tree: folder)
      let found = try StoreIntegrity.digest(of: ModelContents(of: model.url), below: model.url)
      if found == digest { return nil }
      return StoreFinding(kind: .damagedModel, path: folder.path, message: "its digest is \(found) now")
    } catch let error as DeliveryError {
      guard access(folder.path, F_OK) == 0 else { return nil }
      let model = try? store.model(digest)
      let isMissing = model.map { access($0.url.path, F_OK) != 0 && errno == ENOENT } ?? false
      return StoreFinding(
        kind: isMissing ? .damagedModel : Self.kind(of: error, .damagedModel), path: folder.path,
        message: isMissing ? "its files are missing" : error.message)
    }
  }

  private static func kind(of error: DeliveryError, _ damaged: StoreFinding.Kind) -> StoreFinding.Kind {
    switch error.code {
    case .untrusted: .untrusted
    case .damagedRecord: .damagedRecord
    case .unreadable where !error.isOfMedium, .beingRemoved, .unwritable, .noMemory: .unreadable
    default: damaged
    }
  }

  private func verifyCompiled() -> [StoreFinding] {
    cache.entries().compactMap { entry in
      do {
        guard let message = try cache.damage(of: entry.url) else { return nil }
        return StoreFinding(kind: .damagedCompiledModel, path: entry.url.path, message: message)
      } catch { return StoreFinding(kind: .unreadable, path: entry.url.path, message: "\(error)") }
    }
  }

  /// Takes defective items out of use, and returns the findings with the repair of each.
  func repair(_ findings: [StoreFinding]) throws -> [StoreFinding] {
    try findings.map { finding in
      let url = URL(filePath: finding.path, directoryHint: .isDirectory)
      var finding = finding
      switch finding.kind {
      case .damagedCompiledModel: finding.repaired = try cache.setAside(url)?.path
      case .damagedModel: finding.repaired = try store.integrity.setAside(url.lastPathComponent)?.path
      case .damagedRecord where TreeDigest.isDigest(url.lastPathComponent):
        finding.repaired = try repairRecord(of: url.lastPathComponent)
      case .damagedRecord:
        let file = url.deletingPathExtension().lastPathComponent
        if InstalledModels.isName(file) { finding.repaired = try store.names.setAside(file)?.path }
      case .untrusted, .missingModel, .unreadable: break
      }
      return finding
    }
  }

  private func repairRecord(of digest: String) throws -> String? {
    do {
      _ = try store.integrity.withRecordRestored(digest)
      return store.folder(of: digest).appending(path: ObjectRecord.fileName).path
    } catch let error as DeliveryError where error.code == .damagedModel {
      return store.damagedItems().last { $0.lastPathComponent.hasPrefix(digest) }?.path
    } catch let error as DeliveryError where error.code == .untrusted || error.code == .notInStore {
      return nil
    }
  }
}

extension ModelStore {
  /// Verifies the digests of all models and compiled models by reading them.
  ///
  /// - Returns: the defects found. Nothing is changed.
  public func verify(_ cache: CompiledModelCache) throws -> [StoreFinding] {
    try StoreVerification(store: self, cache: cache).findings()
  }

  /// Takes defective items found by ``verify(_:)`` out of use.
  ///
  /// - Damaged models and compiled models are set aside, even if names refer to them.
  /// - If a model's files are intact, its record is recreated.
  /// - Compiled models are recreated on demand.
  /// - A model, or a name with a damaged record, returns with the next update of its channel or when it is installed
  ///   again. While the record of a name is damaged, no models are pruned.
  ///
  /// - Returns: the findings, with the repair of each.
  @discardableResult
  public func repair(_ findings: [StoreFinding], _ cache: CompiledModelCache) throws -> [StoreFinding] {
    try StoreVerification(store: self, cache: cache).repair(findings)
  }
}

extension CompiledModelCache {
  /// Returns the defect of an entry; nil if it is intact or was removed meanwhile.
  ///
  /// - Throws: ``DeliveryError`` `noMemory`, which is not a defect of the entry.
  func damage(of entry: URL) throws -> String? {
    func isThere() -> Bool { FileManager.default.fileExists(atPath: entry.path) }
    do {
      try FileTrust.process.require(tree: entry, as: .file)
      guard let record = try DurableFile.read(json: Record.self, at: entry.appending(path: Record.fileName)) else {
        return isThere() ? "its record is missing" : nil
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: entry.path).filter { $0.hasSuffix(".mlmodelc") }
      guard let name = names.first else { return "the compiled model is missing" }
      let found = try TreeDigest.digest(of: entry.appending(path: name, directoryHint: .isDirectory))
      return found == record.compiled ? nil : "its digest is \(found), expected \(record.compiled)"
    } catch let error as DeliveryError where error.code != .noMemory {
      return isThere() ? error.message : nil
    } catch let error where !(error is DeliveryError) {
      return isThere() ? reason(error) : nil
    }
  }
}
