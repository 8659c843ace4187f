import CoreMLBase
import CoreMLKernels
import MIL
import TestSupport
import Testing

@testable import CoreMLExecution

/// States that the operations of a device read and write stay in device memory, and move to wherever a reader needs
/// them.
@Suite(.tags(.driver), .unlessQuick, .enabled(if: OpenCLPlatformList.system.devices.first != nil, "no OpenCL device"))
struct DeviceStatesTests {
  /// A cache of 96 rows, where each step writes one row, and a sum of rows that overwrites another state completely.
  /// The program reads the first state before and after.
  private static func cache(_ scalar: ScalarType) -> String {
    let type = scalar.rawValue
    return """
      (tensor<\(type), [1, 512]> x, tensor<int32, [1]> at, state<tensor<\(type), [96, 512]>> s, state<tensor<fp32, [64, 512]>> t) {
        tensor<\(type), [96, 512]> before = read_state(input = s);
        tensor<int32, [1]> end = add(x = at, y = tensor<int32, [1]>([1]));
        tensor<int32, [1]> none = const()[val = tensor<int32, [1]>([0])];
        tensor<int32, [1]> all = const()[val = tensor<int32, [1]>([512])];
        tensor<int32, [2]> begin2 = concat(values = (at, none), axis = int32(0), interleave = bool(false));
        tensor<int32, [2]> end2 = concat(values = (end, all), axis = int32(0), interleave = bool(false));
        tensor<\(type), [96, 512]> after = slice_update(x = before, update = x, begin = begin2, end = end2);
        write_state(input = s, data = after);
        tensor<\(type), [96, 512]> again = read_state(input = s);
        tensor<\(type), [64, 512]> head = slice_by_size(x = again, begin = tensor<int32, [2]>([0, 0]), size = tensor<int32, [2]>([64, 512]));
        tensor<fp32, [64, 512]> wide = cast(x = head, dtype = string("fp32"));
        tensor<fp32, [64, 512]> sum = read_state(input = t);
        tensor<fp32, [64, 512]> more = add(x = sum, y = wide);
        write_state(input = t, data = more);
        tensor<fp32, [512]> y = reduce_sum(x = more, axes = tensor<int32, [1]>([0]), keep_dims = bool(false));
      } -> (y)
      """
  }

  private static func engine(_ text: String, onDevice: Bool) throws -> Engine {
    let function = try FusionTests.main(text)
    guard onDevice else { return Engine(function: function, devices: DeviceChoice(threads: 1)) }
    let id = try #require(OpenCLPlatformList.system.devices.first).id
    return Engine(
      function: function,
      devices: try DeviceChoice(DeviceRequest(threads: 1, allowsGPU: false, preferredOpenCLDevice: id)))
  }

  private static func inputs(_ scalar: ScalarType, _ at: Int) throws -> [String: Value] {
    let x = try Tensor(scalar, shape: [1, 512], doubles: (0..<512).map { Double(($0 * 7 + at * 3) % 31) / 16 - 1 })
    return ["x": .tensor(x), "at": .tensor(Tensor(int32: [at], shape: [1]))]
  }

