import Foundation
import TestSupport
import Testing

@Suite(.tags(.process)) struct OtherCommandTests {
  private let folder: Scratch
  private static let model = CommandRun.digits.appending(path: "Digits.mlpackage").path
  private static let image = CommandRun.digits.appending(path: "nine.png").path

  init() throws { folder = try Scratch() }

  @Test func compileWritesAWholeModelAndReplacesOne() throws {
    for _ in 0..<2 {
      let run = try CommandRun(["compile", Self.model, "-o", "out"], in: folder)
      #expect(run.status == 0)
      let path = run.output.trimmingCharacters(in: .newlines)
      #expect(path.hasSuffix("/out/Digits.mlmodelc"))
      #expect(try folder.list("out") == ["Digits.mlmodelc"])
      let found = try CommandRun(["predict", path, "--input", Self.image, "--compute-units", "cpuOnly"], in: folder)
      #expect(try found.json()["classLabel"] as? String == "nine")
    }
    // A compiled model needs no cache, and compiling does not write one.
    #expect(try folder.list() == ["out"])
  }

  @Test func inspectTellsWhatTheFileSays() throws {
    let found = try CommandRun(["inspect", Self.model, "--weights"], in: folder).json()
    #expect(found["modelType"] as? String == "mlProgram")
    #expect(found["form"] as? String == "mlpackage")
    #expect((found["contents"] as? [String: Int])?["conv"] == 3)
    let weights = try #require(found["weights"] as? [[String: Any]])
    #expect(
      weights.contains { $0["type"] as? String == "tensor<fp32, [64, 32, 3, 3]>" && $0["bytes"] as? Int == 73728 })
    #expect(try folder.list().isEmpty)
  }

  /// A model compiled by Apple's tools with an unknown layer: the command shows the interface and the reason why it
  /// cannot run.
  @Test func inspectShowsTheInterfaceOfWhatCannotRun() throws {
    func number<T: FixedWidthInteger>(_ value: T) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(bytes.count)] + bytes }
    func feature(_ name: String) -> [UInt8] { field(1, Array(name.utf8)) + field(3, field(5, field(1, [2]))) }
    let description = field(1, feature("x")) + field(10, feature("y"))
    let form = "generic"
    let header = number(UInt32(500)) + [UInt8](repeating: 0, count: 24) + number(UInt64(form.utf8.count))
    let version = Array(form.utf8) + number(UInt64(4)) + [UInt8](repeating: 0, count: 24)
    let bytes = header + version + number(UInt64(description.count)) + description
    let layer = #"{"type": "no_such", "name": "y", "bottom": "x", "top": "y"}"#
    try folder.write(#"{"format_version": 200, "layers": [\#(layer)]}"#, to: "Net.mlmodelc/model.espresso.net")
    try folder.write(#"{"layer_shapes": {}}"#, to: "Net.mlmodelc/model.espresso.shape")
    try Data([UInt8](repeating: 0, count: 8)).write(
      to: folder.url.appending(path: "Net.mlmodelc/model.espresso.weights"))
    try Data(bytes).write(to: folder.url.appending(path: "Net.mlmodelc/coremldata.bin"))
    try CommandRun(["plan", "Net.mlmodelc"], in: folder).failed(65, naming: "no_such")
    let found = try CommandRun(["inspect", "Net.mlmodelc"], in: folder).json()
    let function = try #require((found["functions"] as? [[String: Any]])?.first)
    #expect((function["inputs"] as? [[String: Any]])?.map { $0["name"] as? String } == ["x"])
    #expect((function["outputs"] as? [[String: Any]])?.map { $0["name"] as? String } == ["y"])
    #expect(found["modelType"] as? String == "neuralNetwork" && found["specificationVersion"] as? Int == 4)
    #expect((found["refusal"] as? String)?.contains("no_such") == true)
    // A model without a description of its features is refused.
    try Data([1, 2, 3, 4, 5, 6, 7, 8, 9]).write(to: folder.url.appending(path: "Net.mlmodelc/coremldata.bin"))
    try CommandRun(["inspect", "Net.mlmodelc"], in: folder).failed(65, naming: "cut short")
  }

  /// Types are output as data, as are the models of a pipeline and the training inputs (Model.proto and
  /// FeatureTypes.proto encoded by hand).
  @Test func inspectGivesTypesAsData() throws {
    func varint(_ value: UInt64) -> [UInt8] {
      value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + varint(value >> 7)
    }
    func field(_ number: UInt64, _ value: UInt64) -> [UInt8] { varint(number << 3) + varint(value) }
    func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
      varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
    }
    func feature(_ name: String, _ type: [UInt8]) -> [UInt8] { field(1, Array(name.utf8)) + field(3, type) }
    let open: [UInt8] = field(1, field(1, 1) + field(2, UInt64.max))
    let fixed: [UInt8] = field(1, field(1, 3) + field(2, 3))
    var array: [UInt8] = field(1, varint(2) + varint(3)) + field(2, 65568)
    array += field(31, open + fixed)
    let image: [UInt8] = field(1, 4) + field(2, 5) + field(3, 20)
    var description: [UInt8] = field(1, feature("x", field(5, array)))
    description += field(1, feature("picture", field(4, image)))
    description += field(10, feature("y", field(3, [])))
    description += field(50, feature("wanted", field(1, [])))
    let inner = try #require(Data(base64Encoded: SmallModels.passenger))
    let pipeline: [UInt8] = field(1, Array(inner)) + field(2, Array("first".utf8))
    let model: [UInt8] = field(1, 1) + field(2, description) + field(202, pipeline)
    try Data(model).write(
      to: folder.url.appending(path: "Line.mlmodel"))
    let found = try CommandRun(["inspect", "Line.mlmodel", "--json"], in: folder).json()
    let function = try #require((found["functions"] as? [[String: Any]])?.first)
    let inputs = try #require(function["inputs"] as? [[String: Any]])
    #expect(inputs.map { $0["kind"] as? String } == ["multiArray", "image"])
    #expect(inputs[0]["dataType"] as? String == "float32" && inputs[0]["shape"] as? [Int] == [2, 3], "\(inputs[0])")
    let ranges = try #require(inputs[0]["ranges"] as? [[String: Int]])
    #expect(ranges == [["from": 1], ["from": 3, "to": 3]])
    #expect(inputs[1]["width"] as? Int == 4 && inputs[1]["height"] as? Int == 5)
    #expect(inputs[1]["colorSpace"] as? String == "rgb")
    let learnt = try #require(found["trainingInputs"] as? [[String: Any]])
    #expect(learnt.map { $0["name"] as? String } == ["wanted"] && learnt[0]["kind"] as? String == "int64")
    let stages = try #require(found["stages"] as? [[String: Any]])
    #expect(stages.count == 1 && stages[0]["name"] as? String == "first" && stages[0]["modelType"] is String)
    #expect((stages[0]["inputs"] as? [[String: Any]])?.map { $0["name"] as? String } == ["Sex", "Age"], "\(stages)")
    #expect((found["contents"] as? [String: Int])?.values.reduce(0, +) == 1)
  }

  @Test(arguments: [("program", "conv("), ("optimized", "conv("), ("placed", "conv("), ("plan", "\"kernel\"")])
  func everyStageCanBeSeen(stage: String, word: String) throws {
    let run = try CommandRun(["inspect", Self.model, "--stage", stage], in: folder)
    #expect(run.status == 0 && run.complaint.isEmpty)
    #expect(run.output.contains(word))
  }

  @Test func thePlanNamesDeviceKernelAndCostOfEveryOperation() throws {
    let plan = try CommandRun(["plan", Self.model, "--explain", "--compute-units", "cpuOnly"], in: folder).json()
    let steps = try #require(plan["steps"] as? [[String: Any]])
    #expect(steps.filter { $0["operation"] as? String == "fused.conv" }.count == 3)
    for step in steps {
      #expect(step["device"] as? String == "cpu")
      #expect(step["kernel"] as? String != "")
      #expect((step["cost"] as? Double ?? -1) >= 0)
    }
  }

  @Test func benchMeasures() throws {
    let report = try CommandRun(
      ["bench", Self.model, "--input", "image=\(Self.image)", "--iterations", "7", "--concurrency", "2"], in: folder
    ).json()
    #expect(report["iterations"] as? Int == 7 && report["latencyUnit"] as? String == "ms")
    let latency = try #require(report["latency"] as? [String: Double])
    let ranks = ["min", "p50", "p90", "p95", "p99", "max"].compactMap { latency[$0] }
    #expect(ranks.count == 6 && ranks == ranks.sorted() && ranks[0] > 0)
    let profile = try CommandRun(["bench", Self.model, "--iterations", "2", "--profile"], in: folder).json()
    #expect((profile["profile"] as? [[String: Any]])?.contains { $0["operation"] as? String == "softmax" } == true)
    let shares = (profile["profile"] as? [[String: Any]])?.compactMap { $0["rooflineShare"] as? Double } ?? []
    #expect(shares.contains { $0 > 0 } && (profile["roofline"] as? [String: Any])?["flops"] as? Double ?? 0 > 0)
  }

  @Test func benchServesAHarness() throws {
    let run = try CommandRun(
      ["bench", Self.model, "--interactive"], in: folder, input: "run 0 3\n\nrun 0.05 1\nquit\nrun 9 9\n")
    #expect(run.status == 0)
    let lines = try run.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(lines.count == 3)
    #expect(lines[0]["ready"] as? Int == 1 && lines[0]["load_s"] is Double && lines[0]["first_s"] is Double)
    #expect((lines[1]["ms"] as? [Double])?.count == 3)
    #expect((lines[2]["ms"] as? [Double] ?? []).reduce(0, +) >= 40)
    try CommandRun(["bench", Self.model, "--interactive"], in: folder, input: "faster\n").failed(64, naming: "faster")
  }

  @Test func devicesAreListed() throws {
    let run = try CommandRun(["devices"], in: folder)
    #expect(run.complaint.isEmpty, "\(run.complaint)")
    let found = try run.json()
    #expect((found["cpu"] as? [String: Any])?["cores"] as? Int ?? 0 > 0)
    for device in try #require(found["openCL"] as? [[String: Any]]) {
      for key in ["id", "name", "kind", "driver"] { #expect(device[key] is String) }
    }
  }

  @Test func theInstructionSetHasALimit() throws {
    func run(_ words: [String], _ limit: String) throws -> [String: Any] {
      try CommandRun(words, in: folder, environment: ["COREML_MAX_CPU_ISA": limit]).json()
    }
    #expect((try run(["devices"], "generic")["cpu"] as? [String: Any])?["instructionSet"] as? String == "generic")
    let wrong = try #require(try run(["devices"], "pentium")["problems"] as? [String])
    #expect(wrong.contains { $0.contains("COREML_MAX_CPU_ISA") && $0.contains("known are generic") })
    // An instruction set of another architecture limits nothing.
    #if arch(arm64)
      let (own, foreign) = ("neon", "avx2")
    #else
      let (own, foreign) = ("avx2", "neon")
    #endif
    let other = try #require(try run(["devices"], foreign)["problems"] as? [String])
    #expect(other.contains { $0.contains("'\(foreign)', which limits nothing") && $0.contains("generic, \(own)") })
    for limit in ["generic", own] {
      let found = try run(["predict", Self.model, "--input", Self.image, "--compute-units", "cpuOnly"], limit)
      #expect(found["classLabel"] as? String == "nine")
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func shellsGetCompletions(shell: String) throws {
    let run = try CommandRun(["--generate-completion-script", shell], in: folder)
    #expect(run.status == 0 && run.output.contains("predict"))
  }

  @Test(arguments: [["--help"], ["predict", "--help"], ["help", "bench"], ["--version"]])
  func helpIsNoError(arguments: [String]) throws {
    let run = try CommandRun(arguments, in: folder)
    #expect(run.status == 0 && !run.output.isEmpty && run.complaint.isEmpty)
  }

  /// The command and the C header have the same version.
  @Test func theVersionIsThatOfTheHeader() throws {
    let header = CommandRun.checkout.appending(path: "Sources/CInterface/include/coreml_runtime.h")
    let lines = try String(contentsOf: header, encoding: .utf8).split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix("#define COREML_RUNTIME_VERSION ") })
    let version = try CommandRun(["--version"], in: folder).output.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(line.hasSuffix("\"\(version)\""), "\(line), and the command is \(version)")
  }
}
