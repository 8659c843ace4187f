import Foundation

/// The private keys in a publisher's folder.
struct PublisherKeys {
  let files: PublisherFiles
  var folder: URL { files.folder.appending(path: "keys", directoryHint: .isDirectory) }

  /// Returns the private key files in the folder, without decrypting them.
  func all() throws -> [SigningKeyFile] {
    try [folder, folder.appending(path: "root"), folder.appending(path: "freshness")].flatMap { folder in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      return try names.filter { $0.hasSuffix(".key") }.sorted().map {
        try SigningKeyFile(folder.appending(path: $0))
      }
    }
  }

  /// Returns the private keys in the folder that have a role in the newest root. Keys removed from the root are
  /// ignored.
  ///
  /// - Parameter passphrase: called at most once, and only if a key of the role is encrypted.
  /// - Throws: ``DeliveryError`` `badKey` if there is no such key.
  func keys(for role: KeyRole, passphrase: () throws -> Passphrase?) throws -> [SigningKey] {
    let ids = try files.root().role(role)?.keys ?? []
    let own = try all().filter { ids.contains($0.publicKey.id) }
    guard !own.isEmpty else {
      throw DeliveryError(
        .badKey, "no private key in the folder has the role '\(role.rawValue)'", file: folder.path)
    }
    var phrase: Passphrase?
    return try own.map { file in
      try file.key {
        if phrase == nil { phrase = try passphrase() }
        return phrase
      }
    }
  }

  // MARK: private keys in the published folder

  /// - Throws: ``DeliveryError`` `badKey` if the path is below a publisher's `public` folder.
  static func refuseWherePublic(_ file: URL) throws {
    var folder = file.deletingLastPathComponent().standardizedFileURL.resolvingSymlinksInPath()
    while folder.path.count > 1 {
      let parent = folder.deletingLastPathComponent()
      if folder.lastPathComponent == "public",
        FileManager.default.fileExists(atPath: folder.appending(path: "root.json").path)
          || FileManager.default.fileExists(atPath: parent.appending(path: "publisher.json").path)
      {
        throw DeliveryError(.badKey, "a private key must not lie where everybody can fetch it", file: file.path)
      }
      folder = parent
    }
  }

  /// Returns files in the published folder that look like private keys.
  func filesWherePublic() -> [String] {
    let objects = "objects/"
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: files.host.path)) ?? []
    return names.filter { name in
      !name.hasPrefix(objects) && (name.hasSuffix(".key") || name.hasSuffix(".pem"))
    }.sorted()
  }
}
