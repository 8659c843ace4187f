import CoreMLBase
import CoreMLKernels
import MIL

/// Stores values as fp16 in device memory if they are fp16 in the model file, after `WidenF16` has converted everything
/// to fp32. A value qualifies if its producer and all readers have kernels for fp16 that cost no more. Such values need
/// half the memory and half the bandwidth; arithmetic stays fp32. Casts that become redundant are removed.
struct StoreAsF16: Pass {
  private let device: PlanDevice
  private let threads: Int
  /// Names of the values that are fp16 in the model file.
  private let f16: Set<String>

  init(_ f16: Set<String>, on device: PlanDevice, threads: Int) {
    (self.f16, self.device, self.threads) = (f16, device, threads)
  }

  func callAsFunction(_ function: Function) throws -> Function {
    // Blocks expect the declared types of captured values.
    guard !f16.isEmpty, function.body.operations.allSatisfy(\.blocks.isEmpty) else { return function }
    var choice = try F16Choice(function, f16, on: device, threads: threads)
    try choice.settle()
    return try choice.narrowed(function)
  }
}

/// Selects the values that become fp16.
private struct F16Choice {
  /// An operation that a kernel computes.
  private struct Item {
    let invocation: Invocation
    let outputs: [NamedType]
    /// The cost of its best kernel in fp32.
    let cost: Double
    let names: Set<String>
  }

  private let device: PlanDevice
  private let threads: Int
  private let uses: Uses
  private var items: [Int: Item] = [:]
  private var stored = StoredConstants()
  private var narrow: Set<String> = []
  /// fp16 names of large constants that are fp16 in the file, and that are gathered from or are an operand of an
  /// elementwise operation.
  private var tables: [String: String] = [:]

  init(_ function: Function, _ f16: Set<String>, on device: PlanDevice, threads: Int) throws {
    (self.device, self.threads, uses) = (device, threads, Uses(function))
    var scope = Scope()
    var read: [(index: Int, invocation: Invocation)] = []
    for input in function.inputs { scope.define(input.name, input.type) }
    for (index, operation) in function.body.operations.enumerated() {
      try Cancellation.check()
      if let value = operation.constant, let output = operation.outputs.first {
        scope.define(output.name, value.type, value: value)
        continue
      }
      let invocation = try scope.invocation(of: operation)
      for output in operation.outputs { scope.define(output.name, output.type) }
      if try stored.take(operation, invocation) == nil { read.append((index, invocation)) }
    }
    // Other passes rename fp16 values. Names propagate through views from their fp16 source.
    var f16 = f16
    for (index, invocation) in read {
      let operation = invocation.operation
      if Self.views.contains(operation.type), let x = operation.binding("x")?.name, f16.contains(x) {
        f16.formUnion(operation.outputs.map(\.name))
      }
      guard operation.outputs.allSatisfy(\.type.isPlanned), !Planner.stateOperations.contains(operation.type),
        let cost = try cost(of: invocation, operation.outputs.map(\.type))
      else { continue }
      items[index] = Item(
        invocation: invocation, outputs: operation.outputs, cost: cost,
        names: Set(operation.inputNames + operation.outputs.map(\.name)))
      // Only the casts that widening inserted read fp16 values.
      let widens = operation.type == "cast" && invocation.inputTypes["x"]?.first?.tensor?.scalar == .float16
      for output in operation.outputs where output.type.tensor?.scalar == .float32 {
        if widens || f16.contains(output.name) { narrow.insert(output.name) }
      }
    }
    narrow.subtract(function.body.outputs)
    var names = FreshNames(function)
    for item in items.values {
      for x in Self.tabled(item.invocation.operation).compactMap(\.name)
      where tables[x] == nil && stored.weights[x]?.isF16 == true { tables[x] = names.name(x + "__half") }
    }
    for operation in function.body.operations.indices where items[operation] == nil {
      narrow.subtract(function.body.operations[operation].inputNames)
    }
  }

