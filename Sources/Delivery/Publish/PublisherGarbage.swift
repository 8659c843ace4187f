import Foundation

/// Finds what nothing in a publisher's folder refers to.
struct PublisherGarbage {
  let files: PublisherFiles

  /// Removes unreferenced data, and returns the removed paths, relative to the folder, and their total size in bytes.
  func collect(keeping: Int, dryRun: Bool) throws -> (paths: [String], bytes: Int64) {
    var live: Set<String> = []
    var dead: [URL] = []
    for channel in try files.channels() {
      live.formUnion(try files.draft(channel).objects)
      if let pending = try? files.envelope(files.pendingFile(channel)) {
        live.formUnion(try pending.document(ReleaseManifest.self).objects)
      }
    }
    for channel in try files.publishedChannels() {
      live.formUnion(try files.envelope(files.channelFile(channel)).document(ReleaseManifest.self).objects)
      let history = files.host.appending(path: "channels/\(channel)")
      let versions = PublisherFiles.list(history).filter { $0.hasSuffix(".json") }.compactMap { Int($0.dropLast(5)) }
        .sorted(by: >)
      for (index, version) in versions.enumerated() {
        let file = history.appending(path: "\(version).json")
        guard index < max(keeping, 1) else {
          dead.append(file)
          continue
        }
        live.formUnion(try files.envelope(file).document(ReleaseManifest.self).objects)
      }
    }
    let objects = files.host.appending(path: "objects")
    for name in PublisherFiles.list(objects) {
      let url = objects.appending(path: name)
      if name.hasPrefix(".") {
        dead.append(url)
      } else {
        dead += PublisherFiles.list(url).filter { !live.contains($0) }.map { url.appending(path: $0) }
      }
    }
    for place in ["drafts", "pending", "public", "public/root", "public/channels", "public/freshness"] {
      dead += Staging.orphans(in: files.folder.appending(path: place))
    }
    dead += PublisherFiles.list(files.folder).filter { $0.hasPrefix("work-") }.map { files.folder.appending(path: $0) }
    var bytes: Int64 = 0
    for url in dead {
      var status = stat()
      if stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { bytes += Int64(status.st_size) }
      if !dryRun { try FolderReplacement.remove(url) }
    }
    let root = files.folder.standardizedFileURL.path
    let paths = dead.map { String($0.standardizedFileURL.path.dropFirst(root.count)) }
    return (paths.map { $0.hasPrefix("/") ? String($0.dropFirst()) : $0 }.sorted(), bytes)
  }
}
