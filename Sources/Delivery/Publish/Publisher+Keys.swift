import Foundation

/// What a key is for.
public enum KeyRole: String, Sendable, Hashable, CaseIterable {
  /// It signs roots, which say what all keys are for.
  case root
  /// It signs the manifests of channels.
  case release
  /// It signs freshness statements, and nothing else.
  case freshness
}

extension TrustRoot {
  /// Nil where the root does not know the role.
  public func role(_ role: KeyRole) -> Role? {
    switch role {
    case .root: roles.root
    case .release: roles.release
    case .freshness: roles.freshness
    }
  }
}

extension Publisher {
  /// Where the file of a key goes unless somebody says otherwise.
  public static func keyFile(of key: PublicKey, for role: KeyRole, in folder: URL) -> URL {
    let name = "\(key.id.prefix(16)).key"
    return folder.appending(path: role == .release ? "keys/\(name)" : "keys/\(role.rawValue)/\(name)")
  }

  /// Where the file of a key goes in this folder unless somebody says otherwise.
  public func keyFile(of key: PublicKey, for role: KeyRole) -> URL { Self.keyFile(of: key, for: role, in: folder) }

  /// A folder that its owner alone may look into.
  public static func makeKeyFolder(_ url: URL) throws { try DeliveryDirectories.makeFolder(url) }

  /// The files of private keys in the folder; none of them is decrypted.
  public func keyFiles() throws -> [SigningKeyFile] {
    try [keyFolder, keyFolder.appending(path: "root"), keyFolder.appending(path: "freshness")].flatMap { folder in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      return try names.filter { $0.hasSuffix(".key") }.sorted().map {
        try SigningKeyFile(folder.appending(path: $0))
      }
    }
  }

  /// The private keys in the folder that have a role in the newest root. Those that were removed from it are passed over.
  ///
  /// - Parameter passphrase: asked for once, and only where a key of the role is encrypted.
  /// - Throws: ``DeliveryError`` `badKey` when there is none.
  public func keys(
    for role: KeyRole = .release, passphrase: () throws -> Passphrase? = { nil }
  ) throws -> [SigningKey] {
    let ids = try root().role(role)?.keys ?? []
    let files = try keyFiles().filter { ids.contains($0.publicKey.id) }
    guard !files.isEmpty else {
      throw DeliveryError(
        .badKey, "no private key in the folder has the role '\(role.rawValue)'", file: keyFolder.path)
    }
    var phrase: Passphrase?
    return try files.map { file in
      try file.key {
        if phrase == nil { phrase = try passphrase() }
        return phrase
      }
    }
  }

  // MARK: what must not be uploaded

  /// - Throws: ``DeliveryError`` `badKey` for a place below the folder that a publisher uploads.
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

  /// Files in the folder that is uploaded which look like private keys.
  func keysWherePublic() -> [String] {
    let objects = "objects/"
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: host.path)) ?? []
    return names.filter { name in
      !name.hasPrefix(objects) && (name.hasSuffix(".key") || name.hasSuffix(".pem"))
    }.sorted()
  }
}
