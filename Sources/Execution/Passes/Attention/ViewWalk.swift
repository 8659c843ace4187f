import CoreMLKernels
import MIL

/// Traces a value back to the value whose elements it views: through transposes, reshapes, slices, splits and
/// repetitions, and optionally through multiplications by a constant.
struct ViewWalk {
  let uses: Uses
  let types: [String: ValueType]
  private let constants: [String: Value]
  private(set) var operations: Operations
  /// The types and constants that differ for other shapes.
  private var changedTypes: [String: ValueType] = [:]
  private var changedConstants: [String: Value] = [:]
  /// The positions of splits, and the offset of each of their results along the axis. Computed once, since an attention
  /// may read every result of a split with very many.
  private let splits: [Int]
  private var begins: [String: Int] = [:]

  /// The operations of the function by position.
  struct Operations {
    private let all: [Operation]
    fileprivate var changed: [Int: Operation] = [:]

    fileprivate init(_ all: [Operation]) { self.all = all }

    subscript(index: Int) -> Operation { changed[index] ?? all[index] }
  }

  /// The limit of traced operations. Each new one recomputes the view through all of them.
  private static let mostSteps = 32

  struct Found {
    var view: StridedView
    var scale: Double = 1
    /// Whether the source's elements are rounded to fp16.
    var rounds = false
    /// Names between the source and the value. They may become unused.
    var passed: [String] = []
  }

  init(_ function: Function) {
    (uses, constants, types) = (Uses(function), function.constants, function.types)
    operations = Operations(function.body.operations)
    splits = function.contains("split") ? function.body.operations.indices(where: { $0.type == "split" }) : []
    findBegins()
  }

  /// The same function for other shapes.
  func with(_ overlay: Overlay) -> ViewWalk {
    var result = self
    result.operations.changed = overlay.operations
    for input in overlay.inputs where types[input.name] != input.type { result.changedTypes[input.name] = input.type }
    for operation in overlay.operations.values {
      for output in operation.outputs { result.changedTypes[output.name] = output.type }
      if let value = operation.constant, let output = operation.outputs.first {
        result.changedConstants[output.name] = value
      }
    }
    result.findBegins()
    return result
  }

  private mutating func findBegins() {
    for index in splits {
      let operation = operations[index]
      guard let rank = operation.binding("x")?.name.flatMap({ shape($0)?.count }),
        let axis = try? call(operation)?.axis("axis", rank: rank)
      else { continue }
      var begin = 0
      for output in operation.outputs {
        guard let size = shape(output.name)?[axis] else { break }
        begins[output.name] = begin
        begin += size
      }
    }
  }

  func type(of name: String) -> ValueType? { changedTypes[name] ?? types[name] }

  private func constant(_ name: String) -> Value? { changedConstants[name] ?? constants[name] }

  /// The known value of a parameter.
  func value(_ parameter: String, of operation: Operation) -> Value? {
    switch operation.binding(parameter) {
    case .literal(let value): value
    case .name(let name): constant(name)
    case nil: nil
    }
  }

  /// The shape of a tensor without empty axes; nil for others.
  func shape(_ name: String) -> [Int]? {
    guard let shape = type(of: name)?.tensor?.concreteShape, !shape.contains(0) else { return nil }
    return shape
  }

  func maker(of name: String) -> Operation? { uses.maker(of: name).map { operations[$0] } }

  /// The earliest value from which matrices can be read just as well. `accepts` is called for each candidate. With
  /// `f16`, that may be an fp16 value, or one that was rounded to fp16.
  func view(of name: String, scales: Bool = false, f16: Bool = false, accepts: (StridedView) -> Bool) -> Found? {
    guard let shape = shape(name) else { return nil }
    let start = Found(view: StridedView(name, dense: shape))
    var best = accepts(start.view) ? start : nil
    // The view operations found so far, in reverse order of execution.
    var steps: [(StridedView) -> StridedView?] = []
    var (at, scale, passed, rounds, widens) = (name, 1.0, [String](), false, false)
    while passed.count < Self.mostSteps, let operation = maker(of: at), operation.code == nil,
      let input = source(of: operation, output: at, scales: scales && !widens, f16: f16)
    {
      guard let own = self.shape(input.name) else { break }
      if let factor = input.factor { scale *= factor }
      if operation.type == "cast" { widens = true }
      if input.rounds { rounds = true }
      if let step = input.step { steps.append(step) }
      passed.append(at)
      at = input.name
      var view: StridedView? = StridedView(at, dense: own)
      for step in steps.reversed() { view = view.flatMap(step) }
      guard let view, view.shape == shape else { break }
      if accepts(view) { best = Found(view: view, scale: scale, rounds: rounds, passed: passed) }
    }
    return best
  }

