import ArgumentParser
import CoreMLDelivery
import Foundation

/// The signing keys: files, or other programs that hold keys.
struct SigningKeyOptions: ParsableArguments {
  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "A private key, or a folder of them. May be repeated; those in the publisher's folder by default.",
      valueName: "file"),
    completion: .file(extensions: ["key"]))
  var files: [String] = []
  @Option(
    name: .customLong("sign-command"),
    help: ArgumentHelp(
      "A shell command with access to a key: it reads the exact bytes from standard input and writes the signature. May be repeated.",
      valueName: "command"))
  var commands: [String] = []
  @Option(
    name: .customLong("sign-key"),
    help: ArgumentHelp("The public key of each --sign-command: a file, hexadecimal or base64.", valueName: "key"))
  var commandKeys: [String] = []
  @OptionGroup var phrases: PassphraseOptions

  func validate() throws {
    guard commands.count == commandKeys.count else {
      throw ValidationError("Expected one --sign-key for each --sign-command.")
    }
  }

  var isEmpty: Bool { files.isEmpty && commands.isEmpty }

  /// The keys that options name.
  func named() throws -> [any DocumentSigner] {
    var phrase: Passphrase?
    let keys: [any DocumentSigner] = try files.flatMap { try Self.list(URL(filePath: $0)) }.map { file in
      try SigningKeyFile(file).key {
        if phrase == nil { phrase = try phrases.passphrase() }
        return phrase
      }
    }
    return keys
      + (try zip(commands, commandKeys).map { CommandSigner(command: $0, publicKey: try PublicKey(stated: $1)) })
  }

  /// The keys that options name, or the role's keys in the publisher's folder.
  func signers(_ publisher: Publisher, for role: KeyRole) throws -> [any DocumentSigner] {
    isEmpty ? try publisher.keys(for: role) { try phrases.passphrase() } : try named()
  }

  private static func list(_ url: URL) throws -> [URL] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue else {
      return [url]
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    let keys = names.filter { $0.hasSuffix(".key") }.sorted().map { url.appending(path: $0) }
    guard !keys.isEmpty else {
      throw DeliveryError(.badKey, "expected a folder with private keys (*.key), found none", file: url.path)
    }
    return keys
  }
}

/// The report about a key.
struct KeyReport: Encodable {
  let id: String
  let role: String?
  /// Base64 in JSON.
  let `public`: Data
  let file: String?

  init(_ key: PublicKey, role: KeyRole? = nil, file: URL? = nil) {
    (id, self.role, self.public, self.file) = (key.id, role?.rawValue, key.bytes, file?.path)
  }
}
