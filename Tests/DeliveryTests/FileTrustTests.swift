import CoreMLBase
import CoreMLSpec
import Foundation
import Testing

@testable import CoreMLDelivery

/// Files that other users could have written are not trusted.
@Suite struct FileTrustTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func status(_ mode: mode_t, user: uid_t = geteuid(), group: gid_t = 7, links: Int = 1) -> stat {
    var status = stat()
    (status.st_mode, status.st_uid, status.st_gid, status.st_nlink) = (mode, user, group, numericCast(links))
    return status
  }

  @Test func whoIsTrusted() {
    let trust = FileTrust()
    let (file, place) = (S_IFREG, S_IFDIR)
    for good in [status(file | 0o600), status(file | 0o644, user: 0)] {
      #expect(trust.refusal(of: good, as: .file) == nil)
    }
    for good in [status(place | 0o755), status(place | 0o1777, user: 0)] {
      #expect(trust.refusal(of: good, as: .folder) == nil)
    }
    let stranger = geteuid() &+ 4711
    for bad in [
      status(file | 0o600, user: stranger), status(file | 0o620), status(file | 0o602), status(file | 0o600, links: 2),
      status(S_IFLNK | 0o777), status(place | 0o700), status(S_IFIFO | 0o600), status(file | 0o1666),
    ] { #expect(trust.refusal(of: bad, as: .file) != nil) }
    for bad in [
      status(place | 0o777), status(place | 0o775), status(place | 0o700, user: stranger), status(file | 0o600),
    ] {
      #expect(trust.refusal(of: bad, as: .folder) != nil)
    }
    #expect(trust.refusal(of: status(file | 0o600, links: 2), as: .record) == nil)
  }

  @Test func theEnvironmentNamesMore() {
    let stranger = geteuid() &+ 4711
    func trust(_ users: String?, _ groups: String?) -> FileTrust {
      FileTrust { ["COREML_TRUSTED_USERS": users, "COREML_TRUSTED_GROUPS": groups][$0] ?? nil }
    }
    let (theirs, shared) = (status(S_IFREG | 0o600, user: stranger), status(S_IFREG | 0o660, group: 2000))
    #expect(trust("12, \(stranger)", nil).refusal(of: theirs, as: .file) == nil)
    #expect(trust("12", nil).refusal(of: theirs, as: .file) != nil)
    #expect(trust(nil, "2000").refusal(of: shared, as: .file) == nil)
    #expect(trust(nil, "2001").refusal(of: shared, as: .file) != nil)
    #expect(trust(nil, "2000").refusal(of: status(S_IFREG | 0o662, group: 2000), as: .file) != nil)
    #expect(trust("*", nil).refusal(of: status(S_IFREG | 0o666, user: stranger), as: .file) == nil)
  }

  /// On a file system whose modes are set only by its mount, the error message suggests a remedy.
  @Test func fileSystemsWithoutModesAreNamed() {
    let mounts = MountTable(
      """
      22 1 253:0 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
      90 22 8:17 / /media/stick rw,nosuid shared:2 master:1 - vfat /dev/sdb1 rw,fmask=0000
      91 22 0:301 / /mnt/share rw - cifs //host/share rw
      """)
    func refusal(_ device: dev_t, _ mode: mode_t, user: uid_t = geteuid()) -> String {
      var status = status(S_IFREG | mode, user: user)
      status.st_dev = device
      return FileTrust().refusal(of: status, as: .file, mounts: mounts) ?? "none"
    }
    let (disk, stick, share) = (dev_t(253 << 8), dev_t(8 << 8 | 17), dev_t(0x10_002D))
    #expect(mounts.withoutModes(stick) == "vfat" && mounts.withoutModes(share) == "cifs")
    #expect(mounts.withoutModes(disk) == nil && mounts.withoutModes(dev_t(9 << 8)) == nil)
    #expect(refusal(stick, 0o777).contains("mode 777") && refusal(stick, 0o777).contains("(vfat)"))
    #expect(refusal(share, 0o755, user: geteuid() &+ 4711).contains("(cifs)"))
    #expect(refusal(disk, 0o777).contains("take that from them"))
    // If it is mounted for this user alone, it is trusted.
    #expect(refusal(stick, 0o700) == "none")
  }

  @Test func linksOfTheUserLeadToPlacesAndOthersDoNot() throws {
    let (place, link) = (folder.url.appending(path: "place").path, folder.url.appending(path: "link").path)
    #expect(mkdir(place, 0o700) == 0 && symlink(place, link) == 0)
    let trust = FileTrust()
    #expect(trust.refusal(at: link, as: .folder, followingLink: true) == nil)
    #expect(trust.refusal(at: link, as: .folder) != nil)
    #expect(trust.refusal(at: "\(place)/absent", as: .folder) == nil)
    guard geteuid() == 0 else { return }
    #expect(lchown(link, 4711, 4711) == 0)
    #expect(trust.refusal(at: link, as: .folder, followingLink: true) != nil)
  }

  private func add(_ text: String, to store: ModelStore) throws -> String {
    let staging = try store.stagingFolder()
    let file = staging.url.appending(path: "m.mlmodel")
    try Data(text.utf8).write(to: file)
    return try store.add(tree: file, origin: .local).digest
  }

  @Test(arguments: ["coreml", "coreml/store/objects", "object", "record", "names", "file"])
  func aStoreThatOthersCanWriteToIsRefused(what: String) throws {
    let store = try folder.store()
    let digest = try add("one", to: store)
    try store.activate(name: "m", digest: digest)
    let object = "coreml/store/objects/\(digest)"
    let path =
      switch what {
      case "object": object
      case "record": "\(object)/object.json"
      case "names": "coreml/models/m.installed"
      case "file": "\(object)/model.mlmodel"
      default: what
      }
    #expect(try store.open(name: "m").model.digest == digest)
    let place = folder.url.appending(path: path).path
    #expect(chmod(place, what.contains(".") ? 0o666 : 0o777) == 0)
    let error = #expect(throws: DeliveryError.self) { try store.open(name: "m") }
    #expect(error?.code == .untrusted && error?.message.contains("others can write") == true, "\(error?.message ?? "")")
    #expect(chmod(place, 0o700) == 0)
    #expect(try store.open(name: "m").model.digest == digest)
    guard geteuid() == 0 else { return }
    #expect(chown(place, 4711, 4711) == 0)
    expect(.untrusted) { try store.open(name: "m") }
  }

  @Test func recordsAreTheirOwnersAndLinksAreNone() throws {
    struct Record: Codable { var a = 1 }
    let file = folder.url.appending(path: "r/record.json")
    try DurableFile.write(json: Record(), to: file)
    var status = stat()
    #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let link = folder.url.appending(path: "r/link.json")
    #expect(symlink(file.path, link.path) == 0)
    expect(.untrusted) { try DurableFile.read(json: Record.self, at: link) }
    #expect(try DurableFile.read(json: Record.self, at: file)?.a == 1)
  }

  @Test func foldersAreMadeWithTheModeAskedFor() throws {
    for mode in [0o700, 0o755] as [mode_t] {
      let place = folder.url.appending(path: "\(mode)/a/b", directoryHint: .isDirectory)
      try DeliveryDirectories.makeFolder(place, mode: mode)
      try DeliveryDirectories.makeFolder(place, mode: mode)
      for name in ["\(mode)", "\(mode)/a", "\(mode)/a/b"] {
        var status = stat()
        #expect(stat(folder.url.appending(path: name).path, &status) == 0)
        #expect(status.st_mode & 0o777 & ~mode == 0)
      }
    }
    let file = try folder.write("x", to: "file")
    expect(.unwritable) { try DeliveryDirectories.makeFolder(file.appending(path: "below")) }
    expect(.unwritable) { try DeliveryDirectories.makeFolder(file) }
  }

  @Test func removalDoesNotLeaveItsFolder() throws {
    let kept = try folder.write("kept", to: "kept/file")
    try folder.write("x", to: "parent/.staged-x/deep/file")
    #expect(
      symlink(kept.deletingLastPathComponent().path, folder.url.appending(path: "parent/.staged-x/link").path) == 0)
    let place = folder.url.appending(path: "parent/.staged-x")
    #expect(FolderRemoval.remove(place, ownedBy: geteuid() &+ 1) == EPERM)
    #expect(FolderRemoval.remove(place, ownedBy: geteuid()) == 0)
    #expect(try folder.list("parent").isEmpty)
    #expect(try folder.read("kept/file") == "kept")
    // A link is removed itself; its target is not.
    #expect(symlink(kept.deletingLastPathComponent().path, place.path) == 0)
    #expect(FolderRemoval.remove(place) == 0)
    #expect(try folder.read("kept/file") == "kept")
    #expect(FolderRemoval.remove(place) == ENOENT)
    guard geteuid() == 0 else { return }
    let others = try folder.write("x", to: "parent/\(StagingFolderNames.dead)/file")
    #expect(chown(others.deletingLastPathComponent().path, 4711, 4711) == 0)
    StagingFolder.removeOrphans(in: folder.url.appending(path: "parent"))
    #expect(FileManager.default.fileExists(atPath: others.path), "another user's is left alone")
  }
}

/// Temporary names of ended processes.
enum StagingFolderNames {
  static var dead: String {
    let current = PartialOwner.current
    let owner = PartialOwner(host: current.host, boot: current.boot, process: 999_999_999, start: "1")
    return ".staged-\(owner.token).abc.partial"
  }
}
