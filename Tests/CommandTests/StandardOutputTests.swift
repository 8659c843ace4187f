import Foundation
import TestSupport
import Testing

/// Any output that cannot be written to standard output is an error.
@Suite(.tags(.process)) struct StandardOutputTests {
  private let folder: Scratch
  private static let model = CommandRun.digits.appending(path: "Digits.mlpackage").path
  private static let image = CommandRun.digits.appending(path: "two.png").path

  init() throws { folder = try Scratch() }

  private static let commands: [[String]] = [
    ["--help"], ["--version"], ["predict", "--help"], ["help", "bench"], ["--generate-completion-script", "bash"],
    ["predict", model, "--input", image], ["predict", model, "--batch", CommandRun.digits.path, "--on-error", "skip"],
    ["predict", model, "--input", image, "--compare", CommandRun.digits.appending(path: "expected.json").path],
    ["inspect", model], ["inspect", model, "--stage", "program"], ["plan", model, "--compute-units", "cpuOnly"],
    ["compile", model, "-o", "out"], ["bench", model, "--iterations", "1", "--compute-units", "cpuOnly"], ["devices"],
    ["support"], ["models"], ["cache"],
  ]

  /// The command ends in the middle of its work here. Some of its memory is only referenced by pointers with enum bits
  /// in them, which a leak checker does not recognize.
  private static let environment =
    ProcessInfo.processInfo.environment["ASAN_OPTIONS"].map { ["ASAN_OPTIONS": "\($0):detect_leaks=0"] } ?? [:]

  @Test(arguments: commands)
  func aFullDeviceIsAnError(arguments: [String]) throws {
    let run = try CommandRun(arguments, in: folder, environment: Self.environment, redirection: "> /dev/full")
    run.failed(73, naming: "No space left on device")
  }

  @Test(arguments: [["--help"], ["predict", model, "--input", image], ["support"]])
  func aClosedOutputIsAnError(arguments: [String]) throws {
    try CommandRun(arguments, in: folder, environment: Self.environment, redirection: ">&-")
      .failed(73, naming: "standard output")
  }

  /// No file of the command may get the descriptor of a closed output, because printed text would then go into that
  /// file.
  @Test func aClosedOutputDoesNotLandInFiles() throws {
    let run = try CommandRun(
      ["predict", Self.model, "--batch", CommandRun.digits.path, "--on-error", "skip", "--output", "out.jsonl"],
      in: folder, redirection: ">&-")
    #expect(run.status == 0, "\(run.complaint)")
    #expect(try folder.read("out.jsonl").split(separator: "\n").count == 6)
  }
}