  /// Widens values again, with all other values of their operation, until every operation has a kernel for its
  /// operands.
  mutating func settle() throws {
    var pending = Array(items.keys.sorted(by: >))
    while let index = pending.popLast() {
      try Cancellation.check()
      guard let item = items[index] else { continue }
      let touched = item.names.intersection(narrow)
      guard !touched.isEmpty, try !takes(item) else { continue }
      narrow.subtract(touched)
      for name in touched {
        if let maker = uses.maker(of: name) { pending.append(maker) }
        pending += uses.allReaders(of: name)
      }
    }
  }

  // MARK: kernels

  private func takes(_ item: Item) throws -> Bool {
    if isIdle(item.invocation) { return true }
    let call = try narrowed(item.invocation)
    // Type rules may require operands of one type.
    do { _ = try Operations.definition(of: call.operation).outputTypes(call) } catch is MILError { return false }
    guard let cost = try cost(of: call, item.outputs.map { form(of: $0.name, $0.type) }) else { return false }
    return cost <= item.cost * 1.001
  }

  /// Seconds of the best kernel; nil if there is none.
  private func cost(of invocation: Invocation, _ outputs: [ValueType]) throws -> Double? {
    let problem = KernelProblem(
      invocation: invocation, outputs: outputs.compactMap(\.tensor), threads: threads, openCL: device.context,
      allowsLowPrecision: device.allowsLowPrecision, weights: stored.weights)
    let work = try Operations.definition(of: invocation.operation).work(invocation, outputs: outputs)
    return try KernelOptions(problem, work: work, on: device.kind, profile: device.profile).all.first?.cost
  }

  /// Whether a cast's result equals its operand.
  private func isIdle(_ invocation: Invocation) -> Bool {
    let operation = invocation.operation
    guard operation.type == "cast", let x = operation.binding("x")?.name, let from = invocation.inputTypes["x"]?.first,
      let to = operation.outputs.first
    else { return false }
    return form(of: x, from) == form(of: to.name, to.type) && to.type.tensor?.scalar.isFloat == true
  }

  private func form(of name: String?, _ type: ValueType) -> ValueType {
    guard let name, narrow.contains(name) else { return type }
    return Self.halved(type)
  }

  private static func halved(_ type: ValueType) -> ValueType {
    type.tensor.map { .tensor($0.with(scalar: .float16)) } ?? type
  }

  // MARK: rewriting operations

  /// Operations that only move elements. Their result has the type of all their operands.
  private static let moving: Set<String> = [
    "concat", "pad", "scatter", "scatter_along_axis", "scatter_nd", "select", "slice_update", "stack",
  ]
  /// Operations whose result is their operand in another shape.
  private static let views: Set<String> = ["reshape", "expand_dims", "squeeze", "transpose"]
  /// Operations whose two operands have one type.
  private static let pairing: Set<String> = [
    "add", "equal", "floor_div", "greater", "greater_equal", "less", "less_equal", "maximum", "minimum", "mod", "mul",
    "not_equal", "pow", "real_div", "sub",
  ]
  /// Parameters of these operations. Constants among them become fp16 too.
  private static let moved: Set<String> = ["a", "b", "constant_val", "data", "update", "updates", "values", "x", "y"]

  /// Parameters whose large constants get an fp16 version.
  private static func tabled(_ type: String) -> [String] {
    switch type {
    case "gather": ["x"]
    case "fused.pointwise": ["values"]
    default: pairing.contains(type) ? ["x", "y"] : []
    }
  }

  private static func tabled(_ operation: Operation) -> [Binding] {
    tabled(operation.type).flatMap { operation.inputs[$0] ?? [] }
  }

  private func converts(_ operation: Operation) -> Bool {
    if Self.moving.contains(operation.type) { return operation.outputs.contains { narrow.contains($0.name) } }
    return Self.pairing.contains(operation.type) && operation.inputNames.contains(where: narrow.contains)
  }

