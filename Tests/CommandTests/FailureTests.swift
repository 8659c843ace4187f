import Foundation
import TestSupport
import Testing

/// Every failure has the status of the contract and one error message.
@Suite(.tags(.process)) struct FailureTests {
  private let folder: Scratch
  private static let model = CommandRun.digits.appending(path: "Digits.mlpackage").path
  private static let image = CommandRun.digits.appending(path: "two.png").path

  init() throws { folder = try Scratch() }

  @Test(
    arguments: [
      (["predict"], 64, "model"),
      (["bogus"], 64, "bogus"),
      (["predct"], 64, "did you mean 'predict'"),
      (["help", "nosuch"], 64, "no command 'nosuch'"),
      (["models", "lst"], 64, "did you mean 'list'"),
      (["predict", model, "--input", image, "--input", "image=\(image)"], 64, "given twice"),
      (["predict", model, "--input", image, "--output", "out.npz"], 64, "'classLabel' (string)"),
      (["predict", model, "--batch", CommandRun.digits.path, "--output", "out.npz"], 64, "'classLabel' (string)"),
      (["predict", model, "--input", image, "--compare", "out.json", "--rtol", "-1"], 64, "negative"),
      (["models", "install", model, "--rtol", "-1"], 64, "negative"),
      (["publish", "add", "shop", model, "--version", "1", "--atol", "-1"], 64, "negative"),
      (["predict", model, "--batch", "rows.jsonl", "--max-failures", "0"], 64, "--on-error"),
      (["predict", "absent.mlmodel"], 74, "absent.mlmodel"),
      (["predict", "/dev/null"], 74, "/dev/null"),
      (["inspect", "."], 65, "expected a model"),
      (["predict", model], 65, "image"),
      (["predict", model, "--input", "absent.png"], 74, "absent.png"),
      (["predict", model, "--input", "features.txt"], 64, "features.txt"),
      (["predict", model, "--input", "nothing=\(image)"], 65, "nothing"),
      (["predict", model, "--set", "image"], 64, "NAME=VALUE"),
      (["predict", model, "--input", image, "--output", "absent/out.json"], 73, "absent/out.json"),
      (["predict", model, "--input", image, "--output", "out.txt"], 64, "out.txt"),
      (["predict", model, "--input", image, "--device", "opencl:99:0"], 69, "opencl:99:0"),
      (["predict", model, "--input", image, "--function", "absent"], 65, "absent"),
      (["predict", model, "--input", image, "--threads", "0"], 64, "--threads"),
      (["predict", model, "--input", image, "--timeout", "-1"], 64, "--timeout"),
      (["predict", model, "--input", image, "--compare", "absent.npz"], 74, "absent.npz"),
      (["predict", model, "--resume"], 64, "--resume"),
      (["predict", model, "--batch", "absent.jsonl"], 74, "absent.jsonl"),
      (["compile", model, "-o", "/proc/absent"], 73, "/proc/absent"),
      (["coremlc", "compile", model, "/proc/absent"], 73, "/proc/absent"),
      (["coremlc", "generate", model, "/proc/absent"], 73, "/proc/absent"),
      (["predict", model, "--batch", CommandRun.digits.path, "--output", "absent/out.jsonl"], 73, "No such file"),
      (["bench", model, "--iterations", "0"], 64, "--iterations"),
    ] as [([String], Int32, String)])
  func failsAsTheContractSays(arguments: [String], status: Int32, word: String) throws {
    try CommandRun(arguments, in: folder).failed(status, naming: word)
  }

  /// File names are bytes. The command refuses names that are not valid text by name, and does not confuse them with
  /// other files.
  @Test func namesThatAreNoTextAreRefusedByName() throws {
    try FileManager.default.createDirectory(at: folder.url.appending(path: "in"), withIntermediateDirectories: true)
    let name = Array(folder.url.appending(path: "in").path.utf8) + Array("/caf".utf8) + [0xE9] + Array(".png\0".utf8)
    let file = name.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map { open($0, O_WRONLY | O_CREAT, 0o644) } ?? -1 }
    }
    #expect(file >= 0)
    close(file)
    try CommandRun(["predict", Self.model, "--batch", "in"], in: folder).failed(65, naming: "'caf\\xe9.png'; rename")
    try CommandRun(
      ["predict", Self.model], in: folder, redirection: #"--input "$(printf 'in/caf\351.png')""#
    ).failed(64, naming: "argument 4 is not UTF-8: 'in/caf\\xe9.png'")
  }

  @Test(arguments: [
    ("", "json"), ("[1, 2]", "json"), ("{\"image\": ", "json"), ("{\"image\": {\"image\": 1}}", "json"),
    ("{\"other\": 1}", "json"),
    (String(repeating: "[", count: 100_000), "json"), ("", "npz"), ("PK\u{3}\u{4}nothing", "npz"),
    ("\u{93}NUMPY", "npy"), ("", "png"),
    ("no picture", "jpg"),
  ])
  func inputsThatAreNoneAreRefused(content: String, kind: String) throws {
    try folder.write(content, to: "input.\(kind)")
    let argument = kind == "npy" ? "image=input.npy" : "input.\(kind)"
    try CommandRun(["predict", Self.model, "--input", argument], in: folder).failed(65, naming: "input.\(kind)")
  }

  @Test func aSentenceStaysOneLineWhateverTheNames() throws {
    try CommandRun(["predict", "a\nb\u{1B}[2Jc.mlmodel"], in: folder).failed(74, naming: "b [2Jc.mlmodel")
  }

  @Test func aCacheThatCannotBeWrittenIsSaidAndDoneWithout() throws {
    // The cache folder exists and is writable, but its subfolder is not.
    try folder.write("no folder", to: ".cache/coreml/compiled")
    let run = try CommandRun(["predict", Self.model, "--input", Self.image], in: folder)
    #expect(run.status == 0)
    #expect(run.complaint.contains("not kept") && run.complaint.contains("expected a folder"), "\(run.complaint)")
    #expect(try run.json()["classLabel"] as? String == "two")
  }

  @Test func aHomeThatCannotBeWrittenIsSaidAndDoneWithout() throws {
    let run = try CommandRun(
      ["predict", Self.model, "--input", Self.image], in: folder, environment: ["XDG_CACHE_HOME": "/proc/absent"])
    #expect(run.status == 0)
    #expect(run.complaint.contains("not kept") && run.complaint.filter { $0 == "\n" }.count == 1)
    #expect(try run.json()["classLabel"] as? String == "two")
  }
}
