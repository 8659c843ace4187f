import Foundation
import MIL
import Synchronization
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels

/// Kernels selected by their measured time on this machine.
@Suite struct KernelTimingTests {
  /// A timer that returns given times and counts its calls.
  private final class Watch: Sendable {
    let calls = Mutex(0)
    let seconds: @Sendable ([Candidate]) -> [Double?]

    init(_ seconds: @escaping @Sendable ([Candidate]) -> [Double?]) { self.seconds = seconds }

    func timings(
      _ directory: String?, processor: String = "a processor", threads: Int = 1, most: Int = 100
    ) -> KernelTimings {
      KernelTimings(directory: directory, processor: processor, threads: threads, most: most) { candidates, _, _ in
        self.calls.withLock { $0 += 1 }
        return self.seconds(candidates)
      }
    }
  }

  /// A product of two runtime values that several kernels match.
  private static func product(_ columns: Int = 64) -> String {
    """
    (tensor<fp32, [160, 96]> x, tensor<fp32, [96, \(columns)]> w) {
      tensor<fp32, [160, \(columns)]> y = matmul(x = x, y = w);
    } -> (y)
    """
  }

  private func row(
    _ text: String, _ timings: KernelTimings?, whenMet: Bool = true
  ) throws -> (name: String, all: [String], cost: Double) {
    var host = PlanDevice(kind: .cpu, profile: .cpu(threads: 1))
    (host.timings, host.timesWhatIsMet) = (timings, whenMet)
    let engine = Engine(
      function: try FusionTests.main(text), devices: DeviceChoice(threads: 1, devices: [host]))
    let plan = try engine.plan(for: engine.inputTypes)
    let choice = try #require(plan.steps.first { $0.choice.operation.type == "matmul" }).choice
    return (choice.kernel, [choice.kernel] + choice.refusals.map(\.reason), choice.cost)
  }

  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coreml-timings-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  @Test func theRowThatTookLeastRuns() throws {
    let usual = try row(Self.product(), nil).name
    // The kernel with the lowest estimate takes longest here.
    let watch = Watch { candidates in candidates.indices.map { 1e-3 / Double($0 + 1) } }
    let timed = try row(Self.product(), watch.timings(nil))
    #expect(watch.calls.withLock { $0 } == 1)
    #expect(timed.name != usual && timed.cost < 1e-3)
    #expect(timed.all.contains { $0.hasPrefix("takes 1000.0 us, \(timed.name) ") }, "\(timed.all)")
  }

  @Test func whatCannotBeTimedStaysAsFarBehindAsEstimated() throws {
    let usual = try row(Self.product(), nil)
    let watch = Watch { candidates in [5e-6] + candidates.dropFirst().map { _ in nil } }
    let timed = try row(Self.product(), watch.timings(nil))
    #expect(timed.name == usual.name && abs(timed.cost - 0.98 * 5e-6) < 1e-12)
    let none = Watch { candidates in candidates.map { _ in nil } }
    let untimed = try row(Self.product(), none.timings(nil))
    #expect(untimed.name == usual.name && untimed.cost == usual.cost)
  }

  @Test func whatWasTimedIsKeptForItsMachine() throws {
    try inFolder { folder in
      let watch = Watch { candidates in candidates.indices.map { 1e-3 / Double($0 + 1) } }
      let first = try row(Self.product(), watch.timings(folder))
      #expect(try row(Self.product(), watch.timings(folder)).name == first.name)
      #expect(watch.calls.withLock { $0 } == 1)
      // Another shape, another processor and another number of threads.
      _ = try row(Self.product(72), watch.timings(folder))
      _ = try row(Self.product(), watch.timings(folder, processor: "another"))
      _ = try row(Self.product(), watch.timings(folder, threads: 2))
      #expect(watch.calls.withLock { $0 } == 4)
      _ = try row(Self.product(72), watch.timings(folder))
      _ = try row(Self.product(), watch.timings(folder))
      #expect(watch.calls.withLock { $0 } == 4)
    }
  }

