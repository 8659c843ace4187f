import CoreMLBase
import CoreMLSpec
import FeatureFiles
import Foundation
import Synchronization
import TestSupport
import Testing

/// Batches whose output is in a folder where others may write. The command neither trusts nor overwrites what others
/// place under predictable names.
@Suite(.tags(.process)) struct SharedFolderTests {
  private let folder: Scratch
  private static let rows = (1...3).map { "{\"Sex\": \"a\", \"Age\": \($0)}\n" }
  enum Plant: CaseIterable { case link, secondName, open, pipe, folder, owner }

  init() throws {
    folder = try Scratch()
    try SmallModels.write(SmallModels.passenger, to: "Passenger.mlmodel", in: folder)
    try folder.write(Self.rows.joined(), to: "rows.jsonl")
  }

  private func path(_ name: String) -> String { folder.url.appending(path: name).path }

  private func predict(_ arguments: String..., output: String = "out.jsonl") throws -> CommandRun {
    try CommandRun(
      ["predict", "Passenger.mlmodel", "--batch", "rows.jsonl", "--output", output] + arguments, in: folder)
  }

  /// Places a file that another user could own under a name.
  private func plant(_ plant: Plant, at name: String, _ text: String) throws {
    try? FileManager.default.removeItem(atPath: path(name))
    try folder.write(text, to: "theirs")
    switch plant {
    case .link: #expect(symlink(path("theirs"), path(name)) == 0)
    case .secondName: #expect(link(path("theirs"), path(name)) == 0)
    case .pipe: #expect(mkfifo(path(name), 0o644) == 0)
    case .folder: #expect(mkdir(path(name), 0o755) == 0)
    case .open, .owner:
      try folder.write(text, to: name)
      #expect(chmod(path(name), plant == .open ? 0o666 : 0o644) == 0)
      if plant == .owner { #expect(chown(path(name), 4711, 4711) == 0) }
    }
  }

  @Test(arguments: Plant.allCases.filter { $0 != .owner || geteuid() == 0 })
  func whatOthersPlantedIsNeitherBelievedNorWritten(what: Plant) throws {
    for name in ["out.jsonl.partial", ".out.jsonl.run"] {
      try plant(what, at: name, "theirs\n")
      for options in [[], ["--resume"]] {
        let run = try CommandRun(
          ["predict", "Passenger.mlmodel", "--batch", "rows.jsonl", "--output", "out.jsonl"] + options, in: folder)
        run.failed(73, naming: name)
        #expect(try folder.read("theirs") == "theirs\n" && !folder.list().contains("out.jsonl"))
      }
      try? FileManager.default.removeItem(atPath: path(name))
      for left in ["out.jsonl.partial", ".out.jsonl.run"] { try? FileManager.default.removeItem(atPath: path(left)) }
    }
    #expect(try predict().status == 0)
  }

  /// Consistent lines and a record that another user could have made: their rows do not count as done.
  @Test func rowsOfOthersAreNotTakenForDone() throws {
    try folder.write(Self.rows[..<2].joined() + "wrong\n", to: "rows.jsonl")
    #expect(try predict().status == 65)
    try folder.write(Self.rows.joined(), to: "rows.jsonl")
    #expect(chmod(path("out.jsonl.partial"), 0o666) == 0)
    try predict("--resume").failed(73, naming: "others can write")
    #expect(chmod(path("out.jsonl.partial"), 0o644) == 0 && chmod(path(".out.jsonl.run"), 0o622) == 0)
    try predict("--resume").failed(73, naming: ".out.jsonl.run")
    #expect(chmod(path(".out.jsonl.run"), 0o600) == 0)
    #expect(try predict("--resume").status == 0)
    #expect(try folder.read("out.jsonl").split(separator: "\n").count == 3)
    // The same holds for records of other shards.
    #expect(try predict("--shard", "1/2", output: "out").status == 0)
    #expect(chmod(path(".out.1-of-2.run"), 0o666) == 0)
    let run = try predict("--resume", "--stats", output: "fresh")
    #expect(run.status == 0)
    let whole = try predict("--resume", output: "out")
    whole.failed(65, naming: "nothing tells")
  }

  /// Shards with common rows may run concurrently by design.
  @Test func whatAnotherProcessWritesIsNotSwept() throws {
    try FileManager.default.createDirectory(at: folder.url.appending(path: "out"), withIntermediateDirectories: true)
    let mine = path("out/000001.json.1abc1abc1abc.partial")
    let file = open(mine, O_WRONLY | O_CREAT | O_EXCL, 0o644)
    #expect(file >= 0 && flock(file, LOCK_EX) == 0)
    #expect(try predict("--shard", "2/3", output: "out").status == 0)
    #expect(access(mine, F_OK) == 0)
    close(file)
    #expect(try predict("--shard", "2/3", output: "out").status == 0)
    #expect(access(mine, F_OK) != 0)
    // The same for arrays: continuous clean-up does not remove the file of an active writer.
    let arrays = path("out/arrays.npz")
    let row = [(name: "x", array: NPYArray(.float32, shape: [64], bytes: [UInt8](repeating: 1, count: 256)))]
    let isDone = Mutex(false)
    let sweeper = Thread {
      while !isDone.withLock({ $0 }) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path("out"))) ?? []
        where name.hasSuffix(TemporaryName.suffix) { TemporaryName.sweep(path("out/\(name)")) }
      }
    }
    sweeper.start()
    defer { isDone.withLock { $0 = true } }
    for _ in 0..<300 {
      try NPZ.write(row, to: arrays)
      #expect(try NPZ.read(arrays).keys.sorted() == ["x"])
    }
  }

  /// Network file systems only lock files that are open for writing.
  @Test(.enabled(if: FaultShim.isUsable, "a sanitizer comes first"))
  func whatAKilledRunLeftIsSweptWhereLocksNeedWriting() throws {
    let left = try folder.write("half", to: "out/000001.json.1abc1abc1abc.partial").path
    let shim = try FaultShim.build(in: folder)
    let run = try CommandRun(
      ["predict", "Passenger.mlmodel", "--batch", "rows.jsonl", "--output", "out"], in: folder,
      environment: ["LD_PRELOAD": shim, "FAULT_FLOCK_WRITABLE": "1"])
    #expect(run.status == 0, "\(run.complaint)")
    #expect(access(left, F_OK) != 0)
  }

  @Test(.enabled(if: FaultShim.isUsable, "a sanitizer comes first"))
  func oneProcessPublishesAtATimeWhereLocksNeedWriting() throws {
    #expect(try CommandRun(["publish", "init", "shop", "--name", "shop"], in: folder).status == 0)
    let lock = open(path("shop/publisher.json"), O_RDWR | O_CLOEXEC)
    #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
    let environment = ["LD_PRELOAD": try FaultShim.build(in: folder), "FAULT_FLOCK_WRITABLE": "1"]
    let run = try CommandRun(["publish", "sign", "shop"], in: folder, environment: environment)
    #expect(run.status != 0 && run.complaint.contains("another process is publishing"), "\(run.complaint)")
    // Unlocked before it is closed, because a process that another test is starting may have inherited the descriptor.
    #expect(flock(lock, LOCK_UN) == 0)
    close(lock)
    let next = try CommandRun(["publish", "sign", "shop"], in: folder, environment: environment)
    #expect(next.status == 0, "\(next.complaint)")
  }

  /// The command reads the record that it checked, and does not open it again by name.
  @Test func theRecordIsReadWhereItWasChecked() throws {
    #expect(try predict().status == 0)
    let notices = inotify_init1(Int32(IN_NONBLOCK))
    try #require(notices >= 0)
    defer { close(notices) }
    let record = path(".out.jsonl.run")
    #expect(inotify_add_watch(notices, record, UInt32(IN_CLOSE_NOWRITE)) >= 0)
    #expect(try predict("--resume").status == 0)
    var bytes = [UInt8](repeating: 0, count: 4096)
    #expect(read(notices, &bytes, bytes.count) < 0, "it was opened to be read")
    close(open(record, O_RDONLY))
    #expect(read(notices, &bytes, bytes.count) > 0, "such an opening is noticed")
  }

  @Test(arguments: [["compile", "-o"], ["coremlc", "compile"]])
  func whatAKilledCompilationLeftIsSwept(words: [String]) throws {
    let package = CommandRun.digits.appending(path: "Digits.mlpackage").path
    let words = words[0] == "compile" ? ["compile", package, "-o", "to"] : words + [package, "to"]
    func drafts() throws -> [String] { try folder.list("to").filter { $0.hasPrefix(".staged-") } }
    try FileManager.default.createDirectory(at: folder.url.appending(path: "to"), withIntermediateDirectories: true)
    for _ in 0..<20 where try drafts().isEmpty {
      let process = CommandRun.process(words, in: folder)
      (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
      try process.run()
      while process.isRunning, try drafts().isEmpty { usleep(200) }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    #expect(try drafts().count == 1)
    #expect(try CommandRun(words, in: folder).status == 0)
    #expect(try folder.list("to") == ["Digits.mlmodelc"])
  }
}
