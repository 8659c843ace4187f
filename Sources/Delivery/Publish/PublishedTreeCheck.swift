import Foundation

/// Checks a published tree like a device that trusts its first root.
struct PublishedTreeCheck {
  let files: PublisherFiles
  let now: Timestamp

  func problems(unpacking: Bool) throws -> [Publisher.Problem] {
    var problems: [Publisher.Problem] = []
    func check(_ body: () throws -> Void) throws {
      do {
        try body()
      } catch let error as DeliveryError {
        problems.append(Publisher.Problem(error))
      }
    }
    for name in PublisherKeys(files: files).filesWherePublic() {
      problems.append(
        Publisher.Problem(
          DeliveryError(.badKey, "a private key lies where everybody can fetch it", file: files.host.path + "/" + name))
      )
    }
    let work = files.folder.appending(path: "work-\(UUID().uuidString)", directoryHint: .isDirectory)
    try DeliveryDirectories.makeFolder(work)
    defer { try? FileManager.default.removeItem(at: work) }
    try check {
      var state = try TrustState(
        directory: work, initialRoot: files.envelope(files.host.appending(path: "root/1.json")), policy: .strict)
      while true {
        let next = files.host.appending(path: "root/\(state.root.version + 1).json")
        guard FileManager.default.fileExists(atPath: next.path) else { break }
        try state.accept(root: files.envelope(next))
      }
      guard try files.root() == state.root else {
        throw DeliveryError(.brokenRootChain, "root.json is not the newest root", file: files.host.path)
      }
      var objects: Set<String> = []
      for channel in try files.publishedChannels() {
        try check {
          let statement = files.statementFile(channel)
          let accepted = try state.accept(
            manifest: files.envelope(files.channelFile(channel)),
            freshness: FileManager.default.fileExists(atPath: statement.path) ? files.envelope(statement) : nil,
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
    let object = files.objectFile(encoding.object)
    guard let work else { return try PayloadCodec.check(object, encoding) }
    let unpacked = work.appending(path: "unpacked")
    defer { unlink(unpacked.path) }
    try PayloadCodec.decode(object, encoding, of: file, to: unpacked)
  }
}
