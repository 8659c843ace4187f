import CoreMLBase
import CoreMLSpec
import Foundation
import Synchronization

/// Fetches the content of a release and assembles its tree in a private folder, from a delta or from whole files.
///
/// Files already on this device, in an older model or in the baseline, are not fetched again. So an update of only the
/// weights costs only the bytes of the weights, even if the older weights are truncated.
final class PayloadFetch: Sendable {
  /// A delta base: an older tree on this device whose files can be reused. File paths are relative to `folder`.
  struct Base: Sendable {
    let folder: URL
    /// The tree digest; nil if it is unknown.
    let tree: String?
  }

  let hosts: [URL]
  let downloader: Downloader
  let downloads: URL
  let tell: @Sendable (ChannelEvent) -> Void
  let model: String
  let release: Int
  /// The number of bytes fetched, without golden inputs and outputs.
  private let done = Mutex<Int64>(0)

  init(
    _ release: Release, of model: String, hosts: [URL], downloader: Downloader, downloads: URL,
    tell: @escaping @Sendable (ChannelEvent) -> Void
  ) {
    (self.release, self.model, self.hosts) = (release.number, model, hosts)
    (self.downloader, self.downloads, self.tell) = (downloader, downloads, tell)
  }

  /// Assembles the tree of a variant in an existing, empty folder.
  ///
  /// - Throws: ``DeliveryError``, `CancellationError`. Fetched objects are kept for the next attempt.
  func make(_ variant: Variant, from bases: [Base], in folder: URL) async throws {
    let reusable = Reuse(of: variant, from: bases)
    let missing = variant.files.filter { reusable.source(of: $0) == nil }
    let whole = missing.compactMap(\.smallest).reduce(into: [String: Int64]()) { $0[$1.object] = $1.size }
    let bytes = whole.values.reduce(0, Checked.sum)
    for delta in variant.deltas {
      guard let base = bases.first(where: { $0.tree == delta.from }), let payload = delta.payload.smallest,
        payload.size < bytes
      else { continue }
      do {
        try await apply(delta, payload, to: base, variant, in: folder)
        return
      } catch let error as DeliveryError where error.code != .noSpace {
        tell(.deltaFailed(model: model, release: release, reason: error.code))
        try Self.empty(folder)
      }
    }
    tell(.fetching(model: model, release: release, bytes: bytes, isDelta: false))
    try requireRoom(Checked.sum(bytes, variant.size), for: folder)
    for file in variant.files {
      if let source = reusable.source(of: file), try Self.copy(source, file, in: folder) { continue }
      try await unpack(file, in: folder, total: bytes)
    }
  }

  /// Fetches small files, such as golden inputs, into a folder.
  func fetch(_ files: [ShippedFile], in folder: URL) async throws {
    for file in files { try await unpack(file, in: folder, total: nil) }
  }

  private func apply(
    _ delta: TreeDelta, _ payload: ShippedFile.Encoding, to base: Base, _ variant: Variant, in folder: URL
  ) async throws {
    tell(.fetching(model: model, release: release, bytes: payload.size, isDelta: true))
    try requireRoom(Checked.sum(payload.size, variant.size), for: folder)
    try await twice(payload, total: payload.size) { object in
      try VariantAssembly.assemble(variant, applying: delta, to: base.folder, in: folder) { _ in object }
    }
  }

  private func unpack(_ file: ShippedFile, in folder: URL, total: Int64?) async throws {
    guard let encoding = file.smallest else {
      throw DeliveryError(.malformedManifest, "the release manifest does not say what '\(file.path)' consists of")
    }
    try await twice(encoding, total: total) { object in
      try VariantAssembly.unpack(file, in: folder) { _ in object }
    }
  }

  /// Fetches an object and uses it. If an object left from an earlier attempt is damaged or vanishes, it is fetched
  /// once more.
  private func twice(_ encoding: ShippedFile.Encoding, total: Int64?, _ use: (URL) throws -> Void) async throws {
    let object = downloads.appending(path: encoding.object)
    let wasHere = DiskUse.size(object) == encoding.size
    if !wasHere { try await download(encoding, to: object, total: total) }
    do {
      try DeliveryMetrics.step(.payload) { try use(object) }
    } catch let error as DeliveryError
      where wasHere && [.digestMismatch, .unreadable, .malformedPayload].contains(error.code)
    {
      unlink(object.path)
      try await download(encoding, to: object, total: total)
      try DeliveryMetrics.step(.payload) { try use(object) }
    }
  }

  private func download(_ encoding: ShippedFile.Encoding, to object: URL, total: Int64?) async throws {
    try Task.checkCancellation()
    try DeliveryDirectories.makeFolder(downloads)
    let mirrors = hosts.map { $0.appending(path: ShippedFile.objectPath(encoding.object)) }
    let item = TransferItem(mirrors: mirrors, size: encoding.size, sha256: encoding.object, limit: encoding.size)
    let (tell, model, release) = (tell, model, release)
    let before = done.withLock { $0 }
    try await downloader.download(item, to: object) { progress in
      guard let total else { return }
      tell(.progress(model: model, release: release, received: before + progress.received, total: total))
    }
    if total != nil { done.withLock { $0 += encoding.size } }
  }

  /// Removes the downloaded objects of an installed variant.
  func discard(_ variant: Variant) {
    let files = variant.files + variant.golden.flatMap { [$0.inputs, $0.outputs] } + variant.deltas.map(\.payload)
    for object in Set(files.compactMap(\.smallest?.object)) { unlink(downloads.appending(path: object).path) }
  }

  private func requireRoom(_ bytes: Int64, for folder: URL) throws {
    guard let free = DiskUse.free(at: folder), free < bytes else { return }
    throw DeliveryError(
      .noSpace, "expected room for \(bytes) bytes in the file system, found \(free)", file: folder.path)
  }

  private static func empty(_ folder: URL) throws {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
      try FolderReplacement.remove(folder.appending(path: name))
    }
  }

  /// Copies a local file. Returns false if the file changed since its digest was computed.
  private static func copy(_ source: URL, _ file: ShippedFile, in folder: URL) throws -> Bool {
    guard let path = RelativePath(file.path) else { return false }
    let target = URL(filePath: path.below(folder.path))
    try FileCopy.copy(source, to: target)
    if try FileDigest(of: target) == FileDigest(size: file.size, sha256: file.sha256) { return true }
    unlink(target.path)
    return false
  }
}

/// The files of a variant that exist in older trees, found by size and digest regardless of their paths.
private struct Reuse {
  private var sources: [String: URL] = [:]

  init(of variant: Variant, from bases: [PayloadFetch.Base]) {
    let wanted = Dictionary(grouping: variant.files, by: \.size).mapValues { Set($0.map(\.sha256)) }
    for base in bases {
      guard let contents = try? ModelContents(of: base.folder) else { continue }
      for entry in contents.entries {
        guard let digests = wanted[entry.size], !digests.isSubset(of: sources.keys) else { continue }
        let url = entry.path.isEmpty ? base.folder : base.folder.appending(path: entry.path)
        guard let digest = try? FileDigest(of: url), digests.contains(digest.sha256) else { continue }
        sources[digest.sha256] = url
      }
    }
  }

  func source(of file: ShippedFile) -> URL? { sources[file.sha256] }
}
