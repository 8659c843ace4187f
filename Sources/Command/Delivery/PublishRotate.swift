import ArgumentParser
import CoreMLDelivery
import Foundation

struct PublishRotate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Publishes the next root: adds and removes keys, sets thresholds, renews its expiry.",
    discussion: """
      Enough root keys of the old root and of the new root must sign; a root with too few signatures waits for `publish sign-root`. A change \
      after which the available keys could not sign is refused. A removed key is invalid from then on; sign the channels again afterwards. \
      --floor resets the versions that devices have seen, in case a key was stolen and misused.
      """)

  @OptionGroup var options: PublishOptions
  @OptionGroup var signers: SigningKeyOptions
  @Flag(help: "Create a new release key and add it.")
  var newKey = false
  @Flag(help: "Create a new root key and add it; it also signs.")
  var newRootKey = false
  @Flag(help: "Create a new freshness key and add it: devices then require freshness statements.")
  var newFreshnessKey = false
  @Option(help: ArgumentHelp("Where a new root key is written; keys/root by default.", valueName: "folder"))
  var rootFolder: String?
  @Flag(help: "Prompt for a passphrase to encrypt new root and release keys, unless an option gives it.")
  var encrypt = false
  @Option(
    name: .customLong("add"),
    help: ArgumentHelp(
      "A key to add, and its role: root, release or freshness. May be repeated.", valueName: "role=key"))
  var added: [String] = []
  @Option(
    name: .customLong("remove"),
    help: ArgumentHelp(
      "A key to remove from all roles, by the start of its identifier. May be repeated.", valueName: "id"))
  var removed: [String] = []
  @Option(
    name: .customLong("held"),
    help: ArgumentHelp(
      "A key that is held elsewhere, by the start of its identifier. May be repeated.", valueName: "id"))
  var held: [String] = []
  @Option(parsing: .unconditional, help: "The number of release keys that must sign from now on.")
  var threshold: Int?
  @Option(parsing: .unconditional, help: "The number of root keys that must sign from now on.")
  var rootThreshold: Int?
  @Option(parsing: .unconditional, help: "The number of freshness keys that must sign from now on.")
  var freshnessThreshold: Int?
  @Flag(help: "Devices no longer require freshness statements.")
  var noFreshness = false
  @Option(
    help: ArgumentHelp("The minimum version of a channel that is valid from now on.", valueName: "channel=version"))
  var floor: [String] = []
  @Flag(help: "Only print the result.")
  var dryRun = false

  func run() throws {
    let publisher = try options.publisher()
    var signing = try signers.signers(publisher, for: .root)
    var new: [(role: KeyRole, key: SigningKey)] = []
    for (role, isWanted) in [(KeyRole.release, newKey), (.root, newRootKey), (.freshness, newFreshnessKey)]
    where isWanted { new.append((role, try SigningKey())) }
    let phrase = dryRun || new.isEmpty ? nil : try signers.phrases.newPassphrase(asking: encrypt)
    signing += new.filter { $0.role == .root }.map(\.key)
    var add = new.map { ($0.role, $0.key.publicKey) }
    for text in added { add.append(try Self.addition(text)) }
    var files: [(url: URL, key: PublicKey)] = []
    let change: Publisher.RootChange
    do {
      if !dryRun {
        for (role, key) in new {
          let file = place(key, role, publisher)
          try Publisher.makeKeyFolder(file.deletingLastPathComponent())
          try key.write(to: file, passphrase: role == .freshness ? nil : phrase)
          files.append((file, key.publicKey))
        }
      }
      let known = Set(try publisher.root().keys.keys).union(add.map(\.1.id))
      let elsewhere = try Set(held.map { try Self.find($0, in: known, "--held") } + new.map(\.key.publicKey.id))
      change = try publisher.changeRoot(with: signing, held: elsewhere, dryRun: dryRun) {
        try edit(&$0, adding: add, publisher)
      }
    } catch {
      // The root may be published already, and these files are the only copies of its keys.
      if let published = try? publisher.root() {
        for file in files where published.keys[file.key.id] == nil { unlink(file.url.path) }
      }
      throw error
    }
    try options.say(RootReport(change), RootReport.sentence(change, dryRun: dryRun))
  }

  private func place(_ key: SigningKey, _ role: KeyRole, _ publisher: Publisher) -> URL {
    let file = publisher.keyFile(of: key.publicKey, for: role)
    guard role == .root, let rootFolder else { return file }
    return URL(filePath: rootFolder).appending(path: file.lastPathComponent).standardizedFileURL
  }

  private func edit(_ root: inout TrustRoot, adding: [(KeyRole, PublicKey)], _ publisher: Publisher) throws {
    for prefix in removed {
      let id = try Self.find(prefix, in: Set(root.keys.keys), "--remove")
      root.keys[id] = nil
      root.roles.root.keys.remove(id)
      root.roles.release.keys.remove(id)
      root.roles.freshness?.keys.remove(id)
    }
    for (role, key) in adding {
      root.keys[key.id] = key
      switch role {
      case .root: root.roles.root.keys.insert(key.id)
      case .release: root.roles.release.keys.insert(key.id)
      case .freshness:
        var freshness = root.roles.freshness ?? TrustRoot.Role(keys: [], threshold: 1)
        freshness.keys.insert(key.id)
        root.roles.freshness = freshness
      }
    }
    if let threshold { root.roles.release.threshold = threshold }
    if let rootThreshold { root.roles.root.threshold = rootThreshold }
    if let freshnessThreshold { root.roles.freshness?.threshold = freshnessThreshold }
    if noFreshness { root.roles.freshness = nil }
    for text in floor {
      let parts = text.split(separator: "=")
      guard parts.count == 2, let version = Int(parts[1]) else {
        throw Failure(.usage, "--floor: expected a channel and a version such as stable=12, found '\(text)'")
      }
      let newest = try publisher.draft(String(parts[0])).version
      guard version <= newest else {
        throw Failure(
          .usage,
          "--floor \(text): expected \(newest) at most, the version of the channel: devices would refuse what is published"
        )
      }
      root.floors = (root.floors ?? [:]).merging([
        String(parts[0]): TrustRoot.Floor(version: version, since: root.version + 1)
      ]) { $1 }
    }
  }

  private static func addition(_ text: String) throws -> (KeyRole, PublicKey) {
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, let role = KeyRole(rawValue: parts[0]) else {
      throw Failure(.usage, "--add: expected a role and a key such as root=FILE, found '\(text)'")
    }
    return (role, try PublicKey(stated: parts[1]))
  }

  private static func find(_ prefix: String, in ids: Set<String>, _ option: String) throws -> String {
    let found = ids.filter { $0.hasPrefix(prefix) }
    guard found.count == 1, let id = found.first, prefix.count >= 8 else {
      throw Failure(.usage, "\(option): expected at least 8 digits of one key's identifier, found '\(prefix)'")
    }
    return id
  }
}

