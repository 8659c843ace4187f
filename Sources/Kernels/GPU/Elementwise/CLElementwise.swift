/// `y = function(x)`, element by element.
package struct CLUnary: Sendable {
  private let launch: OpenCLLaunch

  package init(_ context: OpenCLContext, _ function: CLFunction, count: Int, f16: F16Operands = .none) throws {
    let count = try CLSizes.count([count], function.name)
    let index = CLSizes(count)
    launch = try context.each(
      "unary", of: "unary", f16.definitions.merging(["FUNCTION": function.symbol]) { $1 }, index, count: count,
      [f16.numbers("x", count, .first), f16.numbers("y", count, .result), index.one(count)]
        + [.float(function.alpha), .float(function.beta)])
  }

  /// `x` and `y` hold `count` elements. They may be the same memory if they have the same element size.
  package func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws {
    try launch.enqueue(on: queue, x, y)
  }
}

/// `z = then(function(x, y))`, `x` and `y` broadcast against each other.
package struct CLBinary: Sendable {
  /// The type of the results: bool for comparisons and logic.
  package let result: CLScalar
  private let launch: OpenCLLaunch

  /// - Parameters:
  ///   - function: MIL's name, for example `add` or `greater_equal`, or `prelu`.
  ///   - scalar: the type of `x` and `y`.
  ///   - then: applied to floating-point results only.
  ///   - f16: only floating-point operands and results may be fp16.
  package init(
    _ context: OpenCLContext, _ function: String, of scalar: CLScalar, x: [Int], y: [Int], output: [Int],
    then: CLFunction = .identity, f16: F16Operands = .none
  ) throws {
    result = try Self.result(of: function, scalar)
    guard scalar == .float || f16.isDisjoint(with: [.first, .second]), result == .float || !f16.contains(.result)
    else { throw KernelError(.openCLLaunch, "'\(function)' of \(scalar)s: fp16 tensors must be real") }
    guard then == .identity || result == .float else {
      throw KernelError(.openCLLaunch, "'\(function)' gives \(result)s, '\(then.name)' takes floats")
    }
    let counts = try [x, y, output].map { try CLSizes.count($0, function) }
    let walk = CLWalk(
      output, [try CLWalk.broadcast(x, to: output, function), try CLWalk.broadcast(y, to: output, function)])
    let index = CLSizes(counts[0], counts[1], counts[2])
    var definitions = [
      "INDEX": index.definition, "RANK": "\(walk.sizes.count)", "FUNCTION": Self.symbol(function, scalar),
      "T": scalar.type, "R": result.type, "HALF_SECOND": f16.flag(.second),
    ].merging(f16.definitions) { $1 }
    if then != .identity { definitions["THEN"] = then.symbol }
    let kernel = try context.kernel("binary", of: .embedded("binary"), definitions)
    let size = CLElements(counts[2], kernel)
    launch = try kernel.launch(
      [
        .memory("x", count: counts[0], size: f16.contains(.first) ? 2 : scalar.size),
        .memory("y", count: counts[1], size: f16.contains(.second) ? 2 : scalar.size),
        .memory("z", count: counts[2], size: f16.contains(.result) ? 2 : result.size), walk.argument(index),
        index.one(counts[2]),
        .float(then.alpha), .float(then.beta),
      ], global: [size.global], local: [size.local])
  }

  private static func symbol(_ function: String, _ scalar: CLScalar) -> String {
    let letters: [CLScalar: String] = [.float: "f", .int: "i", .bool: "b"]
    return "\(letters[scalar] ?? "no")_\(function)"
  }

  /// The result type of a function of two such operands. Throws if the function does not exist.
  static func result(of function: String, _ scalar: CLScalar) throws(KernelError) -> CLScalar {
    for (type, result) in [("float", CLScalar.float), ("int", .int), ("uchar", .bool)]
    where OpenCLSource.functions(in: "binary", prefix: "static \(type) ").contains(symbol(function, scalar)) {
      return result
    }
    throw KernelError(.openCLLaunch, "no OpenCL kernel has the function '\(function)' of two \(scalar)s")
  }

  /// `z` may be the memory of an input of the same shape and element size.
  package func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory, z: OpenCLMemory) throws {
    try launch.enqueue(on: queue, x, y, z)
  }
}

/// `z = condition ? x : y`, all three broadcast to the output's shape.
package struct CLSelect: Sendable {
  private let launch: OpenCLLaunch

  package init(
    _ context: OpenCLContext, elementSize: Int, condition: [Int], x: [Int], y: [Int], output: [Int]
  ) throws {
    let shapes = [condition, x, y]
    let counts = try (shapes + [output]).map { try CLSizes.count($0, "select") }
    let walk = CLWalk(output, try shapes.map { try CLWalk.broadcast($0, to: output, "select") })
    let index = CLSizes(counts[0], counts[1], counts[2], counts[3])
    let kernel = try context.kernel(
      "select_elements", of: .embedded("select"),
      ["INDEX": index.definition, "RANK": "\(walk.sizes.count)", "T": try clMoveType(elementSize)])
    let size = CLElements(counts[3], kernel)
    let tensors = ["x", "y", "z"].indices.map { place in
      OpenCLParameter.memory(["x", "y", "z"][place], count: counts[place + 1], size: elementSize)
    }
    launch = try kernel.launch(
      [.memory("condition", count: counts[0], size: 1)] + tensors + [walk.argument(index), index.one(counts[3])],
      global: [size.global], local: [size.local])
  }

  package func enqueue(
    on queue: OpenCLQueue, condition: OpenCLMemory, x: OpenCLMemory, y: OpenCLMemory, z: OpenCLMemory
  ) throws {
    try launch.enqueue(on: queue, condition, x, y, z)
  }
}

/// `y = x` as another type. Floating-point values are truncated toward zero and saturate, and NaN becomes 0. Integers
/// saturate. Any value other than 0 is true.
package struct CLCast: Sendable {
  private let launch: OpenCLLaunch

  package init(_ context: OpenCLContext, from: CLScalar, to: CLScalar, count: Int) throws {
    let isReal = (from: from == .float || from == .half, to: to == .float || to == .half)
    let function = isReal.to ? "plain_to_float" : "\(isReal.from ? "real" : "plain")_to_\(to.rawValue)"
    try self.init(context, function, from: from, to: to, count: count)
  }

  /// MIL's `logical_not` of `count` booleans.
  package init(_ context: OpenCLContext, negating count: Int) throws {
    try self.init(context, "plain_to_not", from: .bool, to: .bool, count: count)
  }

  private init(_ context: OpenCLContext, _ function: String, from: CLScalar, to: CLScalar, count: Int) throws {
    let count = try CLSizes.count([count], "cast")
    let index = CLSizes(count)
    let kernel = try context.kernel(
      "cast", of: .embedded("cast"),
      [
        "INDEX": index.definition, "FROM": from.type, "TO": to.type, "CAST": function,
        "FROM_HALF": from == .half ? "1" : "0", "TO_HALF": to == .half ? "1" : "0",
      ])
    let size = CLElements(count, kernel)
    launch = try kernel.launch(
      [
        .memory("x", count: count, size: from.size), .memory("y", count: count, size: to.size), index.one(count),
      ], global: [size.global], local: [size.local])
  }

  package func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws {
    try launch.enqueue(on: queue, x, y)
  }
}
