import Foundation
import TestSupport
import Testing

/// The memory and time of the command are bounded. Whatever a model or its input requires, the command ends with an
/// error message and a status.
@Suite(.tags(.process)) struct BoundsTests {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  /// x times y of any sizes: 100,000 empty rows times as many columns make 40 GB of zeros.
  private func product() throws -> String {
    try WrittenModel.write(
      """
      (tensor<fp32, [?, ?]> x, tensor<fp32, [?, ?]> y) { tensor<fp32, [?, ?]> z = matmul(x = x, y = y); } -> (z)
      """, inputs: ["x": [0, 0], "y": [0, 0]], outputs: ["z": [0, 0]], in: folder, named: "Product")
  }

  private func row(_ rows: Int, _ depth: Int) -> String {
    func array(_ shape: [Int]) -> String {
      let numbers = Array(repeating: "0", count: shape.reduce(1, *)).joined(separator: ",")
      return "{\"shape\": \(shape), \"dataType\": \"float32\", \"data\": [\(numbers)]}"
    }
    return "{\"x\": \(array([rows, depth])), \"y\": \(array([depth, rows]))}"
  }

  /// `seconds` limits the processor time. Under a sanitizer the limit is ten times as high.
  private func command(
    _ arguments: [String], memory kilobytes: Int? = nil, working seconds: Int? = nil,
    environment: [String: String] = [:]
  ) throws -> CommandRun {
    try CommandRun(
      arguments, in: folder, environment: environment, addressSpace: kilobytes,
      processorTime: seconds.map { $0 * (Self.isSanitized ? 10 : 1) })
  }

  private static let large = 40_000  // 6.4 GB

  @Test func aPredictionThatNoMachineHasMemoryForIsRefused() throws {
    let model = try product()
    try folder.write(row(400_000, 0), to: "largest.json")  // 640 GB
    try command(["predict", model, "--input", "largest.json"]).failed(65, naming: "larger than any tensor")
    try folder.write(row(Self.large, 0), to: "large.json")
    try command(["predict", model, "--input", "large.json", "--memory-limit", "1G"]).failed(75, naming: "1.0 GB")
    try command(["predict", model, "--input", "large.json"], environment: ["COREML_MEMORY_LIMIT": "512M"])
      .failed(75, naming: "512.0 MB")
    try command(["bench", model, "--input", "large.json", "--memory-limit", "1G"]).failed(75, naming: "1.0 GB")
  }

  /// Sanitizers reserve terabytes of address space.
  private static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

  /// A size that fits into the machine's memory but not into the process's address space.
  @Test(.enabled(if: !isSanitized, "a sanitizer needs the address space"))
  func anAddressSpaceThatIsTooSmallIsAnErrorToo() throws {
    let model = try product()
    try folder.write(row(20_000, 0), to: "large.json")  // 1.6 GB
    try command(["predict", model, "--input", "large.json", "--threads", "1"], memory: 1_500_000)
      .failed(75, naming: "needs")
  }

  @Test(arguments: [(400_000, []), (large, ["--memory-limit", "1G"])])
  func theSameProcessGoesOnPredicting(size: Int, options: [String]) throws {
    let model = try product()
    try folder.write([row(2, 3), row(size, 0), row(3, 1)].joined(separator: "\n"), to: "rows.jsonl")
    let run = try command(
      ["predict", model, "--batch", "rows.jsonl", "--output", "out.jsonl", "--on-error", "record"] + options)
    #expect(run.status == 0 && run.signal == nil, "\(run.complaint)")
    let lines = try folder.read("out.jsonl").split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].contains("[2,2]") || lines[0].contains("[2, 2]"), "\(lines[0])")
    #expect(lines[1].contains("error") && lines[1].contains(options.isEmpty ? "larger" : "GB"), "\(lines[1])")
    #expect(lines[2].contains("[3,3]") || lines[2].contains("[3, 3]"), "\(lines[2])")
  }

  /// 220,000 empty rows by as many columns: 194 GB. The command refuses it as a tensor of that size or, without that
  /// limit, as larger than the available memory. Both with unlimited address space and with 8 GB.
  @Test(
    .enabled(if: !isSanitized, "a sanitizer needs the address space"), arguments: [nil, 8_000_000], ["64G", "none"])
  func aShapeOf200GBIsRefusedAndTheProcessGoesOn(kilobytes: Int?, limit: String) throws {
    let model = try product()
    try folder.write([row(2, 3), row(220_000, 0), row(3, 1)].joined(separator: "\n"), to: "rows.jsonl")
    let run = try command(
      ["predict", model, "--batch", "rows.jsonl", "--output", "out.jsonl", "--on-error", "record", "--threads", "1"],
      memory: kilobytes, environment: ["COREML_TENSOR_SIZE_LIMIT": limit, "COREML_MEMORY_LIMIT": "4G"])
    #expect(run.status == 0 && run.signal == nil, "\(run.complaint)")
    let lines = try folder.read("out.jsonl").split(separator: "\n")
    try #require(lines.count == 3)
    #expect(lines[0].contains("[2,2]") || lines[0].contains("[2, 2]"), "\(lines[0])")
    #expect(lines[1].contains("error") && lines[1].contains(limit == "none" ? "4.0 GB" : "larger"), "\(lines[1])")
    #expect(lines[2].contains("[3,3]") || lines[2].contains("[3, 3]"), "\(lines[2])")
    // A single prediction ends with an error message and a status.
    try folder.write(row(220_000, 0), to: "large.json")
    try command(
      ["predict", model, "--input", "large.json", "--threads", "1"], memory: kilobytes,
      environment: ["COREML_TENSOR_SIZE_LIMIT": limit, "COREML_MEMORY_LIMIT": "4G"]
    ).failed(limit == "none" ? 75 : 65, naming: limit == "none" ? "4.0 GB" : "larger")
  }

  @Test func whatIsNoSizeIsRefused() throws {
    let model = try product()
    try folder.write(row(1, 1), to: "small.json")
    try command(["predict", model, "--input", "small.json", "--memory-limit", "much"]).failed(
      64, naming: "memory-limit")
    try command(["predict", model, "--input", "small.json"], environment: ["COREML_MEMORY_LIMIT": "much"])
      .failed(65, naming: "COREML_MEMORY_LIMIT")
    #expect(try command(["predict", model, "--input", "small.json", "--memory-limit", "64M"]).status == 0)
  }

  @Test func anEndlessLoopEndsWithItsTimeout() throws {
    let model = try WrittenModel.write(
      """
      (tensor<fp32, [1]> x) {
        tensor<fp32, [1]> y = while_loop(loop_vars = (x)) block(tensor<fp32, [1]> v) { bool m = const()[val = bool(true)]; } -> (m)
          block(tensor<fp32, [1]> v) { tensor<fp32, [1]> w = abs(x = v); } -> (w);
      } -> (y)
      """, inputs: ["x": [1]], outputs: ["y": [1]], in: folder, named: "Loop")
    try folder.write("{\"x\": [1]}", to: "x.json")
    try folder.write("{\"x\": [1]}\n{\"x\": [2]}\n", to: "rows.jsonl")
    try command(["predict", model, "--input", "x.json", "--timeout", "1"], working: 20).failed(75, naming: "1.0 s")
    let run = try command(
      ["predict", model, "--batch", "rows.jsonl", "--output", "out.jsonl", "--on-error", "record", "--timeout", "1"],
      working: 20)
    // Every row failed.
    #expect(run.status == 65, "\(run.complaint)")
    #expect(try folder.read("out.jsonl").split(separator: "\n").count { $0.contains("longer than 1.0 s") } == 2)
  }

  /// With a time limit, reading moves to another thread and back for each row. On one processor the threads interleave
  /// in any order.
  @Test func readingUnderALimitOfTimeIsAsWithout() throws {
    let model = try product()
    try folder.write(String(repeating: row(1, 1) + "\n", count: 400), to: "rows.jsonl")
    let words = ["predict", model, "--batch", "rows.jsonl", "--timeout", "100", "--output"]
    let pinned = #"exec taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" "$0" "$@""#
    for (name, line) in [("all", nil), ("one", pinned)] {
      let run = try CommandRun(words + ["\(name).jsonl"], in: folder, shell: line)
      #expect(run.signal == nil && run.status == 0, "\(run.complaint)")
      #expect(try folder.read("\(name).jsonl").split(separator: "\n").count == 400)
    }
  }

  @Test func loadingEndsWithTheTimeout() throws {
    var text = "(tensor<fp32, [1]> v0) {"
    for index in 1...150_000 { text += "tensor<fp32, [1]> v\(index) = square(x = v\(index - 1));\n" }
    let model = try WrittenModel.write(
      text + "} -> (v150000)", inputs: ["v0": [1]], outputs: ["v150000": [1]], in: folder, named: "Long")
    try folder.write("{\"v0\": [1]}", to: "x.json")
    try command(["predict", model, "--input", "x.json", "--timeout", "0.05"], working: 5).failed(
      75, naming: "loading the model")
  }

  /// 2^31 empty rows, from a file of a few hundred bytes.
  @Test func modelsOfEmptyConstantsAreNoWork() throws {
    let model = try WrittenModel.write(
      """
      (tensor<fp32, [1]> x) {
        tensor<fp32, [2147483647, 0]> c = const()[val = tensor<fp32, [2147483647, 0]>([])];
        tensor<fp32, [2147483647, 0]> d = fill_like(ref_tensor = c, value = fp32(1));
        tensor<fp32, [0, 2147483647]> e = transpose(x = d, perm = tensor<int32, [2]>([1, 0]));
        tensor<fp32, [1]> y = square(x = x);
      } -> (y, c, e)
      """, inputs: ["x": [1]], outputs: ["y": [1], "c": [100, 1], "e": [1, 100]], in: folder, named: "Empty")
    try folder.write("{\"x\": [3]}", to: "x.json")
    for stage in ["program", "optimized", "placed", "plan"] {
      let run = try command(["inspect", model, "--stage", stage, "--compute-units", "cpuOnly"], working: 5)
      #expect(run.status == 0 && run.output.utf8.count < 10_000, "\(stage): \(run.complaint)")
    }
    let run = try command(["predict", model, "--input", "x.json", "--timeout", "60", "--output", "y.json"], working: 5)
    #expect(run.signal == nil && [0, 65].contains(run.status), "\(run.complaint)")
  }

  /// The same as a source of 350 bytes, which is compiled, and inspected before that.
  @Test func compilingEmptyConstantsIsNoWork() throws {
    try Data(EmptyProgram.bytes).write(to: folder.url.appending(path: "Empty.mlmodel"))
    let run = try command(["compile", "Empty.mlmodel", "--timeout", "60"], working: 5)
    #expect(run.status == 0, "\(run.complaint)")
    #expect(try folder.read("Empty.mlmodelc/model.mil").utf8.count < 10_000)
    #expect(try command(["inspect", "Empty.mlmodel", "--stage", "program"], working: 5).status == 0)
  }

  /// A constant of 160 KB, and operations that depend on it.
  private func constant() throws -> String {
    let numbers = Array(repeating: "1.0", count: 200).joined(separator: ", ")
    let rows = Array(repeating: "[\(numbers)]", count: 200).joined(separator: ", ")
    return try WrittenModel.write(
      """
      (tensor<fp32, [1]> x) {
        tensor<fp32, [200, 200]> c = const()[val = tensor<fp32, [200, 200]>([\(rows)])];
        tensor<fp32, [200, 200]> d = exp(x = c);
        tensor<fp32, [200, 200]> e = add(x = d, y = x);
        tensor<fp32, [1, 1]> f = reduce_sum(x = e, axes = tensor<int32, [2]>([0, 1]), keep_dims = bool(true));
        tensor<fp32, [1]> y = reshape(x = f, shape = tensor<int32, [1]>([1]));
      } -> (y)
      """, inputs: ["x": [1]], outputs: ["y": [1]], in: folder, named: "Constant")
  }

  @Test(arguments: [["plan"], ["inspect", "--stage", "placed"], ["inspect", "--stage", "plan"]])
  func lookingAtAModelKeepsToItsMemory(words: [String]) throws {
    let model = try constant()
    let command = [words[0], model] + words.dropFirst() + (words[0] == "plan" ? ["--compute-units", "cpuOnly"] : [])
    #expect(try self.command(command).status == 0)
    try self.command(command + ["--memory-limit", "100K"]).failed(75, naming: "100.0 KB")
    try self.command(command, environment: ["COREML_MODEL_MEMORY_LIMIT": "100K"]).failed(75, naming: "100.0 KB")
  }

  @Test(arguments: [["inspect"], ["inspect", "--stage", "program"], ["plan"], ["bench"]])
  func lookingAtAModelEndsWithTheTimeout(words: [String]) throws {
    var text = "(tensor<fp32, [1]> v0) {"
    for index in 1...100_000 { text += "tensor<fp32, [1]> v\(index) = square(x = v\(index - 1));\n" }
    let model = try WrittenModel.write(
      text + "} -> (v100000)", inputs: ["v0": [1]], outputs: ["v100000": [1]], in: folder, named: "Long")
    let command = [words[0], model] + words.dropFirst()
    try self.command(command + ["--timeout", "0.05"], working: 10).failed(75, naming: "took longer than 0.05 s")
    try self.command(command, environment: ["COREML_LOAD_TIME_LIMIT": "0.05"]).failed(
      75, naming: "took longer than 0.05 s")
    try self.command(command + ["--operation-limit", "1000"]).failed(65, naming: "--operation-limit")
  }

  @Test func theLimitsInForceAreListed() throws {
    struct Row: Decodable {
      let name: String
      let value: Double?
      let source: String
    }
    func rows(_ words: [String], _ environment: [String: String]) throws -> [String: Row] {
      let run = try command(["limits", "--json"] + words, environment: environment)
      #expect(run.status == 0, "\(run.complaint)")
      let rows = try JSONDecoder().decode([Row].self, from: Data(run.output.utf8))
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0) })
    }
    let plain = try rows([], [:])
    #expect(plain.count == 12 && plain.values.allSatisfy { $0.source == "default" })
    #expect((plain["memory"]?.value ?? 0) > 0 && plain["storeSize"]?.value == nil)
    let set = try rows(
      ["--timeout", "3", "--memory-limit", "64M"],
      ["COREML_MEMORY_LIMIT": "128M", "COREML_STORE_SIZE_LIMIT": "5G", "COREML_TRANSFER_RATE_LIMIT": "none"])
    #expect(set["memory"]?.value == Double(64 << 20) && set["memory"]?.source == "--memory-limit")
    #expect(set["loadTime"]?.value == 3 && set["loadTime"]?.source == "--timeout")
    #expect(set["storeSize"]?.value == Double(5 << 30) && set["storeSize"]?.source == "COREML_STORE_SIZE_LIMIT")
    #expect(set["transferRate"]?.value == nil && set["transferRate"]?.source == "COREML_TRANSFER_RATE_LIMIT")
    try command(["limits"], environment: ["COREML_OPERATION_LIMIT": "few"]).failed(65, naming: "COREML_OPERATION_LIMIT")
    #expect(plain["compiledSize"]?.value == Double(16 << 30))
    #expect(try rows(["--compiled-limit", "3G"], [:])["compiledSize"]?.value == Double(3 << 30))
    try command(["limits", "--min-rate", "slow"]).failed(64, naming: "--min-rate")
  }
}
