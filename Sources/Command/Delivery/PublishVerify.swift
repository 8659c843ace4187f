import ArgumentParser
import CoreMLDelivery
import Foundation

struct PublishVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Looks at the tree as a device does; exit status 1 when one would refuse something.")

  @OptionGroup var options: PublishOptions
  @Flag(help: "Unpack every object too.")
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
    commandName: "gc", abstract: "Removes what no draft and none of the last manifests speaks of.")

  @OptionGroup var options: PublishOptions
  @Option(parsing: .unconditional, help: "How many manifests of each channel stay, with all they speak of.")
  var keep = 3
  @Flag(help: "Only say what would be removed.")
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
