import Foundation
import TestSupport
import Testing

/// Models that loop forever or exhaust memory when the command tries them, in the separate processes that it starts.
@Suite(.tags(.process)) struct TrialTests {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  /// A model that never ends, with the inputs of its trial.
  private func loop() throws -> [String] {
    let model = try WrittenModel.write(
      """
      (tensor<fp32, [1]> x) {
        tensor<fp32, [1]> y = while_loop(loop_vars = (x)) block(tensor<fp32, [1]> v) { bool m = const()[val = bool(true)]; } -> (m)
          block(tensor<fp32, [1]> v) { tensor<fp32, [1]> w = abs(x = v); } -> (w);
      } -> (y)
      """, inputs: ["x": [1]], outputs: ["y": [1]], in: folder, named: "Loop")
    try folder.write(#"{"x": [1]}"#, to: "x.json")
    try folder.write(#"{"y": [1]}"#, to: "y.json")
    return [model, "--golden-inputs", "x.json", "--golden-outputs", "y.json", "--compute-units", "cpuOnly"]
  }

  /// The processes that try models for this home.
  private func trials() -> [Int32] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.compactMap { Int32($0) }.filter { process in
      func read(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: "/proc/\(process)/\(name)") ?? Data(), as: UTF8.self)
      }
      return read("cmdline").hasSuffix("--coreml-trial\0") && read("environ").contains("HOME=\(folder.url.path)\0")
    }
  }

  private func wait(for condition: () -> Bool) -> Bool {
    for _ in 0..<3000 {
      if condition() { return true }
      Thread.sleep(forTimeInterval: 0.01)
    }
    return false
  }

  @Test func aModelThatNeverEndsIsRefused() throws {
    let run = try CommandRun(["models", "install"] + loop() + ["--trial-timeout", "10"], in: folder)
    run.failed(65, naming: "within 10 s")
    #expect(trials().isEmpty)
    #expect(try CommandRun(["models", "list", "--json"], in: folder).output.contains("Loop") == false)
  }

  @Test(arguments: [SIGKILL, SIGTERM]) func theTrialEndsWithTheCommand(signal: Int32) throws {
    let process = CommandRun.process(try ["models", "install"] + loop(), in: folder)
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try process.run()
    #expect(wait { trials().count == 1 })
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationStatus == (signal == SIGKILL ? SIGKILL : 143))
    #expect(wait { trials().isEmpty })
  }

  @Test func aModelThatTakesAllMemoryIsRefused() throws {
    let model = try WrittenModel.write(
      """
      (tensor<fp32, [?, ?]> x, tensor<fp32, [?, ?]> y) { tensor<fp32, [?, ?]> z = matmul(x = x, y = y); } -> (z)
      """, inputs: ["x": [0, 0], "y": [0, 0]], outputs: ["z": [0, 0]], in: folder, named: "Product")
    func array(_ shape: [Int]) -> String { "{\"shape\": \(shape), \"dataType\": \"float32\", \"data\": []}" }
    try folder.write("{\"x\": \(array([40_000, 0])), \"y\": \(array([0, 40_000]))}", to: "x.json")
    try folder.write("{\"z\": 1}", to: "z.json")
    let words = [
      "models", "install", model, "--golden-inputs", "x.json", "--golden-outputs", "z.json", "--compute-units",
      "cpuOnly",
    ]
    try CommandRun(words + ["--trial-memory", "512M"], in: folder).failed(65, naming: "512.0 MB")
    #expect(trials().isEmpty)
  }

  /// Limits apply where the model is compiled and loaded, which is another process.
  @Test func limitsOfTheCommandReachTheTrial() throws {
    let words = [
      "models", "install", CommandRun.digits.appending(path: "Digits.mlpackage").path, "--compute-units", "cpuOnly",
    ]
    try CommandRun(words + ["--operation-limit", "1"], in: folder).failed(65, naming: "--operation-limit")
    try CommandRun(words + ["--model-size-limit", "1K"], in: folder).failed(65, naming: "--model-size-limit")
    try CommandRun(words + ["--timeout", "0.000001"], in: folder).failed(65, naming: "longer than")
    #expect(try CommandRun(words, in: folder).status == 0)
    try CommandRun(words + ["--operation-limit", "1"], in: folder).failed(65, naming: "--operation-limit")
  }

  @Test func aProcessThatTriesModelsIsNotForPeople() throws {
    #expect(try CommandRun(["--coreml-trial"], in: folder).status == 64)
  }

  @Test func withoutAHelperTheCommandInstallsNothing() throws {
    let words = ["models", "install", CommandRun.digits.appending(path: "Digits.mlpackage").path, "--name", "Digits"]
    try CommandRun(words, in: folder, environment: ["COREML_TRIAL_HELPER": "/bin/false"])
      .failed(69, naming: "process of their own")
    try CommandRun(words, in: folder, environment: ["COREML_TRIAL_SECONDS": "never"]).failed(
      64, naming: "COREML_TRIAL_SECONDS")
    #expect(try CommandRun(words, in: folder).status == 0)
  }
}
