import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import Foundation
import Logging
import Synchronization

/// Keeps the compiled forms of source models, so that a `.mlmodel` or `.mlpackage` is compiled once.
///
/// An entry is found by the digest of everything in the source and by the build of the runtime that compiled it: a source that was
/// changed, in whatever way, is compiled anew, and so is every source after the runtime was built anew. Reading gigabytes to find the digest is avoided where the file system vouches that nothing
/// changed since it was computed (same files, sizes, modification and change times, all of them older than that computation).
///
/// Any number of threads and processes may use one folder: entries appear whole, by renaming, and nothing depends on locks. Two that
/// compile the same source at the same time both do; the first stays.
///
/// An entry is used as long as the file system says the same of its files as when it was made; otherwise they are read again, and an entry
/// that is damaged is set aside and made anew. A folder that others could have written to, or that cannot be written, is not used: models
/// are compiled for their holder alone then, in a temporary folder, and that is told.
public struct CompiledModelCache: Sendable {
  /// The folder that the entries lie in.
  public let directory: URL
  /// What the entries depend on beside their source.
  public let runtimeVersion: String
  /// An entry that nobody asked for in this time is removed when another is added.
  public var unusedLifetime: Duration = .seconds(60 * 86_400)
  /// Bytes that all entries may take; when one is added, those used longest ago go. Nil for what the process allows
  /// (`RuntimeLimits.compiledSize`).
  public var sizeLimit: Int64?
  /// Told why compiled forms are not kept; logged by default.
  public var tell: @Sendable (String) -> Void = { Logger(label: "coreml.delivery").warning("\($0)") }

  let leases: LeaseTable
  /// The version, and which build of it.
  let build: String

  /// A cache in a folder, for the version of the runtime that compiles.
  ///
  /// - Parameter directory: created when needed; usually ``Places/compiledModels`` after ``Places/makeCache()``.
  public init(directory: URL, runtimeVersion: String) {
    self.init(directory: directory, runtimeVersion: runtimeVersion, build: RuntimeBuild.identity)
  }

  init(directory: URL, runtimeVersion: String, build: String) {
    self.directory = directory
    self.runtimeVersion = runtimeVersion
    self.build = "\(runtimeVersion) \(build)"
    leases = LeaseTable(folder: directory.appending(path: "leases", directoryHint: .isDirectory))
  }

  /// What lies beside a compiled model in its entry.
  struct Record: Codable {
    static let fileName = "entry.json"
    /// ``TreeDigest`` of the source, and of the compiled form.
    let source: String
    let compiled: String
    let runtimeVersion: String
    /// What the file system said of the compiled files when they were made, or last read.
    var stamp: ModelContents.Stamp?
  }

  /// The compiled form of a source model, kept or made now. One that is made for its caller alone, because nothing can be kept, stays until
  /// the process ends.
  ///
  /// - Parameters:
  ///   - source: a `.mlmodel` file or a `.mlpackage` folder.
  ///   - digest: ``TreeDigest`` of the source, where it is known and the source cannot change.
  ///   - compile: writes the compiled form of the source to the given path, where nothing stands yet.
  /// - Returns: a folder `<source's name>.mlmodelc` in the cache.
  /// - Throws: ``DeliveryError``, and what `compile` throws.
  public func compiledModel(for source: URL, digest: String? = nil, compile: (URL) throws -> Void) throws -> URL {
    let (url, lease) = try leasedModel(for: source, digest: digest, compile: compile)
    if !url.path.hasPrefix(directory.standardizedFileURL.path + "/") { Self.kept.withLock { $0.append(lease) } }
    return url
  }

  private static let kept = Mutex<[ModelLease]>([])

  /// The same, with a lease: as long as it lives, the compiled form is not removed.
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
    // What is compiled under a digest is what has it: a source may have been damaged since its digest was taken.
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

  /// Removes the compiled form of a source, if one is kept and nobody uses it.
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

// MARK: digests remembered

extension CompiledModelCache {
  private struct Remembered: Codable {
    let contents: ModelContents
    let digest: String
  }

  var digests: URL { directory.appending(path: "digests", directoryHint: .isDirectory) }

  /// ``TreeDigest`` of what stands at a path, remembered as long as the file system says that it did not change.
  package func digest(of source: URL) throws -> String { try digest(of: source, ModelContents(of: source)) }

  private func digest(of source: URL, _ contents: ModelContents) throws -> String {
    var sha = SHA256Digest()
    sha.append(field: source.standardizedFileURL.path)
    let remembered = digests.appending(path: "\(sha.hexadecimal()).json")
    if let record = try? DurableFile.read(json: Remembered.self, at: remembered), record.contents == contents {
      return record.digest
    }
    let digest = TreeDigest.digest(of: try contents.files(below: source))
    // A file that changes once more within its clock's tick would look the same: only files at rest are remembered.
    if contents.isAtRest(for: 2_000_000_000, at: WallClock.now), try ModelContents(of: source) == contents {
      // What cannot be remembered is found out again.
      try? DurableFile.write(json: Remembered(contents: contents, digest: digest), to: remembered)
    }
    return digest
  }
}

// MARK: age

extension CompiledModelCache {
  /// An entry: when it was last asked for, and what it takes.
  struct Entry {
    let url: URL
    let lastUse: Date
    let bytes: Int64
  }

  /// Removes the entries used longest ago until the others fit; one that somebody uses stays, and so does the newest, however large.
  private func keepToLimit(except entry: URL) {
    guard let limit = sizeLimit ?? (try? RuntimeLimits.inForce())?.compiledSize.map({ Int64($0) }) else { return }
    let all = entries()
    var total = all.reduce(0) { $0 + $1.bytes }
    for old in all.sorted(by: { $0.lastUse < $1.lastUse })
    where total > limit && old.url.lastPathComponent != entry.lastPathComponent {
      if (try? remove(old.url)) == true { total -= old.bytes }
    }
  }

  /// What an entry is the compiled form of: the source's name, and its digest; nil where the entry does not say.
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

  /// Removes an entry unless somebody has a lease on it; says whether it did.
  func remove(_ entry: URL) throws -> Bool {
    guard FileManager.default.fileExists(atPath: entry.path) else { return false }
    return try leases.remove(entry.lastPathComponent) { try FolderReplacement.discard(entry, through: directory) }
  }

  /// An entry's modification time is the time of its last use.
  private func markUsed(_ entry: URL) { _ = utimensat(AT_FDCWD, entry.path, nil, 0) }

  /// What interrupted processes left.
  func orphans() -> [URL] { Staging.orphans(in: directory) + Staging.orphans(in: digests) + leases.orphans() }

  /// Removes what nobody used for long and what interrupted processes left. What cannot be removed stays for the next time.
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
