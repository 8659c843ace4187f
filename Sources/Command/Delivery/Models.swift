import ArgumentParser
import CoreML
import CoreMLDelivery
import Foundation

/// `runtime models`: what is installed, and under which names.
struct Models: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models",
    abstract: "Lists, installs and switches the models of this user.",
    discussion: """
      Models are kept once each, by the digest of their files; a name stands for one of them and remembers those before. DIGEST may be \
      shortened to what tells it from others, six digits at least.
      """,
    subcommands: [
      ModelsList.self, ModelsShow.self, ModelsInstall.self, ModelsUpdate.self, ModelsActivate.self, ModelsRemove.self,
      ModelsPin.self, ModelsUnpin.self, ModelsEncrypt.self, ModelsNewKey.self,
    ], defaultSubcommand: ModelsList.self)
}

/// The user's store, as all of these commands see it.
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

  /// Throws where a name is one of a channel that is followed: what the channel installs alone stands behind it.
  func requireOwn(_ name: String) throws {
    guard name.contains(":") else { return }
    for channel in (try? FollowedChannels(places).all()) ?? [] where name.hasPrefix("\(channel.name):") {
      throw Failure(
        .usage,
        "'\(name)' is a name of the channel \(channel.name), which `runtime channel` changes; expected another name")
    }
  }

  /// The digest that a name, a digest or the beginning of one means.
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

/// One installed model, as the commands tell of it.
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
