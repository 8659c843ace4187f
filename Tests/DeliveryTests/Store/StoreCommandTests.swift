import Foundation
import TestSupport
import Testing

@testable import CoreMLDelivery

/// `runtime` with defective stores, caches and hosts.
@Suite(.tags(.process), .serialized) struct StoreCommandTests {
  private let folder: TemporaryFolder
  private let home: URL

  init() throws {
    folder = try TemporaryFolder()
    home = folder.url.appending(path: "home", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
  }

  private func runtime(_ words: String..., environment: [String: String] = [:]) async throws -> ProgramRun {
    try await ProgramRun.begin(
      ProgramRun.folder.appending(path: "runtime"), words, home: home, environment: environment
    ).end()
  }

  private func predict(_ model: String) async throws -> ProgramRun {
    try await runtime(
      "predict", model, "--input", "image=\(Samples.image.path)", "--compute-units", "cpuOnly", "--json")
  }

  @Test func damageNeitherAnswersNorStays() async throws {
    #expect(try await runtime("models", "install", Samples.digits.path, "--compute-units", "cpuOnly").status == 0)
    #expect(try await predict("Digits").json?["classLabel"] as? String == "nine")
    let data = home.appending(path: ".local/share/coreml/store/objects")
    let digest = try #require(try FileManager.default.contentsOfDirectory(atPath: data.path).first)
    let weights = data.appending(path: "\(digest)/model.mlpackage/\(Samples.weightsPath)")
    try HealingTests.damage(weights, at: 131)
    let verified = try await runtime("cache", "verify", "--repair")
    #expect(verified.status == 1 && verified.output.contains("\"repaired\""), "\(verified.output)")
    let lost = try await predict("Digits")
    #expect(lost.status == 74 && lost.errors.contains("set aside as"), "\(lost.errors)")
    #expect(try await runtime("models", "install", Samples.digits.path, "--compute-units", "cpuOnly").status == 0)
    #expect(try await predict("Digits").json?["classLabel"] as? String == "nine")
    #expect(try await runtime("cache", "verify").status == 0)
  }

  /// Compiled models are listed with the name of their source.
  @Test func compiledFormsHaveNames() async throws {
    #expect(try await runtime("models", "install", Samples.digits.path, "--compute-units", "cpuOnly").status == 0)
    #expect(try await predict("Digits").status == 0)
    let copy = folder.url.appending(path: "Copy.mlpackage")
    try FileManager.default.copyItem(at: Samples.digits, to: copy)
    #expect(try await predict(copy.path).status == 0)
    let use = try await runtime("cache", "du", "--json")
    #expect(use.json?["packedBytes"] as? Int != nil)
    let items = try #require(use.json?["items"] as? [[String: Any]]).filter { $0["kind"] as? String == "compiled" }
    #expect(Set(items.compactMap { $0["source"] as? String }) == ["Copy", "model"], "\(items)")
    let stored = try #require(items.first { $0["source"] as? String == "model" })
    #expect(stored["usedBy"] as? [String] == ["Digits"])
    let digests = items.compactMap { $0["sourceDigest"] as? String }
    #expect(digests.count == 2 && digests.allSatisfy(TreeDigest.isDigest))
  }

  @Test func theCompiledCacheKeepsToItsLimit() async throws {
    func compiled() throws -> Int {
      let folder = home.appending(path: ".cache/coreml/compiled").path
      return try FileManager.default.contentsOfDirectory(atPath: folder).count(where: TreeDigest.isDigest)
    }
    for name in ["A", "B", "C"] {
      let copy = folder.url.appending(path: "\(name).mlpackage")
      try FileManager.default.copyItem(at: Samples.digits, to: copy)
      #expect(try await predict(copy.path).status == 0)
    }
    #expect(try compiled() == 3)
    let copy = folder.url.appending(path: "D.mlpackage")
    try FileManager.default.copyItem(at: Samples.digits, to: copy)
    let run = try await runtime(
      "predict", copy.path, "--input", "image=\(Samples.image.path)", "--compute-units", "cpuOnly", "--compiled-limit",
      "1K")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try compiled() == 1)
  }

  @Test func aLimitOfTheStoreThatCannotBeReadIsAnError() async throws {
    let run = try await ProgramRun.begin(
      ProgramRun.folder.appending(path: "runtime"), ["models", "install", Samples.digits.path], home: home,
      environment: ["COREML_STORE_SIZE_LIMIT": "5 elephants"]
    ).end()
    #expect(run.status == 64 && run.errors.contains("COREML_STORE_SIZE_LIMIT"), "\(run.errors)")
  }

  @Test func aCacheOfOthersOnlyCostsTime() async throws {
    #expect(try await predict(Samples.digits.path).status == 0)
    let cache = home.appending(path: ".cache/coreml/compiled")
    #expect(chmod(cache.path, 0o777) == 0)
    let run = try await predict(Samples.digits.path)
    #expect(run.status == 0 && run.json?["classLabel"] as? String == "nine", "\(run.errors)")
    #expect(run.errors.contains("the compiled model is not kept") && run.errors.contains("others can write"))
    #expect(chmod(cache.path, 0o700) == 0)
    #expect(try await predict(Samples.digits.path).errors.isEmpty)
  }

  @Test func noMaskOpensWhatIsWrittenToOthers() async throws {
    let runtime = ProgramRun.folder.appending(path: "runtime").path
    let out = folder.url.appending(path: "out").path
    #expect(mkdir(out, 0o755) == 0)
    let script = """
      umask 000
      "\(runtime)" compile "\(Samples.digits.path)" -o "\(out)" &&
      "\(runtime)" models install "\(Samples.digits.path)" --compute-units cpuOnly &&
      "\(runtime)" publish init "\(out)/shop" --name shop
      """
    let run = try await ProgramRun.begin(URL(filePath: "/bin/sh"), ["-c", script], home: home).end()
    #expect(run.status == 0 && run.output.contains("Digits.mlmodelc"), "\(run.errors)")
    #expect(FileManager.default.fileExists(atPath: "\(out)/shop/public/root/1.json"))
    var looked = 0
    for root in [home.path, out] {
      for path in try FileManager.default.subpathsOfDirectory(atPath: root) {
        var status = stat()
        #expect(lstat("\(root)/\(path)", &status) == 0)
        if status.st_mode & S_IFMT == S_IFLNK { continue }
        looked += 1
        #expect(status.st_mode & 0o022 == 0, "\(root)/\(path)")
      }
    }
    #expect(looked > 10)
  }

  @Test func fetchTellsWhatItKeepsAndNoSecrets() async throws {
    let server = try await FaultServer { request in Reply.file(request, cut: request.number == 0 ? 150_000 : nil) }
    let url = "http://me:hunter2@127.0.0.1:\(server.port)/m.bin?token=sesame"
    let target = folder.url.appending(path: "out.bin").path
    let cut = try await runtime("fetch", url, "-o", target, "--attempts", "1")
    #expect(cut.status == 74)
    #expect(cut.errors.contains("KB are kept; the same command goes on from there"), "\(cut.errors)")
    let whole = try await runtime("fetch", url, "-o", target)
    #expect(whole.status == 0 && server.requests.last?.offset ?? 0 > 0, "\(whole.errors)")
    let written = try FileManager.default.subpathsOfDirectory(atPath: home.path).compactMap {
      try? String(contentsOf: home.appending(path: $0), encoding: .utf8)
    }
    for text in written + [cut.errors, whole.errors, whole.output] {
      for secret in ["hunter2", "sesame"] { #expect(!text.contains(secret), "\(text)") }
    }
    let wrong = try await runtime("fetch", "htp://me:hunter2@host/m")
    #expect(wrong.status == 64 && !wrong.errors.contains("hunter2"), "\(wrong.errors)")
  }

  @Test func fetchFromASilentHostEndsInTimeWithAWord() async throws {
    let server = try await FaultServer { _ in [] }
    let run = try await runtime(
      "fetch", server.url("/m.mlmodel"), "-o", folder.url.appending(path: "m.mlmodel").path, "--fetch-timeout", "1",
      environment: ["COREML_PROGRESS_SECONDS": "0.2"])
    #expect(run.errors.contains("runtime: Waiting for 127.0.0.1: "), "\(run.errors)")
    #expect(run.status == 74 && run.errors.contains("not fetched in the time allowed"), "\(run.errors)")
  }

  /// Bytes of an earlier run count for the total, but not for the rate.
  @Test func resumedBytesAreOfNoRate() async throws {
    let server = try await FaultServer { request in
      guard request.offset != nil else { return Reply.file(request, cut: 250_000) }
      // Sends a few more bytes, then nothing.
      return Reply.file(request, cut: 20_000).dropLast()
    }
    let target = folder.url.appending(path: "out.bin").path
    #expect(try await runtime("fetch", server.url("/m.bin"), "-o", target, "--attempts", "1").status == 74)
    let run = try await runtime(
      "fetch", server.url("/m.bin"), "-o", target, "--attempts", "1", "--fetch-timeout", "4",
      environment: ["COREML_PROGRESS_SECONDS": "0.4"])
    let rates = run.errors.split(separator: "\n").filter { $0.contains("of 300.0 KB") }.compactMap { line in
      line.split(separator: ", ").first { $0.hasSuffix("/s") }.map(String.init)
    }
    #expect(!rates.isEmpty, "\(run.errors)")
    for rate in rates {
      let words = rate.split(separator: " ")
      let bytes = (Double(words[0]) ?? .infinity) * (words[1] == "KB/s" ? 1000 : 1)
      #expect(bytes > 0 && bytes <= 20_000 && ["KB/s", "bytes/s"].contains(words[1]), "\(rate)")
    }
  }

  @Test func oneDamagedRecordIsToldAndMended() async throws {
    for name in ["A", "B"] {
      let copy = folder.url.appending(path: "\(name).mlpackage")
      try FileManager.default.copyItem(at: Samples.digits, to: copy)
      try Data("\(name)".utf8).write(to: copy.appending(path: "note-\(name)"))
      #expect(try await runtime("models", "install", copy.path, "--compute-units", "cpuOnly").status == 0)
    }
    let store = home.appending(path: ".local/share/coreml/store/objects")
    let listed = try await runtime("models", "list", "--json")
    let models = try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]]
    let digest = try #require(models?.first { $0["name"] as? String == "A" }?["digest"] as? String)
    try Data().write(to: store.appending(path: "\(digest)/object.json"))
    let list = try await runtime("models", "list", "--json")
    #expect(list.status == 0 && list.output.contains("\"B\"") && !list.output.contains("\"A\""), "\(list.output)")
    #expect(list.errors.contains("runtime: A: ") && list.errors.contains("cache verify --repair"), "\(list.errors)")
    let verified = try await runtime("cache", "verify", "--repair")
    #expect(verified.status == 1 && verified.output.contains("object.json"), "\(verified.output)")
    #expect(try await runtime("models", "list", "--json").output.contains("\"A\""))
    #expect(try await runtime("cache", "verify").status == 0)
  }

  @Test func whatCannotBeInstalledIsNamedAsTheUserDid() async throws {
    let file = try folder.write("no model", to: "seven.mlmodel")
    let run = try await runtime("models", "install", file.path)
    #expect(run.status != 0 && run.errors.contains(file.path), "\(run.errors)")
    #expect(!run.errors.contains("staging") && !run.errors.contains(".staged-"), "\(run.errors)")
  }

  @Test func aChannelThatCannotBeReachedIsToldEachTime() async throws {
    let bench = try ChannelBench()
    let root = bench.publisher.host.appending(path: "root/1.json").path
    let nowhere = folder.url.appending(path: "nowhere").absoluteString
    #expect(try await runtime("channel", "follow", nowhere, "--root", root).status == 0)
    // The command ends with its reader, which exits after two lines.
    let running = try ProgramRun.begin(
      URL(filePath: "/bin/sh"),
      [
        "-c", "timeout -s INT 100 \"$0\" channel update --every 1 2>&1 >/dev/null | head -n 2 >&2",
        ProgramRun.folder.appending(path: "runtime").path,
      ],
      home: home)
    let run = try await running.end()
    let lines = run.errors.split(separator: "\n").filter { $0.contains("again in 1.0 s") }
    #expect(lines.count == 2, "\(run.errors)")
    let secret = try await runtime("channel", "follow", "https://me:hunter2@host.example", "--root", root)
    #expect(secret.status == 64 && secret.errors.contains("netrc") && !secret.errors.contains("hunter2"))
  }
}
