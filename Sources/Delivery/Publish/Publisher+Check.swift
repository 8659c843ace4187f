import Foundation

extension Publisher {
  /// A defect of the published tree that devices would reject.
  public struct Problem: Sendable, Equatable, CustomStringConvertible {
    /// The kind of the problem.
    public let code: DeliveryError.Code
    public let description: String

    init(_ error: DeliveryError) { (code, description) = (error.code, "\(error)") }
  }

  /// Checks the published roots, manifests and objects like a device that trusts the first root.
  ///
  /// - Parameter unpacking: also decodes every object, as a device does. This is slower.
  /// - Returns: the problems found; empty if there are none.
  public func verify(unpacking: Bool = false) throws -> [Problem] {
    var problems: [Problem] = []
    func check(_ body: () throws -> Void) throws {
      do {
        try body()
      } catch let error as DeliveryError {
        problems.append(Problem(error))
      }
    }
    for name in keysWherePublic() {
      problems.append(
        Problem(DeliveryError(.badKey, "a private key lies where everybody can fetch it", file: host.path + "/" + name))
      )
    }
    let work = folder.appending(path: "work-\(UUID().uuidString)", directoryHint: .isDirectory)
    try DeliveryDirectories.makeFolder(work)
    defer { try? FileManager.default.removeItem(at: work) }
    try check {
      var state = try TrustState(
        directory: work, initialRoot: envelope(host.appending(path: "root/1.json")), policy: .strict)
      while true {
        let next = host.appending(path: "root/\(state.root.version + 1).json")
        guard FileManager.default.fileExists(atPath: next.path) else { break }
        try state.accept(root: envelope(next))
      }
      guard try root() == state.root else {
        throw DeliveryError(.brokenRootChain, "root.json is not the newest root", file: host.path)
      }
      var objects: Set<String> = []
      for channel in try publishedChannels() {
        try check {
          let statement = statementFile(channel)
          let accepted = try state.accept(
            manifest: envelope(channelFile(channel)),
            freshness: FileManager.default.fileExists(atPath: statement.path) ? envelope(statement) : nil,
            channel: channel, now: now)
          for variant in accepted.manifest.models.values.flatMap(\.releases).flatMap(\.variants) {
            let files =
              variant.files + variant.golden.flatMap { [$0.inputs, $0.outputs] } + variant.deltas.map(\.payload)
            for file in files {
              for encoding in file.encodings where objects.insert(encoding.object).inserted {
                try check { try verify(file, encoding, unpackingIn: unpacking ? work : nil) }
              }
            }
          }
        }
      }
    }
    return problems
  }

  private func verify(_ file: ShippedFile, _ encoding: ShippedFile.Encoding, unpackingIn work: URL?) throws {
    let object = objectFile(encoding.object)
    guard let work else { return try PayloadCodec.check(object, encoding) }
    let unpacked = work.appending(path: "unpacked")
    defer { unlink(unpacked.path) }
    try PayloadCodec.decode(object, encoding, of: file, to: unpacked)
  }

  /// Removes unreferenced data: objects in no draft and in none of the last manifests of any channel, older manifests,
  /// and leftovers of interrupted operations.
  ///
  /// - Parameters:
  ///   - keeping: the number of manifests to keep for each channel, with their objects. Devices may still be using the
  ///     last ones.
  ///   - dryRun: removes nothing.
  /// - Returns: the removed paths, relative to the folder, and their total size in bytes.
  public func collectGarbage(keeping: Int = 3, dryRun: Bool = false) throws -> (paths: [String], bytes: Int64) {
    var live: Set<String> = []
    var dead: [URL] = []
    for channel in try channels() {
      live.formUnion(try draft(channel).objects)
      if let pending = try? envelope(pendingFile(channel)) {
        live.formUnion(try pending.document(ReleaseManifest.self).objects)
      }
    }
    for channel in try publishedChannels() {
      live.formUnion(try envelope(channelFile(channel)).document(ReleaseManifest.self).objects)
      let history = host.appending(path: "channels/\(channel)")
      let versions = list(history).filter { $0.hasSuffix(".json") }.compactMap { Int($0.dropLast(5)) }.sorted(by: >)
      for (index, version) in versions.enumerated() {
        let file = history.appending(path: "\(version).json")
        guard index < max(keeping, 1) else {
          dead.append(file)
          continue
        }
        live.formUnion(try envelope(file).document(ReleaseManifest.self).objects)
      }
    }
    let objects = host.appending(path: "objects")
    for name in list(objects) {
      let url = objects.appending(path: name)
      if name.hasPrefix(".") {
        dead.append(url)
      } else {
        dead += list(url).filter { !live.contains($0) }.map { url.appending(path: $0) }
      }
    }
    for place in ["drafts", "pending", "public", "public/root", "public/channels", "public/freshness"] {
      dead += Staging.orphans(in: folder.appending(path: place))
    }
    dead += list(folder).filter { $0.hasPrefix("work-") }.map { folder.appending(path: $0) }
    var bytes: Int64 = 0
    for url in dead {
      var status = stat()
      if stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { bytes += Int64(status.st_size) }
      if !dryRun { try FolderReplacement.remove(url) }
    }
    let root = folder.standardizedFileURL.path
    let paths = dead.map { String($0.standardizedFileURL.path.dropFirst(root.count)) }
    return (paths.map { $0.hasPrefix("/") ? String($0.dropFirst()) : $0 }.sorted(), bytes)
  }

  /// Returns the channels that have a published manifest.
  public func publishedChannels() throws -> [String] {
    list(host.appending(path: "channels")).filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
  }

  private func list(_ folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }
}
