import MIL

/// Functions of as many operations as a test wants, of one kind and in one shape.
enum LargeFunctions {
  /// How operations read each other.
  enum Shape: String, CaseIterable, Sendable {
    /// Each reads the one before.
    case chain
    /// All read one value, and one operation reads them all.
    case fan
    /// Each reads the two before.
    case ladder
    /// Each has an input of the function of its own.
    case inputs
    /// Each is an output of the function.
    case outputs
    /// As a chain, with every one an output too.
    case chainOfOutputs
    /// Those of a chain are read again, the last one first: all of them live at once.
    case nest
    /// All read the end of a chain of transposes.
    case views
    /// All read the one that computes a value, which is no input.
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