  @Test func shapesThatComeLaterAreTimedOnlyWhereThatIsAskedFor() throws {
    let usual = try row(Self.product(), nil)
    let watch = Watch { candidates in candidates.indices.map { 1e-3 / Double($0 + 1) } }
    let timings = watch.timings(nil)
    #expect(try row(Self.product(), timings, whenMet: false).name == usual.name)
    #expect(watch.calls.withLock { $0 } == 0)
    let opened = try KernelTimings.$isOpening.withValue(true) { try row(Self.product(), timings, whenMet: false) }
    #expect(opened.name != usual.name && watch.calls.withLock { $0 } == 1)
    // A measured result that is already known is used.
    #expect(try row(Self.product(), timings, whenMet: false).name == opened.name)
  }

  @Test func whatIsTooMuchIsForgotten() throws {
    try inFolder { folder in
      let watch = Watch { candidates in candidates.map { _ in 1e-4 } }
      func timings() -> KernelTimings { watch.timings(folder, most: 2) }
      let known = timings()
      for columns in [64, 72, 80] { _ = try row(Self.product(columns), known) }
      #expect(watch.calls.withLock { $0 } == 3)
      // Of three entries, only the last is kept, on disk too.
      _ = try row(Self.product(80), known)
      _ = try row(Self.product(80), timings())
      #expect(watch.calls.withLock { $0 } == 3)
      _ = try row(Self.product(64), timings())
      #expect(watch.calls.withLock { $0 } == 4)
    }
  }

