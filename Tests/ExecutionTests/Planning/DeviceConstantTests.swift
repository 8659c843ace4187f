import COpenCL
import CoreMLKernels
import Foundation
import MIL
import Synchronization
import TestSupport
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels

/// The system's OpenCL library. It counts large buffers that are created as copies of host memory.
private enum CountedOpenCL {
  static let real: OpenCLLibrary? = try? OpenCLLibrary(path: "libOpenCL.so.1")
  static let copies = Atomic(0)
  static let bytes = Atomic(0)

  static func library() throws -> OpenCLLibrary {
    var table = try #require(real).functions
    table.clCreateBuffer = { context, flags, size, content, status in
      // Queues and launches create small buffers of their own.
      if content != nil, size >= 1 << 16 {
        CountedOpenCL.copies.add(1, ordering: .relaxed)
        CountedOpenCL.bytes.add(size, ordering: .relaxed)
      }
      return CountedOpenCL.real.flatMap { $0.functions.clCreateBuffer(context, flags, size, content, status) }
    }
    return OpenCLLibrary(functions: table)
  }
}

/// Each constant of a model is copied to a device once, for plans of all shapes and for all functions.
@Suite(
  .tags(.driver), .unlessQuick, .serialized,
  .enabled(if: OpenCLPlatformList.system.devices.first != nil, "no OpenCL device"))
struct DeviceConstantTests {
  private func function(_ definition: [MIL.Operation]) -> Function {
    let output = NamedType("y", .tensor(TensorType(.float16, [.unknown, 300])))
    return Function(
      inputs: [NamedType("x", .tensor(TensorType(.float16, [.unknown, 512])))], opset: "ios18",
      body: Block(
        operations: definition + [
          Operation("linear", inputs: ["x": [.name("x")], "weight": [.name("w")]], outputs: [output])
        ], outputs: ["y"]))
  }

  @Test func constantsAreCopiedOnceAModel() throws {
    let list = try OpenCLPlatformList(CountedOpenCL.library())
    let id = try #require(list.devices.first?.id)
    let deviceManager = DeviceManager(
      processors: 1, folder: { NSTemporaryDirectory() + "coreml-constants-\(getpid())/\($0)" },
      platforms: { _ in list },
      isTakenUnasked: { _ in true }, measure: { _ in DeviceFailureTests.profile }, log: { _ in })
    let choice = try DeviceChoice(
      DeviceRequest(threads: 1, allowsGPU: false, preferredOpenCLDevice: id), on: deviceManager)
    for (label, definition, _) in try StoredProductTests.definitions("w", [300, 512]) {
      let function = function(definition)
      let (engine, host) = (
        Engine(function: function, devices: choice), Engine(function: function, devices: DeviceChoice(threads: 1))
      )
      let before = (CountedOpenCL.copies.load(ordering: .relaxed), CountedOpenCL.bytes.load(ordering: .relaxed))
      func copies() -> Int { CountedOpenCL.copies.load(ordering: .relaxed) - before.0 }
      func bytes() -> Int { CountedOpenCL.bytes.load(ordering: .relaxed) - before.1 }
      func run(_ engine: Engine, rows: Int) throws {
        let x = try StoredProductTests.ramp(.float16, [rows, 512], step: 11, modulo: 83)
        let (y, wanted) = (
          try #require(try EngineTests.run(engine, ["x": x])["y"]),
          try #require(try EngineTests.run(host, ["x": x])["y"])
        )
        let worst = zip(y, wanted).map { abs($0 - $1) }.max() ?? 1
        #expect(y.count == wanted.count && worst < 1e-3, "\(label), \(rows) rows: \(worst)")
        let plan = try engine.plan(for: ["x": x.type])
        #expect(plan.steps.contains { $0.choice.device == .openCL && $0.choice.operation.type.hasSuffix("linear") })
      }
      // Products of a few rows read the quantized codes directly. Products of more rows read fp16 copies.
      let codes = ["four bits": 300 * 512 / 2, "eight bits": 300 * 512][label]
      try run(engine, rows: 2)
      #expect(
        copies() == 1 && bytes() == codes ?? 2 * 300 * 512, "\(label): the weight was copied, as stored or as fp16")
      for rows in [2, 3, 20] { try run(engine, rows: rows) }
      let all = copies()
      #expect(all == (codes == nil ? 1 : 2), "\(label): a form was copied once for all plans")
      let (uploads, held) = (engine.weights.uploadCount, engine.weights.deviceByteCount)
      // Another function of the model shares the weights.
      let other = Engine(function: function, devices: choice, weights: engine.weights)
      for rows in [5, 20] { try run(other, rows: rows) }
      #expect(copies() == all, "\(label): once for all functions")
      #expect(engine.weights.uploadCount == uploads && engine.weights.deviceByteCount == held, "\(label)")
      #expect(held >= bytes(), "\(label)")
      #expect(engine.weights.byteCount == 0, "\(label): nothing is left in the host's memory")
    }
  }

  /// A result that becomes a constant once shapes are known, concatenated from scalars. No operation of any device
  /// computes it.
  @Test func aResultThatIsAConstantIsGivenBesideADevice() throws {
    let id = try #require(OpenCLPlatformList.system.devices.first?.id)
    let deviceManager = DeviceManager(processors: 1, folder: { _ in nil })
    let choice = try DeviceChoice(
      DeviceRequest(threads: 1, allowsGPU: false, preferredOpenCLDevice: id), on: deviceManager)
    let engine = Engine(
      function: try FusionTests.main(
        """
        (tensor<fp32, [3]> x) {
          tensor<int32, [1]> n = shape(x = x);
          tensor<int32, []> s = gather(x = n, indices = int32(0), axis = int32(0));
          tensor<int32, [2]> d = concat(values = (s, int32(2)), axis = int32(0), interleave = bool(false));
          tensor<fp32, [3, 2]> y = fill(shape = d, value = fp32(7));
          tensor<fp32, [3]> z = relu(x = x);
        } -> (y, z)
        """), devices: choice)
    let results = try EngineTests.run(engine, ["x": Tensor(float32: [-1, 2, 3], shape: [3])])
    #expect(results["y"] == [7, 7, 7, 7, 7, 7] && results["z"] == [0, 2, 3])
    #expect(try #require(engine.planUsedLast).isOnHost == false)
  }

  @Test func whatNobodyUsesIsReleased() throws {
    let context = try OpenCLContext(try #require(OpenCLPlatformList.system.devices.first))
    let store = WeightStore()
    let weight = try #require(StoredWeight(StoredProductTests.ramp(.float16, [64, 64])))
    do {
      let memory = try store.memory(of: weight, on: context)
      #expect(try store.memory(of: weight, on: context).buffer === memory.buffer)
      #expect(store.uploadCount == 1 && store.deviceByteCount == 2 * 64 * 64)
      let other = try OpenCLContext(context.device)
      #expect(try store.memory(of: weight, on: other).buffer !== memory.buffer, "a device's memory is its own")
      #expect(withExtendedLifetime(memory) { store.uploadCount } == 2)
    }
    #expect(store.deviceByteCount == 0)
    _ = try store.memory(of: weight, on: context)
    #expect(store.uploadCount == 3)
  }
}