  private static func run(_ engine: Engine, _ inputs: [String: Value], _ states: StateBuffers) throws -> [Double] {
    try engine.run(inputs, states: states, shouldStop: { false }) { try #require($0.first?.value.tensor).doubles() }
  }

  @Test(arguments: [ScalarType.float32, .float16]) func stepsLeaveTheStateWhereItIs(_ scalar: ScalarType) throws {
    let text = Self.cache(scalar)
    let (device, host) = (try Self.engine(text, onDevice: true), try Self.engine(text, onDevice: false))
    let (states, plain) = (try StateBuffers(types: device.stateTypes), try StateBuffers(types: host.stateTypes))
    for at in [3, 60, 3, 95] {
      let inputs = try Self.inputs(scalar, at)
      let (found, wanted) = (try Self.run(device, inputs, states), try Self.run(host, inputs, plain))
      #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= 1e-4 * max(1, abs($1)) } && found.count == wanted.count)
    }
    for name in ["s", "t"] { #expect(try states.read(name).doubles() == plain.read(name).doubles(), "\(name)") }
    // No copy of a state's size goes to or from the device.
    let plan = try #require(device.planUsedLast)
    for step in plan.steps {
      switch step.action {
      case .upload, .download: #expect(plan.slots[step.outputs[0]].byteCount < 1 << 14, "\(step.label)")
      case .readState, .writeState: #expect(step.choice.device == .openCL, "\(step.label)")
      default: break
      }
    }
  }

  /// A state that moves between the host, which changes it, and two engines.
  @Test func aStateIsWhereItIsAskedFor() throws {
    let text = Self.cache(.float16)
    let (device, host) = (try Self.engine(text, onDevice: true), try Self.engine(text, onDevice: false))
    let (states, plain) = (try StateBuffers(types: device.stateTypes), try StateBuffers(types: host.stateTypes))
    let first = try states.read("s")
    for at in 0..<6 {
      let inputs = try Self.inputs(.float16, at)
      let found = try Self.run(at % 3 == 1 ? host : device, inputs, states)
      #expect(zip(found, try Self.run(host, inputs, plain)).allSatisfy { abs($0 - $1) <= 1e-4 * max(1, abs($1)) })
      guard at % 2 == 0 else { continue }
      let before = try states.read("t")
      let numbers = try before.doubles()
      #expect(numbers == (try plain.read("t").doubles()))
      for all in [states, plain] {
        try all.write("t", from: Tensor(.float32, shape: [64, 512], doubles: numbers.map { $0 / 2 }))
      }
      #expect(try before.doubles() == numbers, "what was read stays as it was")
    }
    #expect(try first.doubles().allSatisfy { $0 == 0 })
    #expect(try states.read("s").doubles() == plain.read("s").doubles())
  }

  /// Prefill and decode: two models on one device that use one state in turn.
  @Test func twoModelsGoOnFromOneState() throws {
    let text = Self.cache(.float16)
    let (first, second) = (try Self.engine(text, onDevice: true), try Self.engine(text, onDevice: true))
    let host = try Self.engine(text, onDevice: false)
    let (states, plain) = (try StateBuffers(types: first.stateTypes), try StateBuffers(types: host.stateTypes))
    for at in 0..<4 {
      let inputs = try Self.inputs(.float16, at)
      let found = try Self.run(at % 2 == 0 ? first : second, inputs, states)
      #expect(zip(found, try Self.run(host, inputs, plain)).allSatisfy { abs($0 - $1) <= 1e-4 * max(1, abs($1)) })
    }
    for name in ["s", "t"] { #expect(try states.read(name).doubles() == plain.read(name).doubles(), "\(name)") }
  }

  /// A cancelled prediction leaves its states unchanged.
  @Test func aStoppedPredictionChangesNothing() throws {
    let engine = try Self.engine(Self.cache(.float32), onDevice: true)
    let states = try StateBuffers(types: engine.stateTypes)
    _ = try Self.run(engine, Self.inputs(.float32, 5), states)
    let (s, t) = (try states.read("s").doubles(), try states.read("t").doubles())
    let steps = try #require(engine.planUsedLast).steps.count
    for last in 0..<steps {
      try states.write("s", from: Tensor(.float32, shape: [96, 512], doubles: s))
      try states.write("t", from: Tensor(.float32, shape: [64, 512], doubles: t))
      // Once more from the device, where the states are by then.
      _ = try Self.run(engine, Self.inputs(.float32, 5), states)
      let (a, b) = (try states.read("s").doubles(), try states.read("t").doubles())
      _ = try Self.run(engine, Self.inputs(.float32, 5), states)
      let (c, d) = (a, zip(b, a).map { $0 + $1 })
      var asked = 0
      #expect(throws: RuntimeError.self) {
        try engine.run(
          try Self.inputs(.float32, 9), states: states,
          shouldStop: {
            asked += 1
            return asked > last
          }
        ) { _ in }
      }
      #expect(try states.read("s").doubles() == c, "stopped before step \(last)")
      #expect(zip(try states.read("t").doubles(), d).allSatisfy { abs($0 - $1) < 1e-4 }, "stopped before step \(last)")
    }
  }

  /// A state that a program writes and never reads, after the host has accessed it: the write counts.
  @Test func whatIsOnlyWrittenCounts() throws {
    let text = """
      (tensor<fp32, [1, 16384]> x, state<tensor<fp32, [1, 16384]>> s) {
        tensor<fp32, [1, 16384]> y = mul(x = x, y = fp32(3));
        write_state(input = s, data = y);
      } -> (y)
      """
    let engine = try Self.engine(text, onDevice: true)
    let states = try StateBuffers(types: engine.stateTypes)
    for value in [1, 2, 3] as [Double] {
      try states.write("s", from: Tensor(.float32, shape: [1, 16384], doubles: Array(repeating: 7, count: 16384)))
      let x = try Tensor(.float32, shape: [1, 16384], doubles: Array(repeating: value, count: 16384))
      _ = try Self.run(engine, ["x": .tensor(x)], states)
      #expect(try states.read("s").doubles().allSatisfy { $0 == 3 * value })
      #expect(throws: RuntimeError.self) {
        var asked = 0
        try engine.run(
          ["x": .tensor(x)], states: states,
          shouldStop: {
            asked += 1
            return asked > 3
          }
        ) { _ in }
      }
      #expect(try states.read("s").doubles().allSatisfy { $0 == 3 * value }, "after a prediction that was stopped")
    }
  }

  /// States that a branch uses stay on the host, which runs the branch.
  @Test func statesOfBlocksStayWithTheHost() throws {
    let text = """
      (tensor<fp32, [1, 16384]> x, state<tensor<fp32, [1, 16384]>> s) {
        fp32 sum = reduce_sum(x = x, keep_dims = bool(false));
        bool p = greater(x = sum, y = fp32(0));
        tensor<fp32, [1, 16384]> a = read_state(input = s);
        tensor<fp32, [1, 16384]> b = cond(pred = p) block() {
            tensor<fp32, [1, 16384]> c = read_state(input = s);
            tensor<fp32, [1, 16384]> d = add(x = c, y = x);
            write_state(input = s, data = d);
          } -> (d) block() {} -> (a);
        tensor<fp32, [1, 16384]> y = add(x = a, y = b);
      } -> (y)
      """
    let (device, host) = (try Self.engine(text, onDevice: true), try Self.engine(text, onDevice: false))
    let (states, plain) = (try StateBuffers(types: device.stateTypes), try StateBuffers(types: host.stateTypes))
    for value in [1, -1, 2] as [Double] {
      let x = try Tensor(.float32, shape: [1, 16384], doubles: (0..<16384).map { value + Double($0 % 5) / 8 })
      #expect(try Self.run(device, ["x": .tensor(x)], states) == Self.run(host, ["x": .tensor(x)], plain))
    }
    #expect(try states.read("s").doubles() == plain.read("s").doubles())
    for step in try #require(device.planUsedLast).steps {
      if case .readState = step.action { #expect(step.choice.device == .cpu) }
    }
  }
}