  private struct Source {
    let name: String
    var factor: Double?
    var rounds = false
    var step: ((StridedView) -> StridedView?)?
  }

  private func source(of operation: Operation, output: String, scales: Bool, f16: Bool) -> Source? {
    if scales, let (name, factor) = scaling(operation) { return Source(name: name, factor: factor) }
    guard let name = operation.binding("x")?.name, let call = call(operation) else { return nil }
    guard let from = shape(name) else { return nil }
    switch operation.type {
    case "reshape", "expand_dims", "squeeze":
      guard let to = operation.outputs.first.flatMap({ shape($0.name) }) else { return nil }
      return Source(name: name) { $0.reshaped(to) }
    case "transpose":
      guard let perm = try? call.ints("perm") else { return nil }
      return Source(name: name) { $0.transposed(perm) }
    case "tile":
      guard let reps = try? call.repetitions() else { return nil }
      return Source(name: name) { $0.tiled(reps) }
    case "slice_by_index":
      guard let slices = try? call.slices(of: from) else { return nil }
      return Source(name: name) { $0.sliced(slices) }
    case "slice_by_size":
      guard let slices = try? call.slicesBySize(of: from) else { return nil }
      return Source(name: name) { $0.sliced(slices) }
    case "cast" where f16:
      switch (type(of: name)?.tensor?.scalar, type(of: output)?.tensor?.scalar) {
      case (.float16, .float32): return Source(name: name)
      case (.float32, .float16): return Source(name: name, rounds: true)
      default: return nil
      }
    case "split":
      guard let slices = split(output, from, call) else { return nil }
      return Source(name: name) { $0.sliced(slices) }
    default: return nil
    }
  }

  private func split(_ output: String, _ from: [Int], _ call: Invocation) -> [SliceAxis]? {
    guard let axis = try? call.axis("axis", rank: from.count) else { return nil }
    var slices = from.map { SliceAxis(begin: 0, stride: 1, count: $0) }
    guard let begin = begins[output], let size = shape(output)?[axis] else { return nil }
    (slices[axis].begin, slices[axis].count) = (begin, size)
    return slices
  }

  /// The value and the constant that an operation multiplies it by.
  func scaling(_ operation: Operation) -> (name: String, factor: Double)? {
    guard operation.type == "mul" || operation.type == "real_div", operation.outputs.count == 1 else { return nil }
    func number(_ parameter: String) -> Double? {
      guard let tensor = value(parameter, of: operation)?.tensor, tensor.count == 1 else { return nil }
      return (try? tensor.doubles())?.first
    }
    let output = shape(operation.outputs[0].name)
    func tensor(_ parameter: String) -> String? {
      operation.binding(parameter)?.name.flatMap { shape($0) == output ? $0 : nil }
    }
    if let name = tensor("x"), let factor = number("y"), factor.isFinite {
      guard operation.type == "real_div" else { return (name, factor) }
      return factor == 0 ? nil : (name, 1 / factor)
    }
    guard operation.type == "mul", let name = tensor("y"), let factor = number("x"), factor.isFinite else { return nil }
    return (name, factor)
  }

  /// The operation with the known types and values of its arguments.
  func call(_ operation: Operation) -> Invocation? {
    var inputTypes: [String: [ValueType]] = [:]
    var values: [String: [Value?]] = [:]
    for (parameter, bindings) in operation.inputs {
      for binding in bindings {
        switch binding {
        case .literal(let value):
          inputTypes[parameter, default: []].append(value.type)
          values[parameter, default: []].append(value)
        case .name(let name):
          guard let type = type(of: name) else { return nil }
          inputTypes[parameter, default: []].append(type)
          values[parameter, default: []].append(constant(name))
        }
      }
    }
    return Invocation(operation: operation, inputTypes: inputTypes, values: values)
  }
}

extension Array {
  /// The indices of the elements for which `isWanted` is true.
  fileprivate func indices(where isWanted: (Element) -> Bool) -> [Int] { indices.filter { isWanted(self[$0]) } }
}
