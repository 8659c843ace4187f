import CoreMLSpec
import Foundation

/// Keeps the compiled forms of source models, so that a `.mlmodel` or `.mlpackage` is compiled once.
///
/// An entry is found by the digest of everything in the source and by the build of the runtime that compiled it: a source that was
/// changed, in whatever way, is compiled anew, and so is every source after the runtime was built anew. Reading gigabytes to find the digest is avoided where the file system vouches that nothing
/// changed since it was computed (same files, sizes, modification and change times, all of them older than that computation).
///
/// Any number of threads and processes may use one folder: entries appear whole, by renaming, and nothing depends on locks. Two that
/// compile the same source at the same time both do; the first stays.
public struct CompiledModelCache: Sendable {
  public let directory: URL
  /// What the entries depend on beside their source.
  public let runtimeVersion: String
  /// An entry that nobody asked for in this time is removed when another is added.
  public var unusedLifetime: Duration = .seconds(60 * 86_400)

  let leases: LeaseBook
  /// The version, and which build of it.
  let build: String

  /// - Parameter directory: created when needed; usually ``Places/compiledModels`` after ``Places/makeCache()``.
  public init(directory: URL, runtimeVersion: String) {
    self.init(directory: directory, runtimeVersion: runtimeVersion, build: RuntimeBuild.identity)
  }

  init(directory: URL, runtimeVersion: String, build: String) {
    self.directory = directory
    self.runtimeVersion = runtimeVersion
    self.build = "\(runtimeVersion) \(build)"
    leases = LeaseBook(folder: directory.appending(path: "leases", directoryHint: .isDirectory))
  }

  /// What lies beside a compiled model in its entry.
  struct Record: Codable {
    static let fileName = "entry.json"
    /// ``TreeDigest`` of the source, and of the compiled form.
    let source: String
    let compiled: String
    let runtimeVersion: String
  }

  /// The compiled form of a source model, kept or made now.
  ///
  /// - Parameters:
  ///   - source: a `.mlmodel` file or a `.mlpackage` folder.
  ///   - digest: ``TreeDigest`` of the source, where it is known and the source cannot change.
  ///   - compile: writes the compiled form of the source to the given path, where nothing stands yet.
  /// - Returns: a folder `<source's name>.mlmodelc` in the cache.
  /// - Throws: ``DeliveryError``, and what `compile` throws.
  public func compiledModel(for source: URL, digest: String? = nil, compile: (URL) throws -> Void) throws -> URL {
    try leasedModel(for: source, digest: digest, compile: compile).url
  }

  /// The same, with a lease: as long as it lives, the compiled form is not removed.
  public func leasedModel(
    for source: URL, digest known: String? = nil, compile: (URL) throws -> Void
  ) throws -> (url: URL, lease: ModelLease) {
    let contents = try known == nil ? ModelContents(of: source) : nil
    let digest = try known ?? contents.map { try self.digest(of: source, $0) } ?? ""
    let entry = entry(of: source, digest)
    let lease = try leases.lease(entry.lastPathComponent)
    let name = "\(source.deletingPathExtension().lastPathComponent).mlmodelc"
    let compiled = entry.appending(path: name, directoryHint: .isDirectory)
    if FileManager.default.fileExists(atPath: compiled.path) {
      markUsed(entry)
      return (compiled, lease)
    }
    let draft = URL(filePath: Staging.name(in: directory).path, directoryHint: .isDirectory)
    try Places.makeFolder(draft)
    do {
      let target = draft.appending(path: name, directoryHint: .isDirectory)
      try compile(target)
      guard try contents == nil || ModelContents(of: source) == contents else {
        throw DeliveryError(.unreadable, "the model was changed while it was compiled", file: source.path)
      }
      let record = Record(source: digest, compiled: try TreeDigest.digest(of: target), runtimeVersion: runtimeVersion)
      try DurableFile.write(json: record, to: draft.appending(path: Record.fileName))
      if try !FolderReplacement.installIfAbsent(entry, with: draft) { try FolderReplacement.remove(draft) }
    } catch {
      try? FileManager.default.removeItem(at: draft)
      throw error
    }
    removeUnused(except: entry)
    return (compiled, lease)
  }

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
  func digest(of source: URL) throws -> String { try digest(of: source, ModelContents(of: source)) }

  private func digest(of source: URL, _ contents: ModelContents) throws -> String {
    var sha = SHA256()
    sha.append(field: source.standardizedFileURL.path)
    let remembered = digests.appending(path: "\(sha.hexadecimal()).json")
    if let record = try? DurableFile.read(json: Remembered.self, at: remembered), record.contents == contents {
      return record.digest
    }
    let digest = TreeDigest.digest(of: try contents.files(below: source))
    // A file that changes once more within its clock's tick would look the same: only files at rest are remembered.
    let now = Int64(Date().timeIntervalSince1970 * 1e9)
    if contents.newestChange < now - 2_000_000_000, try ModelContents(of: source) == contents {
      try DurableFile.write(json: Remembered(contents: contents, digest: digest), to: remembered)
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
    for name in (try? FileManager.default.contentsOfDirectory(atPath: digests.path)) ?? [] {
      let url = digests.appending(path: name)
      if isOld(url) { try? FileManager.default.removeItem(at: url) }
    }
  }
}
