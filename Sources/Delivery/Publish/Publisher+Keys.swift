import Foundation

/// The purpose of a key.
public enum KeyRole: String, Sendable, Hashable, CaseIterable {
  /// Signs roots, which assign keys to roles.
  case root
  /// It signs the manifests of channels.
  case release
  /// Signs only freshness statements.
  case freshness
}

extension TrustRoot {
  /// Returns the keys and threshold of a role; nil if the root does not define the role.
  public func role(_ role: KeyRole) -> Role? {
    switch role {
    case .root: roles.root
    case .release: roles.release
    case .freshness: roles.freshness
    }
  }
}

extension Publisher {
  /// Returns the default path of a private key's file.
  public static func keyFile(of key: PublicKey, for role: KeyRole, in folder: URL) -> URL {
    let name = "\(key.id.prefix(16)).key"
    return folder.appending(path: role == .release ? "keys/\(name)" : "keys/\(role.rawValue)/\(name)")
  }

  /// Returns the default path of a private key's file in this folder.
  public func keyFile(of key: PublicKey, for role: KeyRole) -> URL { Self.keyFile(of: key, for: role, in: folder) }

  /// Creates a folder that only its owner can access.
  public static func makeKeyFolder(_ url: URL) throws { try DeliveryDirectories.makeFolder(url) }

  /// Returns the private key files in the folder, without decrypting them.
  public func keyFiles() throws -> [SigningKeyFile] {
    try [keyFolder, keyFolder.appending(path: "root"), keyFolder.appending(path: "freshness")].flatMap { folder in
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
  func keysWherePublic() -> [String] {
    let objects = "objects/"
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: host.path)) ?? []
    return names.filter { name in
      !name.hasPrefix(objects) && (name.hasSuffix(".key") || name.hasSuffix(".pem"))
    }.sorted()
  }
}
