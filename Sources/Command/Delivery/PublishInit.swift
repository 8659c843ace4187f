import ArgumentParser
import CoreMLDelivery
import Foundation

struct PublishInit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Creates a publisher's folder with keys for each role and the first root.",
    discussion: """
      Root keys sign only the list of keys. Keep them offline: all commands except rotate work without them. Release keys sign channels. \
      Freshness keys, which are optional, sign an hourly statement that no newer manifest is withheld. Keys of a role are created unless they \
      are given; --root-folder is the folder for new root keys.
      """)

  @OptionGroup var options: PublishOptions
  @Option(help: "The repository's name, which distinguishes its documents from others.")
  var name: String
  @Option(parsing: .unconditional, help: "The number of release keys to create.")
  var keys = 1
  @Option(parsing: .unconditional, help: "The number of release keys that must sign.")
  var threshold = 1
  @Option(parsing: .unconditional, help: "The number of root keys to create.")
  var rootKeys = 1
  @Option(parsing: .unconditional, help: "The number of root keys that must sign.")
  var rootThreshold = 1
  @Option(help: ArgumentHelp("Where new root keys are written; keys/root by default.", valueName: "folder"))
  var rootFolder: String?
  @Flag(help: "Create a freshness key: devices then require a freshness statement that is at most some hours old.")
  var freshness = false
  @Option(help: ArgumentHelp("A public or private key for releases. May be repeated.", valueName: "key"))
  var releaseKey: [String] = []
  @Option(help: ArgumentHelp("A public or private key for freshness statements. May be repeated.", valueName: "key"))
  var freshnessKey: [String] = []
  @OptionGroup var root: SigningKeyOptions
  @Flag(help: "Prompt for a passphrase to encrypt new root and release keys, unless an option gives it.")
  var encrypt = false
  @Option(
    parsing: .unconditional,
    help: "Days until a signed manifest expires; by default devices trust none for more than 90.")
  var days = 30
  @Option(parsing: .unconditional, help: "Days until a root expires.")
  var rootDays = 730
  @Option(parsing: .unconditional, help: "Hours until a freshness statement expires.")
  var freshnessHours = 48

  private struct Report: Encodable {
    let folder: String
    let root: String
    let keys: [KeyReport]
  }

  func validate() throws {
    guard (1...3650).contains(days), (1...36_500).contains(rootDays), (1...336).contains(freshnessHours) else {
      throw ValidationError("Expected 1 to 3650 days for manifests, up to 36500 for roots, and 1 to 336 hours.")
    }
    guard (1...16).contains(keys), (1...16).contains(rootKeys) else {
      throw ValidationError("Expected 1 to 16 keys.")
    }
  }

  func run() throws {
    let (folder, now) = (options.url, try options.now())
    try Publisher.requireNone(folder)
    var new: [(key: SigningKey, role: KeyRole)] = []
    func make(_ count: Int, _ role: KeyRole) throws -> [SigningKey] {
      let keys = try (0..<count).map { _ in try SigningKey() }
      new += keys.map { ($0, role) }
      return keys
    }
    let roots: [any DocumentSigner] = root.isEmpty ? try make(rootKeys, .root) : try root.named()
    let releases =
      releaseKey.isEmpty
      ? try make(keys, .release).map(\.publicKey) : try releaseKey.map { try PublicKey(stated: $0) }
    let fresh =
      freshnessKey.isEmpty
      ? try make(freshness ? 1 : 0, .freshness).map(\.publicKey) : try freshnessKey.map { try PublicKey(stated: $0) }
    let phrase = try root.phrases.newPassphrase(asking: encrypt)
    // Keys are written first, so that no document exists without its keys.
    let written = try write(new, phrase)
    do {
      let publisher = try Publisher.create(
        at: folder,
        settings: .init(
          repository: name, manifestLifetime: Int64(days) * 86_400, rootLifetime: Int64(rootDays) * 86_400,
          statementLifetime: Int64(freshnessHours) * 3600),
        roles: InitialRoles(
          root: roots, rootThreshold: rootThreshold, release: releases, releaseThreshold: threshold, freshness: fresh),
        now: now)
      let first = publisher.host.appending(path: "root/1.json").path
      let report = try publisher.root().report(files: written)
      try options.say(
        Report(folder: publisher.folder.path, root: first, keys: report),
        sentence(written, first))
    } catch {
      for file in written.values { unlink(file.path) }
      throw error
    }
  }

  private func write(_ new: [(key: SigningKey, role: KeyRole)], _ phrase: Passphrase?) throws -> [String: URL] {
    var written: [String: URL] = [:]
    do {
      for (key, role) in new {
        var file = Publisher.keyFile(of: key.publicKey, for: role, in: options.url)
        if role == .root, let rootFolder { file = URL(filePath: rootFolder).appending(path: file.lastPathComponent) }
        try Publisher.makeKeyFolder(file.deletingLastPathComponent())
        // Freshness is signed every hour without a person who could type a passphrase.
        try key.write(to: file.standardizedFileURL, passphrase: role == .freshness ? nil : phrase)
        written[key.publicKey.id] = file.standardizedFileURL
      }
    } catch {
      for file in written.values { unlink(file.path) }
      throw error
    }
    return written
  }

  private func sentence(_ files: [String: URL], _ first: String) -> String {
    let folders = Set(files.values.map { $0.deletingLastPathComponent().path }).sorted()
    let keys = folders.isEmpty ? "" : "\(files.count) private keys are in \(folders.joined(separator: ", ")). "
    return keys + "Keep those of the root where no network reaches. Give \(first) to devices."
  }
}

extension TrustRoot {
  /// The keys of each role.
  func report(files: [String: URL] = [:]) -> [KeyReport] {
    KeyRole.allCases.flatMap { role in
      (self.role(role)?.keys.sorted() ?? []).compactMap { id in
        keys[id].map { KeyReport($0, role: role, file: files[id]) }
      }
    }
  }
}
