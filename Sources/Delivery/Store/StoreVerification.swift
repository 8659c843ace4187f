import CoreMLBase
import CoreMLSpec
import Foundation

/// Something in the store or in the cache that is not as it was put there.
public struct StoreFinding: Sendable, Codable, Hashable {
  /// What can be wrong.
  public enum Kind: String, Sendable, Codable {
    /// Its bytes are not those of its digest.
    case damagedModel = "damaged-model"
    /// A compiled form whose bytes are not those that were compiled.
    case damagedCompiledModel = "damaged-compiled-model"
    /// A name stands for a model that is not in the store.
    case missingModel = "missing-model"
    /// The record of a name or of a model cannot be read.
    case damagedRecord = "damaged-record"
    /// Others could have written it.
    case untrusted
    /// It could not be read just now, which may pass.
    case unreadable
  }
  /// What is wrong.
  public let kind: Kind
  /// The folder of the model or of the compiled form, or the record of the name.
  public let path: String
  /// What is wrong, in words.
  public let message: String
  /// What became of it: where it was set aside, or the record that was made anew; nil when nothing was done.
  public internal(set) var repaired: String?

  /// What became of it, in words; nil when nothing was done.
  public var outcome: String? {
    repaired.map { $0.hasPrefix("\(path)/") ? "its record was made anew" : "it was set aside as \($0)" }
  }

  init(kind: Kind, path: String, message: String) { (self.kind, self.path, self.message) = (kind, path, message) }
}

extension ModelStore {
  /// Reads every model and compiled form again and compares their digests.
  ///
  /// - Returns: what is wrong; nothing is changed.
  public func verify(_ cache: CompiledModelCache) throws -> [StoreFinding] {
    var findings: [StoreFinding] = []
    for digest in try digests() {
      if let finding = try finding(of: digest) { findings.append(finding) }
    }
    for name in try activeNames() {
      do {
        for version in try versions(name: name).versions.prefix(1) {
          // What else is wrong with a model was told above.
          do { _ = try model(version.digest) } catch let error as DeliveryError where error.code != .notInStore {
            continue
          } catch {
            findings.append(
              .init(
                kind: .missingModel, path: record(of: name).path,
                message: "it stands for \(version.digest), which the store does not hold"))
          }
        }
      } catch let error as DeliveryError {
        findings.append(
          .init(kind: Self.kind(of: error, .damagedRecord), path: record(of: name).path, message: error.message))
      }
    }
    findings += verifyCompiled(cache)
    DeliveryMetrics.found(findings)
    return findings
  }

  /// What is wrong with a model; nil when nothing is, or it was removed meanwhile.
  private func finding(of digest: String) throws -> StoreFinding? {
    let folder = folder(of: digest)
    do {
      let lease = try leases.lease(digest)
      defer { withExtendedLifetime(lease) {} }
      let model = try model(digest)
      try FileTrust.process.require(tree: folder)
      let found = try Self.digest(of: ModelContents(of: model.url), below: model.url)
      if found == digest { return nil }
      return StoreFinding(kind: .damagedModel, path: folder.path, message: "its digest is \(found) now")
    } catch let error as DeliveryError {
      guard access(folder.path, F_OK) == 0 else { return nil }
      let model = try? model(digest)
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

  private func verifyCompiled(_ cache: CompiledModelCache) -> [StoreFinding] {
    cache.entries().compactMap { entry in
      do {
        guard let message = try cache.damage(of: entry.url) else { return nil }
        return StoreFinding(kind: .damagedCompiledModel, path: entry.url.path, message: message)
      } catch { return StoreFinding(kind: .unreadable, path: entry.url.path, message: "\(error)") }
    }
  }

  /// Takes out of use what ``verify(_:)`` found: damaged models and compiled forms are set aside, also where a name stands for them. The
  /// record of a model whose files are whole is made anew, and so are compiled forms when they are asked for; a model comes back with the
  /// next update of its channel, or when it is installed again. So does a name whose record was damaged; nothing is pruned before.
  ///
  /// - Returns: the findings, with what became of each.
  @discardableResult
  public func repair(_ findings: [StoreFinding], _ cache: CompiledModelCache) throws -> [StoreFinding] {
    try findings.map { finding in
      let url = URL(filePath: finding.path, directoryHint: .isDirectory)
      var finding = finding
      switch finding.kind {
      case .damagedCompiledModel: finding.repaired = try cache.setAside(url)?.path
      case .damagedModel: finding.repaired = try setAside(url.lastPathComponent)?.path
      case .damagedRecord where TreeDigest.isDigest(url.lastPathComponent):
        finding.repaired = try repairRecord(of: url.lastPathComponent)
      case .damagedRecord:
        let file = url.deletingPathExtension().lastPathComponent
        if InstalledModels.isName(file) { finding.repaired = try setAsideRecord(of: file)?.path }
      case .untrusted, .missingModel, .unreadable: break
      }
      return finding
    }
  }

  private func repairRecord(of digest: String) throws -> String? {
    do {
      _ = try withRecordMended(digest)
      return folder(of: digest).appending(path: ObjectRecord.fileName).path
    } catch let error as DeliveryError where error.code == .damagedModel {
      return damagedItems().last { $0.lastPathComponent.hasPrefix(digest) }?.path
    } catch let error as DeliveryError where error.code == .untrusted || error.code == .notInStore {
      return nil
    }
  }
}

extension CompiledModelCache {
  /// What is wrong with an entry; nil when nothing is, or it went meanwhile.
  /// - Throws: ``DeliveryError`` `noMemory`, which says nothing of the entry.
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
