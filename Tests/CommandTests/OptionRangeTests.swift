import Foundation
import TestSupport
import Testing

/// Numeric options: an invalid number ends with an error message, and never with a trap.
@Suite(.tags(.process)) struct OptionRangeTests {
  private let folder: Scratch
  private static let sums = CommandRun.checkout.appending(path: "Tests/Cases/interface/sums.mlmodel").path

  init() throws {
    folder = try Scratch()
    try SmallModels.write(SmallModels.passenger, to: "Passenger.mlmodel", in: folder)
    try folder.write("{\"Sex\": \"a\", \"Age\": 1}\n", to: "rows.jsonl")
  }

  private static let huge = ["9223372036854775807", "2147483648", "9223372036854775808", "-1", "1e3"]

  @Test(arguments: huge) func aHugeNumberIsRefusedByName(number: String) throws {
    let predict = ["predict", "Passenger.mlmodel", "--batch", "rows.jsonl"]
    for (words, option) in [
      (["bench", Self.sums], "--batch-size"), (["bench", Self.sums], "--iterations"),
      (["bench", Self.sums], "--warm-up"), (["bench", Self.sums], "--concurrency"), (predict, "--batch-size"),
      (predict, "--threads"), (["plan", Self.sums], "--threads"), (["publish", "gc", "shop"], "--keep"),
      (["publish", "stage", "shop", "M"], "--percent"), (["cache", "prune"], "--keep-previous"),
      (["publish", "add", "shop", "M", "--version", "1"], "--deltas"),
      (["update", "M.mlmodel", "--data", "x", "-o", "y.mlmodelc"], "--epochs"),
      (["update", "M.mlmodel", "--data", "x", "-o", "y.mlmodelc"], "--batch-size"),
    ] {
      let run = try CommandRun(words + [option + "=" + number], in: folder)
      #expect(run.status == 64 && run.signal == nil, "\(words) \(option) \(number): \(run.complaint)")
      #expect(run.complaint.contains(option), "\(words) \(option) \(number): \(run.complaint)")
    }
  }

  @Test func whatOnlyCountsMayBeAsLargeAsItGets() throws {
    let most = "9223372036854775807"
    for words in [["--top-k", most], ["--on-error", "skip", "--max-failures", most], ["--shard", "1/\(most)"]] {
      let run = try CommandRun(["predict", "Passenger.mlmodel", "--batch", "rows.jsonl"] + words, in: folder)
      #expect(run.status == 0, "\(words): \(run.complaint)")
    }
    for (option, number) in [("--rtol", "inf"), ("--atol", "nan"), ("--rtol", "-1")] {
      let run = try CommandRun(
        ["predict", "Passenger.mlmodel", "--batch", "rows.jsonl", "\(option)=\(number)"], in: folder)
      #expect(run.status == 64 && run.complaint.contains("--rtol and --atol"), "\(run.complaint)")
    }
  }

  /// 64-bit nanoseconds since 1970 overflow in 2262.
  @Test(.enabled(if: FaultShim.isUsable)) func clocksGoOn() throws {
    let shim = try FaultShim.build(in: folder)
    for seconds in ["0", "7500000000", "60000000000", "9000000000000000000"] {
      let run = try CommandRun(
        ["predict", "Passenger.mlmodel", "--batch", "rows.jsonl"], in: folder,
        environment: ["LD_PRELOAD": shim, "FAULT_CLOCK": seconds])
      #expect(run.status == 0 && run.signal == nil, "\(seconds): \(run.complaint)")
    }
  }

  @Test func benchMeasuresForAsLongAsItIsToldTo() throws {
    let run = try CommandRun(["bench", Self.sums, "--seconds", "0.000001", "--json"], in: folder)
    #expect(try run.json()["iterations"] as? Int == 1, "\(run.output) \(run.complaint)")
    let all = try CommandRun(["bench", Self.sums, "--seconds", "0.000001", "--concurrency", "3", "--json"], in: folder)
    #expect(try all.json()["iterations"] as? Int == 3, "\(all.output) \(all.complaint)")
  }

  @Test func endlessDevicesAreNotReadForEver() throws {
    let run = try CommandRun(
      ["predict", "Passenger.mlmodel", "--input", "/dev/zero", "--memory-limit", "64M"], in: folder)
    run.failed(74, naming: "found a device")
  }
}
