import MIL

/// Functions with a given number of operations, of one kind and in one shape.
enum LargeFunctions {
  /// How operations read each other.
  enum Shape: String, CaseIterable, Sendable {
    /// Each operation reads the previous one.
    case chain
    /// All operations read one value, and one operation reads them all.
    case fan
    /// Each operation reads the previous two.
    case ladder
    /// Each operation has its own function input.
    case inputs
    /// Each operation is a function output.
    case outputs
    /// A chain in which every operation is also an output.
    case chainOfOutputs
    /// The values of a chain are read again, the last one first. All of them are live at the same time.
    case nest
    /// All operations read the end of a chain of transposes.
    case views
    /// All operations read one computed value that is not an input.
    case inner
  }

  static let sizes = [2, 4, 4, 4]

  static func function(_ kind: String, _ shape: Shape, _ count: Int) throws -> Function {
    var builder = Builder()
    let type = ValueType.tensor(TensorType(.float32, sizes))
    func input(_ name: String = "x") -> String { builder.input(name, type) }
    func add(_ x: String, _ y: String? = nil) throws -> String {
      guard let make = LargeFunctionKinds.all[kind] else { throw MILError(.invalidArgument, "no kind '\(kind)'") }
      return try make(&builder, x, y ?? x)
    }
    func joined(_ values: [String]) throws -> String {
      try builder.add(
        "concat", ["values": values.map { .name($0) }, "axis": [.int(0)], "interleave": [.bool(false)]], named: ["y"])[
          0]
    }
    var outputs: [String] = []
    switch shape {
    case .chain:
      outputs = [try (0..<count).reduce(input()) { x, _ in try add(x) }]
    case .fan:
      let x = input()
      outputs = [try joined((0..<count).map { _ in try add(x) })]
    case .ladder:
      var (before, last) = (input(), input("z"))
      for _ in 0..<count { (before, last) = (last, try add(before, last)) }
      outputs = [last]
    case .inputs:
      let inputs = (0..<count).map { input("x\($0)") }
      outputs = [try joined(inputs.map { try add($0) })]
    case .outputs:
      let x = input()
      outputs = try (0..<count).map { _ in try add(x) }
    case .chainOfOutputs:
      var x = input()
      for _ in 0..<count {
        x = try add(x)
        outputs.append(x)
      }
    case .nest:
      var (x, all): (String, [String]) = (input(), [])
      for _ in 0..<count / 2 {
        x = try add(x)
        all.append(x)
      }
      for value in all.reversed() { x = try builder.add("add", ["x": .name(x), "y": .name(value)]) }
      outputs = [x]
    case .views:
      var x = input()
      for _ in 0..<count / 2 {
        x = try builder.add("transpose", ["x": .name(x), "perm": .ints([0, 1, 3, 2])])
      }
      outputs = [try joined((0..<count / 2).map { _ in try add(x) })]
    case .inner:
      let x = try builder.add("softmax", ["x": .name(input()), "axis": .int(-1)])
      outputs = [try joined((0..<count).map { _ in try add(x) })]
    }
    return Function(
      inputs: builder.inputs, opset: "CoreML8", body: Block(operations: builder.operations, outputs: outputs))
  }
}
