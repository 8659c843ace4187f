import CoreMLBase
import CoreMLSpec
import Foundation

extension TrustState {
  static func name(epoch: Int, version: Int) -> String { "\(epoch)-\(version)" }

  /// Returns the names of the documents in a folder, without their extension; empty if there is no folder.
  static func names(in folder: URL) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        .map { String($0.dropLast(5)) }
    } catch CocoaError.fileReadNoSuchFile {
      return []
    } catch {
      throw DeliveryError(.unreadable, "the trust state cannot be listed: \(reason(error))", file: folder.path)
    }
  }

  /// Returns the highest number in the names `EPOCH-NUMBER` of one epoch.
  static func newest(in folder: URL, epoch: Int) throws -> Int? {
    try names(in: folder).compactMap { name -> Int? in
      let parts = name.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard parts.count == 2, parts[0] == epoch else { return nil }
      return parts[1]
    }.max()
  }

  func envelopeKept(in folder: URL, name: String) throws -> SignedEnvelope {
    let file = folder.appending(path: "\(name).json")
    guard let data = OpenFile.contents(atPath: file.path, limit: SignedEnvelope.sizeLimit + 1) else {
      throw DeliveryError(.unreadable, "the manifest that was kept cannot be read", file: file.path)
    }
    return try SignedEnvelope(Data(data))
  }

  func keep(_ envelope: SignedEnvelope, in folder: URL, name: String) throws {
    try keep([UInt8](envelope.encoded()), in: folder, name: name)
  }

  /// Writes a document atomically, then removes its predecessors.
  func keep(_ bytes: [UInt8], in folder: URL, name: String) throws {
    try DurableFile.write(bytes, to: folder.appending(path: "\(name).json"))
    func order(_ name: String) -> [Int] { name.split(separator: "-").map { Int($0) ?? -1 } }
    for other in try Self.names(in: folder) where order(other).lexicographicallyPrecedes(order(name)) {
      unlink(folder.appending(path: "\(other).json").path)
    }
  }
}
