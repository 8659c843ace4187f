import MIL
import TestSupport
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels

/// Plans that mix devices. Every operation with an OpenCL kernel runs on the device with all its neighbors on the CPU.
/// Every operation runs on the CPU with all its neighbors on the device. Both give the results of the reference
/// implementation.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct OpenCLNeighbourTests {
  @Test func everyOperationOfTheDeviceIsRightAmongThoseOfTheCPU() throws {
    let known = Set(KernelRegistry.pairs.filter { $0.implementation.device == .openCL }.map(\.operation))
    let covered = try walk(among: known) { $0 ? .openCL : .cpu }
    #expect(known.subtracting(covered).isEmpty, "without a case: \(known.subtracting(covered).sorted())")
    #expect(covered.count > 100)
  }

  @Test func everyOperationOfTheCPUIsRightAmongThoseOfTheDevice() throws {
    let covered = try walk(among: Set(References.all.keys)) { $0 ? .cpu : .openCL }
    #expect(covered.count > 150, "\(covered.count)")
  }

  /// Runs one case of each operation and returns the operations that have a case. `place` gives the device of the
  /// tested operation or of a neighbor.
  private func walk(
    among operations: Set<String>, _ place: (_ isTested: Bool) -> DeviceKind
  ) throws -> Set<String> {
    let devices = [
      PlanDevice(kind: .cpu, profile: .cpu(threads: 2)),
      PlanDevice(kind: .openCL, profile: .unmeasured, context: try OpenCLHarness.context()),
    ]
    var covered: Set<String> = []
    for test in try Case.all() where operations.contains(test.operation) && !covered.contains(test.operation) {
      guard test.refused == nil, let surrounded = Surrounded(test) else { continue }
      do {
        guard let results = try surrounded.run(devices, { place($0) == .cpu ? 0 : 1 }) else { continue }
        try surrounded.compare(results)
        covered.insert(test.operation)
      } catch { Issue.record("\(test.name): \(error)") }
    }
    return covered
  }
}

/// A case's operation between identity operations, one for each of its inputs and one for each of its outputs.
@MainActor private struct Surrounded {
  private let test: Case
  private let expected: [Tensor]
  private let function: Function
  private let inputs: [String: Tensor]

  /// nil for a case with values other than numeric tensors, or without a runtime input.
  init?(_ test: Case) {
    self.test = test
    guard test.inputs.values.joined().allSatisfy({ $0.stored == nil }) else { return nil }
    let tested = Operation(
      test.operation, inputs: test.inputs.mapValues { $0.map { .literal($0.value) } },
      outputs: [NamedType("y", .tensor(TensorType(.float32, [Int]())))])
    let full = Invocation(
      operation: tested, inputTypes: test.inputs.mapValues { $0.map(\.value.type) },
      values: test.inputs.mapValues { $0.map { $0.value } })
    guard let results = try? References.evaluate(full) else { return nil }
    expected = results.compactMap(\.tensor)
    guard expected.count == results.count, !expected.isEmpty, expected.allSatisfy({ $0.scalar != .string }) else {
      return nil
    }
    var operation = tested
    var (operations, declared, given): ([MIL.Operation], [NamedType], [String: Tensor]) = ([], [], [:])
    for (parameter, list) in test.inputs.sorted(by: { $0.key < $1.key }) {
      for (index, input) in list.enumerated() where !input.isConstant {
        guard let tensor = input.value.tensor, tensor.scalar != .string else { return nil }
        let name = "\(parameter)_\(index)"
        declared.append(NamedType(name, .tensor(tensor.type)))
        given[name] = tensor
        operations.append(Self.unchanged(name, "\(name)_in", tensor.type))
        operation.inputs[parameter]?[index] = .name("\(name)_in")
      }
    }
    guard !given.isEmpty else { return nil }
    operation.outputs = expected.enumerated().map { NamedType("y\($0.offset)", .tensor($0.element.type)) }
    operations.append(operation)
    for (index, tensor) in expected.enumerated() {
      operations.append(Self.unchanged("y\(index)", "z\(index)", tensor.type))
    }
    inputs = given
    function = Function(
      inputs: declared, opset: "ios18",
      body: Block(operations: operations, outputs: expected.indices.map { "z\($0)" }))
  }

  /// An identity operation that has kernels on every device for the types that support one.
  private static func unchanged(_ name: String, _ result: String, _ type: TensorType) -> MIL.Operation {
    let outputs = [NamedType(result, .tensor(type))]
    func pair(_ operation: String, _ other: Binding) -> MIL.Operation {
      Operation(operation, inputs: ["x": [.name(name)], "y": [other]], outputs: outputs)
    }
    switch type.scalar {
    case .float32: return pair("mul", .float(1))
    case .int32: return pair("add", .int(0))
    case .bool: return pair("logical_and", .name(name))
    default: return Operation("identity", inputs: ["x": [.name(name)]], outputs: outputs)
    }
  }

  /// The outputs of a plan whose operations are on the devices that `place` returns. nil if a device has no kernel for
  /// the case.
  func run(_ devices: [PlanDevice], _ place: (_ isTested: Bool) -> Int) throws -> [Tensor]? {
    let pool = ThreadPool(threads: 2)
    let lower = Lower(pool: pool, allowsFusion: false)
    let places = function.body.operations.map { place($0.outputs.first?.name == "y0") }
    let drafts: PlanCandidates
    do {
      let regions = try Regions.cut(function, devices: places).map { region in
        var region = region
        region.function = try lower(region.function, for: devices[region.device])
        return region
      }
      drafts = try PlanCandidates(regions, inputs: function.inputs, devices: devices, pool: pool)
    } catch let failure as DeviceFailure where failure.isRefusal {
      return nil
    }
    let outputs = try expected.indices.map { (name: "z\($0)", slot: try #require(drafts.index["z\($0)"])) }
    var builder = try PlanBuilder(drafts, outputs: outputs)
    let plan = try builder.build(inputs: function.inputs.map(\.name), pool, notes: [])
    let tested = plan.steps.filter { $0.choice.operation.type == test.operation }
    #expect(tested.contains { $0.device == place(true) }, "\(test.name): it runs elsewhere")
    let session = try Session(plan: plan)
    for (name, tensor) in inputs { try session.set(name, .tensor(tensor)) }
    try session.run(states: StateBuffers(types: [:]), shouldStop: nil)
    return try plan.outputs.map { try #require(session.value($0.slot).tensor).copied() }
  }

  func compare(_ results: [Tensor]) throws {
    for (index, (found, wanted)) in zip(results, expected).enumerated() {
      #expect(found.shape == wanted.shape && found.scalar == wanted.scalar, "\(test.name): output \(index)")
      // fp16 values are widened in between and rounded at the end.
      let slack = wanted.scalar == .float16 ? 2e-3 : 1e-4
      for (a, b) in zip(try found.doubles(), try wanted.doubles()) {
        let isSame = a == b || (a.isNaN && b.isNaN) || (b.isFinite && abs(a - b) <= slack * max(1, abs(b)) + test.atol)
        if !isSame {
          Issue.record("\(test.name): output \(index) is \(a), expected \(b)")
          return
        }
      }
    }
  }
}

extension Tensor {
  /// A copy of the elements in separate memory.
  fileprivate func copied() throws -> Tensor { try Tensor(scalar, shape: shape, doubles: doubles()) }
}
