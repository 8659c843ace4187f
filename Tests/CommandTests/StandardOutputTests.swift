import Foundation
import Testing

/// What cannot be written to standard output is an error, whatever was to be said.
@Suite struct StandardOutputTests {
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

  /// A command ends in the middle of its work here. What it holds then it holds also by pointers with bits of an enumeration in them, which no
  /// checker of leaks knows for pointers.
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

  /// No file of ours may get the number of an output that came closed, and with it what is printed.
  @Test func aClosedOutputDoesNotLandInFiles() throws {
    let run = try CommandRun(
      ["predict", Self.model, "--batch", CommandRun.digits.path, "--on-error", "skip", "--output", "out.jsonl"],
      in: folder, redirection: ">&-")
    #expect(run.status == 0, "\(run.complaint)")
    #expect(try folder.read("out.jsonl").split(separator: "\n").count == 6)
  }
}
