import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import Foundation
import Logging
import Synchronization

/// A cache of compiled models, so that a `.mlmodel` or `.mlpackage` is compiled only once.
///
/// The key of an entry is the digest of the source and the build of the runtime. Any change of either causes a new
/// compilation. The digest is remembered, so the source is not read again while its files, sizes, modification times
/// and change times are unchanged.
///
/// Threads and processes may use one folder concurrently. Entries appear atomically by renaming, and correctness does
/// not depend on locks. If two compile one source concurrently, the first result is kept.
///
/// Entries with unchanged file metadata are used without reading them. Otherwise they are read, and a damaged entry is
/// set aside and recreated. A folder that is not writable, or that other users could have written to, is not used.
/// Models are then compiled to a private temporary folder, and this is reported.
public struct CompiledModelCache: Sendable {
  /// The folder of the entries.
  public let directory: URL
  /// The runtime version, which is part of the entries' keys.
  public let runtimeVersion: String
  /// Entries not used for this time are removed when another one is added.
  public var unusedLifetime: Duration = .seconds(60 * 86_400)
  /// The maximum total size of the entries in bytes. When an entry is added, the least recently used ones are removed.
  /// Nil for the process's limit (`RuntimeLimits.compiledSize`).
  public var sizeLimit: Int64?
  /// Called with the reason when compiled models cannot be cached; by default it writes to the log.
  public var tell: @Sendable (String) -> Void = { Logger(label: "coreml.delivery").warning("\($0)") }

  let leases: LeaseTable
  /// The runtime version and build.
  let build: String

  /// Creates a cache in a folder for a version of the runtime.
  ///
  /// - Parameter directory: created on demand; usually ``DeliveryDirectories/compiledModels`` after
  ///   ``DeliveryDirectories/makeCache()``.
  public init(directory: URL, runtimeVersion: String) {
    self.init(directory: directory, runtimeVersion: runtimeVersion, build: RuntimeBuild.identity)
  }

  init(directory: URL, runtimeVersion: String, build: String) {
    self.directory = directory
    self.runtimeVersion = runtimeVersion
    self.build = "\(runtimeVersion) \(build)"
    leases = LeaseTable(folder: directory.appending(path: "leases", directoryHint: .isDirectory))
  }

  /// The record stored with a compiled model in its entry.
  struct Record: Codable {
    static let fileName = "entry.json"
    /// The ``TreeDigest`` of the source, and below that of the compiled model.
    let source: String
    let compiled: String
    let runtimeVersion: String
    /// The metadata of the compiled files when they were created or last verified.
    var stamp: ModelContents.Stamp?
  }

  /// Returns the compiled model of a source, from the cache or compiled now. If it cannot be cached, it remains in a
  /// temporary folder until the process ends.
  ///
  /// - Parameters:
  ///   - source: a `.mlmodel` file or a `.mlpackage` folder.
  ///   - digest: the ``TreeDigest`` of the source, if it is known and the source is immutable.
  ///   - compile: compiles the source to the given path, where nothing exists yet.
  /// - Returns: a folder `<source's name>.mlmodelc`.
  /// - Throws: ``DeliveryError``, and the errors of `compile`.
  public func compiledModel(for source: URL, digest: String? = nil, compile: (URL) throws -> Void) throws -> URL {
    let (url, lease) = try leasedModel(for: source, digest: digest, compile: compile)
    if !url.path.hasPrefix(directory.standardizedFileURL.path + "/") { Self.kept.withLock { $0.append(lease) } }
    return url
  }

  private static let kept = Mutex<[ModelLease]>([])

  /// Returns the compiled model of a source with a lease, which protects it from removal.
  public func leasedModel(
    for source: URL, digest known: String? = nil, compile: (URL) throws -> Void
  ) throws -> (url: URL, lease: ModelLease) {
    do {
      try requireTrustedFolders()
      return try keptModel(for: source, digest: known, compile)
    } catch  where Self.isTrouble(error) {
      let temporary = FileManager.default.temporaryDirectory
      StagingFolder.removeOrphans(in: temporary)
      let folder = try StagingFolder(in: temporary)
      let target = folder.url.appending(path: Self.name(of: source), directoryHint: .isDirectory)
      try compile(target)
      tellOnce("the compiled model is not kept: \(Self.sentence(of: error))")
      return (target, ModelLease(nil, holding: folder))
    }
  }

  private func keptModel(
    for source: URL, digest known: String?, _ compile: (URL) throws -> Void
  ) throws -> (url: URL, lease: ModelLease) {
    let contents = try known == nil ? ModelContents(of: source) : nil
    let digest = try known ?? contents.map { try self.digest(of: source, $0) } ?? ""
    let entry = entry(of: source, digest)
    let lease = try leases.lease(entry.lastPathComponent)
    let name = Self.name(of: source)
    let compiled = entry.appending(path: name, directoryHint: .isDirectory)
    if try isWhole(entry, compiled) {
      markUsed(entry)
      return (compiled, ModelLease(lease, on: entry))
    }
    // The source may have been damaged since its digest was computed, so it is verified before the compilation.
    if known != nil, FileManager.default.fileExists(atPath: source.path) {
      let found = try TreeDigest.digest(of: source)
      guard found == digest else {
        throw DeliveryError(
          .damagedModel, "the model is damaged: expected the digest \(digest), found \(found)", file: source.path)
      }
    }
    let draft = try StagingFolder(in: directory)
    let target = draft.url.appending(path: name, directoryHint: .isDirectory)
    try compile(target)
    guard try contents == nil || ModelContents(of: source) == contents else {
      throw DeliveryError(.unreadable, "the model was changed while it was compiled", file: source.path)
    }
    try DeliveryDirectories.keepToOwner(draft.url)
    let stamp = ModelContents.Stamp(try ModelContents(of: target))
    let record = Record(
      source: digest, compiled: try TreeDigest.digest(of: target), runtimeVersion: runtimeVersion, stamp: stamp)
    try DurableFile.write(json: record, to: draft.url.appending(path: Record.fileName))
    _ = try withExtendedLifetime(draft) { try FolderReplacement.installIfAbsent(entry, with: draft.url) }
    removeUnused(except: entry)
    return (compiled, ModelLease(lease, on: entry))
  }

