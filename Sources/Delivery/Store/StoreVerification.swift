import Foundation

/// Something in the store or in the cache that is not as it was put there.
public struct StoreFinding: Sendable, Codable, Hashable {
  public enum Kind: String, Sendable, Codable {
    /// Its bytes are not those of its digest.
    case damagedModel = "damaged-model"
    /// A compiled form whose bytes are not those that were compiled.
    case damagedCompiledModel = "damaged-compiled-model"
    /// A name stands for a model that is not in the store.
    case missingModel = "missing-model"
    /// The record of a name or of a model cannot be read.
    case damagedRecord = "damaged-record"
  }
  public let kind: Kind
  public let path: String
  public let message: String
}

extension ModelStore {
  /// Reads every model and compiled form again and compares their digests.
  ///
  /// - Returns: what is wrong; nothing is changed.
  public func verify(_ cache: CompiledModelCache) throws -> [StoreFinding] {
    var findings: [StoreFinding] = []
    for digest in try digests() {
      let folder = folder(of: digest)
      do {
        let lease = try lease(digest)
        let model = try model(digest)
        let found = try TreeDigest.digest(of: model.url)
        if found != digest {
          findings.append(.init(kind: .damagedModel, path: folder.path, message: "its digest is \(found) now"))
        }
        withExtendedLifetime(lease) {}
      } catch let error as DeliveryError {
        // Removed meanwhile is no damage.
        guard FileManager.default.fileExists(atPath: folder.path) else { continue }
        findings.append(.init(kind: .damagedModel, path: folder.path, message: error.message))
      }
    }
    for name in try activeNames() {
      do {
        for version in try versions(name: name).versions.prefix(1) {
          do { _ = try model(version.digest) } catch let error as DeliveryError where error.code == .notInStore {
            findings.append(
              .init(
                kind: .missingModel, path: record(of: name).path,
                message: "it stands for \(version.digest), which the store does not hold"))
          }
        }
      } catch let error as DeliveryError {
        findings.append(.init(kind: .damagedRecord, path: record(of: name).path, message: error.message))
      }
    }
    findings += verifyCompiled(cache)
    DeliveryMetrics.found(findings)
    return findings
  }

  private func verifyCompiled(_ cache: CompiledModelCache) -> [StoreFinding] {
    cache.entries().compactMap { entry in
      guard let message = cache.damage(of: entry.url) else { return nil }
      return StoreFinding(kind: .damagedCompiledModel, path: entry.url.path, message: message)
    }
  }

  /// Removes what ``verify(_:)`` found and can be had again: compiled forms that are damaged. Damaged models are removed where no name
  /// stands for them.
  public func repair(_ findings: [StoreFinding], _ cache: CompiledModelCache) throws {
    let needed = try needed(previous: 0)
    for finding in findings {
      let url = URL(filePath: finding.path, directoryHint: .isDirectory)
      switch finding.kind {
      case .damagedCompiledModel: _ = try cache.remove(url)
      case .damagedModel where !needed.contains(url.lastPathComponent):
        _ = try leases.remove(url.lastPathComponent) { try FolderReplacement.discard(url, through: staging) }
      default: continue
      }
    }
  }
}

extension CompiledModelCache {
  /// What is wrong with an entry; nil when nothing is, or it went meanwhile.
  func damage(of entry: URL) -> String? {
    do {
      guard let record = try DurableFile.read(json: Record.self, at: entry.appending(path: Record.fileName)) else {
        return FileManager.default.fileExists(atPath: entry.path) ? "its record is missing" : nil
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: entry.path).filter { $0.hasSuffix(".mlmodelc") }
      guard let name = names.first else { return "the compiled model is missing" }
      let found = try TreeDigest.digest(of: entry.appending(path: name, directoryHint: .isDirectory))
      return found == record.compiled ? nil : "its digest is \(found), expected \(record.compiled)"
    } catch let error as DeliveryError {
      return FileManager.default.fileExists(atPath: entry.path) ? error.message : nil
    } catch {
      return FileManager.default.fileExists(atPath: entry.path) ? reason(error) : nil
    }
  }
}
