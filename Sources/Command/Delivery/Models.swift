import ArgumentParser
import CoreML
import CoreMLDelivery
import CoreMLModels
import Foundation

/// `runtime models`: the installed models and their names.
struct Models: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models",
    abstract: "Lists, installs and switches the models of this user.",
    discussion: """
      The store keeps each model once, under the digest of its files. A name points to one of them and remembers the previous ones. DIGEST \
      may be shortened to a unique prefix of at least six digits.
      """,
    subcommands: [
      ModelsList.self, ModelsShow.self, ModelsInstall.self, ModelsUpdate.self, ModelsActivate.self, ModelsRemove.self,
      ModelsPin.self, ModelsUnpin.self, ModelsEncrypt.self, ModelsNewKey.self,
    ], defaultSubcommand: ModelsList.self)
}

/// The user's store, shared by these commands.
struct UserStore {
  let places: DeliveryDirectories
  let store: ModelStore

  init() throws {
    places = try DeliveryDirectories()
    store = ModelStore(places)
  }

  func cache() throws -> CompiledModelCache {
    try places.makeCache()
    return try CompiledModels.cache(places)
  }

  func installer(_ configuration: MLModelConfiguration, _ trials: TrialPolicy) throws -> ModelInstaller {
    ModelInstaller(store: store, cache: try cache(), trials: trials) { configuration }
  }

  /// Throws if a name belongs to a followed channel: only the channel may change the model behind it.
  func requireOwn(_ name: String) throws {
    guard name.contains(":") else { return }
    for channel in (try? FollowedChannels(places).all()) ?? [] where name.hasPrefix("\(channel.name):") {
      throw Failure(
        .usage,
        "'\(name)' is a name of the channel \(channel.name), which `runtime channel` changes; expected another name")
    }
  }

  /// The digest for a name, a digest or the beginning of one.
  func digest(_ word: String) throws -> String {
    if TreeDigest.isDigest(word) { return try store.model(word).digest }
    if InstalledModels.isName(word), let model = try store.active(name: word) { return model.digest }
    let isPrefix = word.count >= 6 && word.utf8.allSatisfy { UnicodeScalar($0).properties.isASCIIHexDigit }
    let found = isPrefix ? try store.digests().filter { $0.hasPrefix(word.lowercased()) } : []
    guard found.count == 1, let digest = found.first else {
      throw Failure(
        .io,
        "\(word): expected the name or digest of a model in the store, found \(found.isEmpty ? "none" : "\(found.count)")"
      )
    }
    return digest
  }
}

/// One installed model, in the reports of the commands.
struct ModelReport: Encodable {
  let name: String?
  let digest: String?
  let form: String
  let origin: String?
  let bytes: Int64?
  let path: String
  let added: String?
  let pinned: Bool
  let versions: [Version]

  struct Version: Encodable {
    let digest: String
    let activated: String
    let present: Bool
  }

  init(_ model: InstalledModels.Model, _ store: ModelStore) throws {
    if let stored = model.stored {
      try self.init(stored, name: model.name, store)
    } else {
      self.init(byHand: model)
    }
  }

  private init(byHand model: InstalledModels.Model) {
    (name, digest, origin, bytes, added, pinned, versions) = (model.name, nil, nil, nil, nil, false, [])
    (form, path) = (model.url.pathExtension, model.url.path)
  }

  init(_ model: StoredModel, name: String?, _ store: ModelStore) throws {
    self.name = name
    digest = model.digest
    form = model.form.rawValue
    origin = model.origin.rawValue
    bytes = model.size
    path = model.url.path
    added = model.added.formatted(.iso8601)
    pinned = store.isPinned(model.digest)
    versions =
      try name.map { try store.versions(name: $0).versions }.map { versions in
        versions.map { version in
          Version(
            digest: version.digest, activated: version.activated.formatted(.iso8601),
            present: (try? store.model(version.digest)) != nil)
        }
      } ?? []
  }

  func say() {
    var rows = [["name", name ?? ""], ["form", form], ["path", path]]
    if let digest { rows.append(["digest", digest]) }
    if let origin { rows.append(["origin", origin]) }
    if let bytes { rows.append(["size", Console.bytes(Int(bytes))]) }
    if let added { rows.append(["added", added]) }
    if digest != nil { rows.append(["pinned", pinned ? "yes" : "no"]) }
    for (index, version) in versions.enumerated() {
      let note = index == 0 ? "active" : version.present ? "earlier" : "pruned"
      rows.append([
        index == 0 ? "versions" : "", "\(version.digest.prefix(16))  \(version.activated)  \(note)",
      ])
    }
    Console.say(Console.table(rows))
  }
}