struct PublishSignRoot: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-root", abstract: "Adds missing signatures to a root, and publishes it when it has enough.")

  @OptionGroup var options: PublishOptions
  @OptionGroup var signers: SigningKeyOptions
  @Flag(help: "Only print the result.")
  var dryRun = false

  func run() throws {
    let publisher = try options.publisher()
    let change = try publisher.signRoot(with: signers.signers(publisher, for: .root), dryRun: dryRun)
    try options.say(RootReport(change), RootReport.sentence(change, dryRun: dryRun))
  }
}

/// The result of a change of the root.
struct RootReport: Encodable {
  let version: Int
  let keys: [KeyReport]
  let threshold: Int
  let rootThreshold: Int
  /// Missing signatures: by keys of the previous root, and by keys of this one.
  let missing: [Int]
  let published: Bool

  init(_ change: Publisher.RootChange) {
    (version, published) = (change.root.version, change.isPublished)
    keys = change.root.report()
    (threshold, rootThreshold) = (change.root.roles.release.threshold, change.root.roles.root.threshold)
    missing = [
      max(0, change.thresholds.old - change.signatures.old), max(0, change.thresholds.new - change.signatures.new),
    ]
  }

  static func sentence(_ change: Publisher.RootChange, dryRun: Bool) -> String {
    let root = change.root
    let roles = KeyRole.allCases.compactMap { role in
      root.role(role).map { "\(role.rawValue) \($0.threshold) of \($0.keys.count)" }
    }
    let what = "version \(root.version) of the root (\(roles.joined(separator: ", ")))"
    if change.isPublished {
      return "\(what) is published; sign the channels again\(root.roles.freshness == nil ? "" : ", and freshen them")"
    }
    if change.isComplete && dryRun { return "\(what) would be published" }
    return
      "\(what) waits for signatures: \(change.signatures.old) of \(change.thresholds.old) of the root before, \(change.signatures.new) of \(change.thresholds.new) of its own"
  }
}
