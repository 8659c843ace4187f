import CoreMLBase
import Foundation

/// What was fetched from where, so that the next fetch can ask whether it changed. Lost records cost a transfer, nothing else.
public struct FetchRecords: Sendable {
  private struct Record: Codable {
    /// For people, without names, passwords and queries.
    let url: String
    let etag: String?
    let lastModified: String?
    /// ``TreeDigest`` of what was made of it.
    let digest: String
  }

  private let folder: URL

  /// The records in the folder of states.
  public init(_ places: DeliveryDirectories) {
    folder = places.state.appending(path: "fetched", directoryHint: .isDirectory)
  }

  /// The validators of what was fetched for a destination, if that is still what it was.
  ///
  /// - Parameter digest: of what stands at the destination.
  public func known(_ url: URL, for destination: String, digest: String) -> (etag: String?, lastModified: String?)? {
    guard let record = try? DurableFile.read(json: Record.self, at: file(url, destination)), record.digest == digest
    else { return nil }
    return (record.etag, record.lastModified)
  }

  /// Remembers what was fetched.
  public func remember(_ result: TransferResult, from url: URL, for destination: String, digest: String) throws {
    guard result.etag != nil || result.lastModified != nil else { return }
    let record = Record(url: url.display, etag: result.etag, lastModified: result.lastModified, digest: digest)
    try DurableFile.write(json: record, to: file(url, destination))
  }

  private func file(_ url: URL, _ destination: String) -> URL {
    folder.appending(path: "\(Self.name(for: [url.placeDigest, destination])).json")
  }

  /// A file name that stands for some words: 40 hexadecimal digits.
  public static func name(for words: [String]) -> String {
    var sha = SHA256Digest()
    for word in words { sha.append(field: word) }
    return String(sha.hexadecimal().prefix(40))
  }
}