  @Test func aDamagedFileIsAsNone() throws {
    try inFolder { folder in
      let watch = Watch { candidates in candidates.map { _ in 1e-4 } }
      _ = try row(Self.product(), watch.timings(folder))
      for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
        try Data("nothing".utf8).write(to: URL(fileURLWithPath: folder + "/" + file))
      }
      _ = try row(Self.product(), watch.timings(folder))
      _ = try row(Self.product(), watch.timings(folder))
      #expect(watch.calls.withLock { $0 } == 2)
    }
  }

  @Test func shortWorkIsNotTimed() throws {
    let watch = Watch { candidates in candidates.map { _ in 1e-4 } }
    let text =
      "(tensor<fp32, [4, 8]> x, tensor<fp32, [8, 4]> w) { tensor<fp32, [4, 4]> y = matmul(x = x, y = w); } -> (y)"
    _ = try row(text, watch.timings(nil))
    #expect(watch.calls.withLock { $0 } == 0)
  }

  // MARK: real measurements

  /// NCHWc convolutions, pooling, a pointwise function, a product and a table of constants, in both precisions.
  private static func network(_ scalar: String) -> String {
    func weight(_ shape: [Int]) -> String {
      var parts = (0..<shape.reduce(1, *)).map { "\(Double(($0 * 29) % 23) / 92 - 0.125)" }
      for size in shape.reversed() {
        parts = stride(from: 0, to: parts.count, by: size).map {
          "[\(parts[$0..<$0 + size].joined(separator: ", "))]"
        }
      }
      return "tensor<\(scalar), \(shape)>(\(parts[0]))"
    }
    return """
      (tensor<\(scalar), [2, 24, 24, 24]> x, tensor<int32, [3]> i) {
        tensor<\(scalar), [2, 24, 24, 24]> a = conv(x = x, weight = \(weight([24, 24, 3, 3])), pad_type = string("same"));
        tensor<\(scalar), [2, 24, 24, 24]> b = silu(x = a);
        tensor<\(scalar), [2, 24, 12, 12]> c = max_pool(x = b, kernel_sizes = tensor<int32, [2]>([2, 2]), strides = tensor<int32, [2]>([2, 2]), pad_type = string("valid"));
        tensor<\(scalar), [48, 144]> d = reshape(x = c, shape = tensor<int32, [2]>([48, 144]));
        tensor<\(scalar), [48, 20]> e = linear(x = d, weight = \(weight([20, 144])));
        tensor<\(scalar), [3, 20]> y = gather(x = e, indices = i, axis = int32(0), batch_dims = int32(0), validate_indices = bool(false));
      } -> (y)
      """
  }

  @Test(arguments: ["fp32", "fp16"], [1, 2]) func timedPlansGiveTheSame(scalar: String, threads: Int) throws {
    let function = try FusionTests.main(Self.network(scalar))
    let machine = DeviceManager(processors: threads, folder: { _ in nil })
    func run(_ timed: Bool) throws -> (values: [Double], costs: [Double]) {
      let request = DeviceRequest(threads: threads, allowsGPU: false, timing: timed ? .whenMet : .never)
      let engine = Engine(function: function, devices: try DeviceChoice(request, on: machine))
      let x = try FusionTests.ramp([2, 24, 24, 24])
      let inputs = [
        "x": scalar == "fp16" ? try x.converted(to: .float16) : x,
        "i": Tensor(int32: [5, 0, 47], shape: [3]),
      ]
      let values = try #require(try EngineTests.run(engine, inputs)["y"])
      return (values, try engine.plan(for: inputs.mapValues(\.type)).steps.map(\.choice.cost))
    }
    let (usual, timed) = (try run(false), try run(true))
    let largest = usual.values.map(abs).max() ?? 0
    for (a, b) in zip(usual.values, timed.values) { #expect(abs(a - b) <= (scalar == "fp16" ? 2e-3 : 1e-4) * largest) }
    #expect(timed.costs != usual.costs)
    // A second request returns the same measurements.
    #expect(try run(true).costs == timed.costs)
  }

  @Test func everyRowOfAConvolutionCanBeTimed() throws {
    let scope = try FusionTests.main(Self.network("fp32"))
    let pool = ThreadPool(threads: 2)
    let operation = try #require(scope.body.operations.first { $0.type == "conv" })
    var names = Scope()
    for input in scope.inputs { names.define(input.name, input.type) }
    for constant in scope.body.operations {
      guard let value = constant.constant, let output = constant.outputs.first else { continue }
      names.define(output.name, output.type, value: value)
    }
    let problem = KernelProblem(
      invocation: try names.invocation(of: operation), outputs: operation.outputs.compactMap { $0.type.tensor },
      threads: 2)
    let candidates = KernelRegistry.implementations(for: "conv", on: .cpu).compactMap { try? $0.match(problem) }
    let seconds = try KernelTimer(pool: pool).seconds(of: candidates, at: problem)
    #expect(candidates.count >= 6 && seconds.allSatisfy { ($0 ?? 0) > 0 && ($0 ?? 0) < 10 })
  }

  // MARK: signatures

  private func signature(_ stride: Int, _ factor: Double, _ name: String) throws -> String {
    let text = """
      (tensor<fp32, [1, 4, 8, 8]> \(name)) {
        tensor<fp32, [1, 4, 8, 8]> s = mul(x = \(name), y = tensor<fp32, [1, 4, 1, 1]>([[[[\(factor)]], [[2]], [[3]], [[4]]]]));
        tensor<fp32, [1, 4, \(8 / stride), \(8 / stride)]> y = avg_pool(x = s, kernel_sizes = tensor<int32, [2]>([\(stride), \(stride)]), strides = tensor<int32, [2]>([\(stride), \(stride)]), pad_type = string("valid"));
      } -> (y)
      """
    let function = try FusionTests.main(text)
    var names = Scope()
    for input in function.inputs { names.define(input.name, input.type) }
    var all: [String] = []
    for operation in function.body.operations {
      if let value = operation.constant, let output = operation.outputs.first {
        names.define(output.name, output.type, value: value)
        continue
      }
      all.append(
        KernelProblem(
          invocation: try names.invocation(of: operation), outputs: operation.outputs.compactMap { $0.type.tensor },
          threads: 1
        ).signature)
      for output in operation.outputs { names.define(output.name, output.type) }
    }
    return all.joined(separator: "\n")
  }

  @Test func layersOfOneShapeHaveOneSignature() throws {
    let one = try signature(2, 1, "x")
    #expect(try signature(2, 7, "another") == one)
    #expect(try signature(4, 1, "x") != one)
    #expect(one.contains("avg_pool") && one.contains("[2, 2]") || one.contains("[2.0, 2.0]"))
  }
}