  private static func name(of source: URL) -> String { "\(source.deletingPathExtension().lastPathComponent).mlmodelc" }

  /// Removes the compiled model of a source, if it exists and is not in use.
  public func removeCompiledModel(for source: URL, digest known: String? = nil) throws {
    let digest = try known ?? digest(of: source, ModelContents(of: source))
    _ = try remove(entry(of: source, digest))
  }

  private func entry(of source: URL, _ digest: String) -> URL {
    let key = CacheKey.compiled(
      digest, named: source.deletingPathExtension().lastPathComponent, runtime: build)
    return directory.appending(path: key.text, directoryHint: .isDirectory)
  }
}

// MARK: remembered digests

extension CompiledModelCache {
  private struct Remembered: Codable {
    let contents: ModelContents
    let digest: String
  }

  var digests: URL { directory.appending(path: "digests", directoryHint: .isDirectory) }

  /// Returns the ``TreeDigest`` of the item at a path. It is remembered while the file metadata is unchanged.
  package func digest(of source: URL) throws -> String { try digest(of: source, ModelContents(of: source)) }

  private func digest(of source: URL, _ contents: ModelContents) throws -> String {
    var sha = SHA256Digest()
    sha.append(field: source.standardizedFileURL.path)
    let remembered = digests.appending(path: "\(sha.hexadecimal()).json")
    if let record = try? DurableFile.read(json: Remembered.self, at: remembered), record.contents == contents {
      return record.digest
    }
    let digest = TreeDigest.digest(of: try contents.files(below: source))
    // A second change within one tick of the file system's clock is undetectable. So digests are remembered only for
    // files that have not changed recently.
    if contents.isAtRest(for: 2_000_000_000, at: WallClock.now), try ModelContents(of: source) == contents {
      // If the digest cannot be stored, it is computed again next time.
      try? DurableFile.write(json: Remembered(contents: contents, digest: digest), to: remembered)
    }
    return digest
  }
}

// MARK: age

extension CompiledModelCache {
  /// An entry with its time of last use and its size on disk.
  struct Entry {
    let url: URL
    let lastUse: Date
    let bytes: Int64
  }

  /// Removes the least recently used entries until the limit is met. Leased entries and the newest one remain.
  private func keepToLimit(except entry: URL) {
    guard let limit = sizeLimit ?? (try? RuntimeLimits.inForce())?.compiledSize.map({ Int64($0) }) else { return }
    let all = entries()
    var total = all.reduce(0) { $0 + $1.bytes }
    for old in all.sorted(by: { $0.lastUse < $1.lastUse })
    where total > limit && old.url.lastPathComponent != entry.lastPathComponent {
      if (try? remove(old.url)) == true { total -= old.bytes }
    }
  }

  /// Returns the name and digest of the source of an entry; nil if the entry does not state them.
  func source(of entry: URL) -> (name: String?, digest: String?) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: entry.path)) ?? []
    let name = names.sorted().first { $0.hasSuffix(".mlmodelc") }.map { String($0.dropLast(".mlmodelc".count)) }
    let record = try? DurableFile.read(json: Record.self, at: entry.appending(path: Record.fileName))
    return (name, record.flatMap { $0 }?.source)
  }

  func entries() -> [Entry] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return names.filter(TreeDigest.isDigest).sorted().compactMap { name in
      let url = directory.appending(path: name, directoryHint: .isDirectory)
      guard let used = DiskUse.modified(url) else { return nil }
      return Entry(url: url, lastUse: used, bytes: DiskUse.bytes(of: url))
    }
  }

  /// Removes an entry unless it is leased. Returns whether it was removed.
  func remove(_ entry: URL) throws -> Bool {
    guard FileManager.default.fileExists(atPath: entry.path) else { return false }
    return try leases.remove(entry.lastPathComponent) { try FolderReplacement.discard(entry, through: directory) }
  }

  /// The modification time of an entry is its time of last use.
  private func markUsed(_ entry: URL) { _ = utimensat(AT_FDCWD, entry.path, nil, 0) }

  /// Returns the leftovers of interrupted processes.
  func orphans() -> [URL] { Staging.orphans(in: directory) + Staging.orphans(in: digests) + leases.orphans() }

  /// Removes entries not used for a long time and leftovers of interrupted processes. Items that cannot be removed
  /// remain until the next call.
  private func removeUnused(except entry: URL) {
    for url in orphans() { try? FileManager.default.removeItem(at: url) }
    func isOld(_ url: URL) -> Bool {
      DiskUse.modified(url).map { Duration.seconds(Date().timeIntervalSince($0)) > unusedLifetime } ?? false
    }
    for name in (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    where TreeDigest.isDigest(name) && name != entry.lastPathComponent {
      let url = directory.appending(path: name, directoryHint: .isDirectory)
      if isOld(url) { _ = try? remove(url) }
    }
    keepToLimit(except: entry)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: digests.path)) ?? [] {
      let url = digests.appending(path: name)
      if isOld(url) { try? FileManager.default.removeItem(at: url) }
    }
  }
}
