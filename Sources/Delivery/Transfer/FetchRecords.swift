import CoreMLBase
import Foundation

/// Validators of fetched files, for conditional requests. A lost record only costs a download.
public struct FetchRecords: Sendable {
  private struct Record: Codable {
    /// The URL for display, without credentials and query.
    let url: String
    let etag: String?
    let lastModified: String?
    /// The ``TreeDigest`` of the model made from the download.
    let digest: String
  }

  private let folder: URL

  /// Creates the records in the state folder.
  public init(_ places: DeliveryDirectories) {
    folder = places.state.appending(path: "fetched", directoryHint: .isDirectory)
  }

  /// Returns the validators of a previous download, if its result is unchanged.
  ///
  /// - Parameter digest: the tree digest of the current item at the destination.
  public func known(_ url: URL, for destination: String, digest: String) -> (etag: String?, lastModified: String?)? {
    guard let record = try? DurableFile.read(json: Record.self, at: file(url, destination)), record.digest == digest
    else { return nil }
    return (record.etag, record.lastModified)
  }

  /// Records a download.
  public func remember(_ result: TransferResult, from url: URL, for destination: String, digest: String) throws {
    guard result.etag != nil || result.lastModified != nil else { return }
    let record = Record(url: url.display, etag: result.etag, lastModified: result.lastModified, digest: digest)
    try DurableFile.write(json: record, to: file(url, destination))
  }

  private func file(_ url: URL, _ destination: String) -> URL {
    folder.appending(path: "\(Self.name(for: [url.placeDigest, destination])).json")
  }

  /// Returns a file name derived from the words by hashing: 40 hexadecimal digits.
  public static func name(for words: [String]) -> String {
    var sha = SHA256Digest()
    for word in words { sha.append(field: word) }
    return String(sha.hexadecimal().prefix(40))
  }
}
