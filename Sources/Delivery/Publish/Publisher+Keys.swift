import Foundation

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
  public func keyFiles() throws -> [SigningKeyFile] { try PublisherKeys(files: files).all() }

  /// Returns the private keys in the folder that have a role in the newest root. Keys removed from the root are
  /// ignored.
  ///
  /// - Parameter passphrase: called at most once, and only if a key of the role is encrypted.
  /// - Throws: ``DeliveryError`` `badKey` if there is no such key.
  public func keys(
    for role: KeyRole = .release, passphrase: () throws -> Passphrase? = { nil }
  ) throws -> [SigningKey] {
    try PublisherKeys(files: files).keys(for: role, passphrase: passphrase)
  }
}
