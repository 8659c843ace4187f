import CoreMLBase
import CoreMLSpec
import Foundation

/// The files of a publisher's folder, and the documents in them.
struct PublisherFiles: Sendable {
  let folder: URL

  /// The folder to upload.
  var host: URL { folder.appending(path: "public", directoryHint: .isDirectory) }
  var rootFile: URL { host.appending(path: "root.json") }
  var pendingRootFile: URL { folder.appending(path: "pending-root.json") }
  func draftFile(_ channel: String) -> URL { folder.appending(path: "drafts/\(channel).json") }
  func pendingFile(_ channel: String) -> URL { folder.appending(path: "pending/\(channel).json") }
  func channelFile(_ channel: String) -> URL { host.appending(path: "channels/\(channel).json") }
  func statementFile(_ channel: String) -> URL { host.appending(path: FreshnessStatement.path(channel)) }
  func objectFile(_ digest: String) -> URL { host.appending(path: ShippedFile.objectPath(digest)) }

  // MARK: documents

  static func read<Value: Decodable>(_ type: Value.Type, _ file: URL, _ what: String) throws -> Value {
    guard let data = OpenFile.contents(atPath: file.path) else {
      throw DeliveryError(.unreadable, "the \(what) cannot be read", file: file.path)
    }
    return try DocumentJSON.decode(type, Data(data), .malformedManifest, document: what)
  }

  func envelope(_ file: URL) throws -> SignedEnvelope {
    guard let data = OpenFile.contents(atPath: file.path, limit: SignedEnvelope.sizeLimit + 1) else {
      throw DeliveryError(.unreadable, "the signed document cannot be read", file: file.path)
    }
    return try SignedEnvelope(Data(data))
  }

  static func write(_ data: Data, to file: URL) throws {
    try makeFolder(file.deletingLastPathComponent())
    try DurableFile.write([UInt8](data), to: file)
  }

  /// Creates a folder that a web server can read.
  static func makeFolder(_ url: URL) throws { try DeliveryDirectories.makeFolder(url, mode: 0o755) }

  // MARK: roots

  /// Returns the newest published root.
  ///
  /// An interrupted rotation may have published the next root without updating `root.json`. That root is valid, because
  /// devices may have it.
  func root() throws -> TrustRoot {
    var root = try TrustRoot(trusting: envelope(rootFile))
    while let next = try publishedRoot(root.version + 1) { root = try root.next(next) }
    return root
  }

  /// Updates `root.json` to the newest published root.
  func completeRoot() throws {
    let newest = try root().version
    guard try TrustRoot(trusting: envelope(rootFile)).version < newest, let published = try publishedRoot(newest) else {
      return
    }
    try Self.write(published.encoded(), to: rootFile)
  }

  /// Returns the published root of a version; nil if there is none.
  func publishedRoot(_ version: Int) throws -> SignedEnvelope? {
    let file = host.appending(path: "root/\(version).json")
    return FileManager.default.fileExists(atPath: file.path) ? try envelope(file) : nil
  }

  // MARK: channels

  /// Returns the draft of a channel.
  ///
  /// - Throws: ``DeliveryError`` `cannotPublish` if the channel does not exist; ``addChannel(_:)`` creates it.
  func draft(_ channel: String) throws -> ReleaseManifest {
    guard ReleaseName.isValid(channel) else {
      throw DeliveryError(.cannotPublish, "'\(channel)' cannot be the name of a channel")
    }
    let file = draftFile(channel)
    guard FileManager.default.fileExists(atPath: file.path) else {
      let known = try channels()
      throw DeliveryError(
        .cannotPublish,
        "there is no channel '\(channel)' (\(known.isEmpty ? "none yet" : known.joined(separator: ", "))); `runtime publish new-channel` makes one"
      )
    }
    return try Self.read(ReleaseManifest.self, file, "draft of a channel")
  }

  /// Returns the channels that have a draft.
  func channels() throws -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "drafts").path)) ?? []
    return names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
  }

  /// Returns the channels that have a published manifest.
  func publishedChannels() throws -> [String] {
    Self.list(host.appending(path: "channels")).filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
  }

  static func list(_ folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }
}
