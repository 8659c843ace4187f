import ArgumentParser
import CoreMLDelivery
import Foundation

struct PublishVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks the tree as a device does; exit status 1 if a device would reject something.")

  @OptionGroup var options: PublishOptions
  @Flag(help: "Also unpack every object.")
  var unpack = false

  private struct Report: Encodable {
    struct Problem: Encodable {
      let code: String
      let message: String
    }
    let problems: [Problem]
  }

  func run() throws {
    let publisher = try options.publisher()
    let problems = try ProgressBar.during(
      unpack ? "Reading and unpacking what is published" : "Reading what is published"
    ) {
      try publisher.verify(unpacking: unpack)
    }
    try options.say(
      Report(problems: problems.map { .init(code: $0.code.rawValue, message: $0.description) }),
      problems.isEmpty ? "All is well." : problems.map { "\($0.code.rawValue): \($0)" }.joined(separator: "\n"))
    if !problems.isEmpty { throw Failure.negative }
  }
}

struct PublishGC: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc", abstract: "Removes files that no draft and none of the last manifests refers to.")

  @OptionGroup var options: PublishOptions
  @Option(
    parsing: .unconditional, help: "How many manifests of each channel to keep, with all files that they refer to.")
  var keep = 3
  @Flag(help: "Only print what would be removed.")
  var dryRun = false

  func validate() throws {
    guard (1...1_000_000).contains(keep) else { throw ValidationError("--keep is \(keep), expected 1 to 1000000") }
  }

  private struct Report: Encodable {
    let removed: [String]
    let bytes: Int64
  }

  func run() throws {
    let publisher = try options.publisher()
    let (paths, bytes) = try ProgressBar.during("Looking for what is not needed any more") {
      try publisher.collectGarbage(keeping: keep, dryRun: dryRun)
    }
    try options.say(
      Report(removed: paths, bytes: bytes),
      (paths + ["\(paths.count) items, \(Console.bytes(Int(bytes)))"]).joined(separator: "\n"))
  }
}
