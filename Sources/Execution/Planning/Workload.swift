import CoreMLBase
import CoreMLKernels
import MIL

/// A function as device placement sees it: the cost of each operation on each device, and the values between
/// operations. Operations are those of the model file, before any device lowers them.
struct Workload {
  /// One item per operation of the function, constants included.
  struct Item {
    var inputs: [Int] = []
    var outputs: [Int] = []
    /// Estimated seconds by device; nil if the device has no kernel for it. The host can compute every operation.
    var costs: [Double?]
    /// Bytes of constants that a device must hold for the operation.
    var constantBytes = 0
  }

  struct Value {
    let bytes: Int
    /// Whether the value is a result of the function, which the host needs at the end of the run.
    var isResult = false
  }

  var items: [Item] = []
  var values: [Value] = []
  /// The operations that use each state: by reading it, writing it, or in a nested block.
  private(set) var states: [String: [Int]] = [:]

  init(items: [Item], values: [Value]) {
    self.items = items
    self.values = values
  }

  /// `excluded` has operations, by their first output, that failed on a device. `lost` has devices that must not be
  /// used.
  init(
    _ function: Function, devices: [PlanDevice], threads: Int, excluded: [Int: Set<String>] = [:],
    lost: Set<Int> = []
  ) throws {
    var scope = Scope()
    var stored = StoredConstants()
    let constants = function.constantNames
    var index: [String: Int] = [:]
    let able = devices.indices.filter { !lost.contains($0) }
    let stateTypes = function.stateTypes
    for input in function.inputs {
      scope.define(input.name, input.type)
      // A state itself is never copied between devices. Values read from it and written to it are.
      if stateTypes[input.name] == nil { index[input.name] = add(input.type) }
    }
    for operation in function.body.operations {
      try Cancellation.check()
      if let value = operation.constant, let output = operation.outputs.first {
        scope.define(output.name, value.type, value: value)
        items.append(Item(costs: devices.indices.map { $0 == 0 ? 0 : nil }))
        continue
      }
      if operation.outputs.allSatisfy({ constants.contains($0.name) }), !operation.outputs.isEmpty {
        _ = try stored.take(operation, scope.invocation(of: operation))
        for output in operation.outputs { scope.define(output.name, output.type) }
        items.append(Item(costs: devices.indices.map { $0 == 0 ? 0 : nil }))
        continue
      }
      var item = Item(costs: Array(repeating: nil, count: devices.count))
      item.costs[0] = devices[0].placing.launch
      item.inputs = operation.readNames.compactMap { index[$0] }.sorted()
      for state in operation.readNames where stateTypes[state] != nil { states[state, default: []].append(items.count) }
      let invocation = try scope.invocation(of: operation)
      for output in operation.outputs {
        scope.define(output.name, output.type)
        index[output.name] = add(output.type)
      }
      item.outputs = operation.outputs.compactMap { index[$0.name] }
      for device in able where !(excluded[device]?.contains(operation.outputs.first?.name ?? "") ?? false) {
        if let state = operation.stateName {
          // On the device that stores a state, reads and writes need no copy.
          if let type = stateTypes[state], devices[device].canHold(state: type) { item.costs[device] = 0 }
          continue
        }
        item.costs[device] = try cost(of: operation, invocation, stored, devices[device], threads) ?? item.costs[device]
      }
      item.constantBytes = invocation.values.values.joined().reduce(0) { $0 + ($1?.type.tensor?.byteCount ?? 0) }
      item.constantBytes += operation.inputNames.reduce(0) { $0 + (stored.weights[$1]?.type.byteCount ?? 0) }
      items.append(item)
    }
    for name in function.body.outputs { if let value = index[name] { values[value].isResult = true } }
  }

  private mutating func add(_ type: ValueType) -> Int {
    values.append(Value(bytes: type.tensor?.byteCount ?? 0))
    return values.count - 1
  }

  /// Seconds of the device's best kernel; nil if it has none.
  private func cost(
    of operation: Operation, _ invocation: Invocation, _ stored: StoredConstants, _ device: PlanDevice, _ threads: Int
  ) throws -> Double? {
    guard operation.blocks.isEmpty, !Planner.stateOperations.contains(operation.type),
      operation.outputs.allSatisfy({ $0.type.isPlanned }), invocation.isPlanned
    else { return nil }
    let seen = device.keepsF16 ? invocation : invocation.widened
    let outputs = operation.outputs.map { device.keepsF16 ? $0.type : $0.type.widened }
    let problem = KernelProblem(
      invocation: seen, outputs: outputs.compactMap(\.tensor), threads: threads, openCL: device.context,
      allowsLowPrecision: device.allowsLowPrecision, weights: stored.weights)
    let work = try Operations.definition(of: operation).work(seen, outputs: outputs)
    return try KernelOptions(problem, work: work, on: device.kind, profile: device.placing).all.first?.cost
  }
}

extension ValueType {
  /// Whether the memory size of a value of this type is known before a run.
  var isPlanned: Bool { tensor.map { $0.isConcrete && $0.scalar != .string } ?? false }
}

extension Invocation {
  /// Whether every argument is a constant tensor or has a memory size known before a run.
  fileprivate var isPlanned: Bool {
    inputTypes.allSatisfy { parameter, types in
      types.indices.allSatisfy { types[$0].isPlanned || valueIfKnown(parameter, $0)?.tensor != nil }
    }
  }

  /// The invocation as seen by a device that widens all fp16 values to fp32. Constant values stay unchanged, since
  /// kernels match on types.
  fileprivate var widened: Invocation {
    Invocation(
      operation: operation, inputTypes: inputTypes.mapValues { $0.map(\.widened) }, values: values)
  }
}

extension ValueType {
  fileprivate var widened: ValueType {
    guard case .tensor(let type) = self, type.scalar == .float16 else { return self }
    return .tensor(type.with(scalar: .float32))
  }
}
