import CoreMLSpec
import Foundation

/// Keeps the compiled forms of source models, so that a `.mlmodel` or `.mlpackage` is compiled once.
///
/// An entry is found by the digest of everything in the source and the version of the runtime that compiled it: a source that was
/// changed, in whatever way, is compiled anew. Reading gigabytes to find the digest is avoided where the file system vouches that nothing
/// changed since it was computed (same files, sizes, modification and change times, all of them older than that computation).
///
/// Any number of threads and processes may use one folder: entries appear whole, by renaming, and nothing is locked. Two that compile
/// the same source at the same time both do; the first stays.
public struct CompiledModelCache: Sendable {
  public let directory: URL
  /// What the entries depend on beside their source.
  public let runtimeVersion: String
  /// An entry that nobody asked for in this time is removed when another is added.
  public var unusedLifetime: Duration = .seconds(60 * 86_400)

  private static let partialLifetime = Duration.seconds(86_400)

  /// - Parameter directory: created when needed; usually ``Places/compiledModels`` after ``Places/makeCache()``.
  public init(directory: URL, runtimeVersion: String) {
    self.directory = directory
    self.runtimeVersion = runtimeVersion
  }

  /// The compiled form of a source model, kept or made now.
  ///
  /// - Parameters:
  ///   - source: a `.mlmodel` file or a `.mlpackage` folder.
  ///   - compile: writes the compiled form of the source to the given path, where nothing stands yet.
  /// - Returns: a folder `<source's name>.mlmodelc` in the cache.
  /// - Throws: ``DeliveryError``, and what `compile` throws.
  public func compiledModel(for source: URL, compile: (URL) throws -> Void) throws -> URL {
    let (contents, key) = try key(of: source)
    let name = "\(source.deletingPathExtension().lastPathComponent).mlmodelc"
    let entry = directory.appending(path: key, directoryHint: .isDirectory)
    let compiled = entry.appending(path: name, directoryHint: .isDirectory)
    if FileManager.default.fileExists(atPath: compiled.path) {
      markUsed(entry)
      return compiled
    }
    let draft = directory.appending(
      path: ".\(String(UInt64.random(in: .min ... .max), radix: 36)).partial", directoryHint: .isDirectory)
    try Places.makeFolder(draft)
    do {
      try compile(draft.appending(path: name, directoryHint: .isDirectory))
      guard try ModelContents(of: source) == contents else {
        throw DeliveryError(.unreadable, "the model was changed while it was compiled", file: source.path)
      }
      if try !FolderReplacement.installIfAbsent(entry, with: draft) { try FolderReplacement.remove(draft) }
    } catch {
      try? FileManager.default.removeItem(at: draft)
      throw error
    }
    removeUnused(except: entry)
    return compiled
  }

  /// Removes the compiled form of a source, if one is kept.
  public func removeCompiledModel(for source: URL) throws {
    let entry = directory.appending(path: try key(of: source).key, directoryHint: .isDirectory)
    if FileManager.default.fileExists(atPath: entry.path) { try FolderReplacement.remove(entry) }
  }

  private func key(of source: URL) throws -> (contents: ModelContents, key: String) {
    let contents = try ModelContents(of: source)
    var sha = SHA256()
    sha.append(field: runtimeVersion)
    sha.append(field: source.deletingPathExtension().lastPathComponent)
    sha.append(field: try digest(of: source, contents))
    return (contents, sha.hexadecimal())
  }
}

// MARK: digests remembered

extension CompiledModelCache {
  private struct Record: Codable {
    let contents: ModelContents
    let digest: String
  }

  private func digest(of source: URL, _ contents: ModelContents) throws -> String {
    var sha = SHA256()
    sha.append(field: source.standardizedFileURL.path)
    let remembered = directory.appending(path: "digests/\(sha.hexadecimal()).json")
    if let data = FileManager.default.contents(atPath: remembered.path),
      let record = try? JSONDecoder().decode(Record.self, from: data), record.contents == contents
    {
      return record.digest
    }
    let digest = try contents.digest(below: source)
    // A file that changes once more within its clock's tick would look the same: only files at rest are remembered.
    let now = Int64(Date().timeIntervalSince1970 * 1e9)
    if contents.newestChange < now - 2_000_000_000, try ModelContents(of: source) == contents {
      try remember(Record(contents: contents, digest: digest), at: remembered)
    }
    return digest
  }

  private func remember(_ record: Record, at url: URL) throws {
    try Places.makeFolder(url.deletingLastPathComponent())
    do {
      let writer = try FileWriter(path: url.path)
      try writer.append(Array(try JSONEncoder().encode(record)))
      try writer.commit()
    } catch let error as SpecError {
      throw DeliveryError(.unwritable, error.message, file: error.file)
    }
  }
}

// MARK: age

extension CompiledModelCache {
  /// An entry's modification time is the time of its last use.
  private func markUsed(_ entry: URL) { _ = utimensat(AT_FDCWD, entry.path, nil, 0) }

  /// Removes what nobody used for long and what an interrupted compilation left. What cannot be removed stays for the next time.
  private func removeUnused(except entry: URL) {
    let folders = [directory, directory.appending(path: "digests")]
    for folder in folders {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] where name != "digests" {
        let url = folder.appending(path: name)
        var status = stat()
        guard url.lastPathComponent != entry.lastPathComponent, lstat(url.path, &status) == 0 else { continue }
        let age = Duration.seconds(time(nil) - status.st_mtim.tv_sec)
        if age > (name.hasSuffix(".partial") ? Self.partialLifetime : unusedLifetime) {
          try? FileManager.default.removeItem(at: url)
        }
      }
    }
  }
}