  private func narrowed(_ invocation: Invocation) throws -> Invocation {
    let operation = try narrowed(invocation.operation, invocation)
    var (types, values) = (invocation.inputTypes, invocation.values)
    for (parameter, bindings) in operation.inputs {
      for (index, binding) in bindings.enumerated() {
        switch binding {
        case .name(let name):
          guard let known = types[parameter]?[index] else { continue }
          let isTable = invocation.operation.inputs[parameter]?[index].name != name
          types[parameter]?[index] = isTable ? Self.halved(known) : form(of: name, known)
        case .literal(let value):
          types[parameter]?[index] = value.type
          values[parameter]?[index] = value
        }
      }
    }
    return Invocation(operation: operation, inputTypes: types, values: values)
  }

  private func narrowed(_ operation: Operation, _ invocation: Invocation) throws -> Operation {
    var result = operation
    result.outputs = operation.outputs.map { NamedType($0.name, form(of: $0.name, $0.type)) }
    let usesTables =
      switch operation.type {
      case "gather": narrow.contains(operation.outputs[0].name)
      case "fused.pointwise": (operation.inputNames + [operation.outputs[0].name]).contains(where: narrow.contains)
      default: converts(operation)
      }
    for parameter in Self.tabled(operation.type) where usesTables {
      result.inputs[parameter] = operation.inputs[parameter]?.map { binding in
        binding.name.flatMap { tables[$0] }.map { .name($0) } ?? binding
      }
    }
    guard converts(operation) else { return result }
    for (parameter, bindings) in operation.inputs where Self.moved.contains(parameter) {
      for index in bindings.indices {
        guard let tensor = invocation.valueIfKnown(parameter, index)?.tensor, tensor.scalar == .float32 else {
          continue
        }
        result.inputs[parameter]?[index] = .literal(.tensor(try tensor.converted(to: .float16)))
      }
    }
    return result
  }

  func narrowed(_ function: Function) throws -> Function {
    guard !narrow.isEmpty else { return function }
    var result = function
    var renamed: [String: String] = [:]
    var defined: Set<String> = []
    let (inputs, results) = (Set(function.inputs.map(\.name)), Set(function.body.outputs))
    result.body.operations = []
    for (index, operation) in function.body.operations.enumerated() {
      guard let item = items[index] else {
        var operation = operation
        // The data of a state write may be the operand of a removed cast.
        if let data = operation.binding("data")?.name, let source = renamed[data], operation.type == "write_state" {
          operation.inputs["data"] = [.name(source)]
        }
        result.body.operations.append(operation)
        continue
      }
      if isIdle(item.invocation), let x = operation.binding("x")?.name, let output = operation.outputs.first?.name {
        let source = renamed[x] ?? x
        // A function output must not be a function input.
        if !(inputs.contains(source) && results.contains(output)) {
          renamed[output] = source
          continue
        }
      }
      var kept = try narrowed(operation, item.invocation)
      for parameter in Self.tabled(operation.type) {
        for (index, binding) in (operation.inputs[parameter] ?? []).enumerated() {
          guard let x = binding.name, let table = tables[x], kept.inputs[parameter]?[index].name == table,
            let type = item.invocation.inputTypes[parameter]?[index], defined.insert(table).inserted
          else { continue }
          result.body.operations.append(
            Operation(
              "constexpr_cast",
              inputs: ["source_val": [.name(x)], "output_dtype": [.string(ScalarType.float16.rawValue)]],
              outputs: [NamedType(table, Self.halved(type))], origins: operation.named))
        }
      }
      kept.inputs = kept.inputs.mapValues { bindings in
        bindings.map { binding in
          if case .name(let name) = binding { return .name(renamed[name] ?? name) }
          return binding
        }
      }
      result.body.operations.append(kept)
    }
    result.body.outputs = function.body.outputs.map { renamed[$0] ?? $0 }
    return result
  }
}

extension Function {
  /// Names of the values that are fp16.
  var f16Names: Set<String> {
    var names: Set<String> = []
    for operation in body.operations {
      for output in operation.outputs {
        if case .tensor(let type) = output.type, type.scalar == .float16 { names.insert(output.name) }
      }
    }
    return names
  }
}
