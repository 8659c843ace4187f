/// `y = function(x)`, element by element.
public struct CLUnary: Sendable {
  private let kernel: OpenCLKernel
  private let function: CLFunction
  private let count: Int
  private let index: CLSizes

  public init(_ context: OpenCLContext, _ function: CLFunction, count: Int) throws {
    self.function = function
    self.count = try CLSizes.count([count], function.name)
    index = CLSizes(count)
    kernel = try context.kernel("unary", of: "unary", ["INDEX": index.definition, "FUNCTION": function.symbol])
  }

  /// `x` and `y` hold `count` floats; they may be the same memory.
  public func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws {
    try x.require(count, of: 4, "\(function.name): x")
    try y.require(count, of: 4, "\(function.name): y")
    let size = CLElements(count, kernel)
    try kernel.enqueue(
      on: queue, [.floats(x), .floats(y), index.one(count), .float(function.alpha), .float(function.beta)],
      global: [size.global], local: [size.local])
  }
}

/// `z = then(function(x, y))`, `x` and `y` broadcast against each other.
public struct CLBinary: Sendable {
  /// Scalars of the results: booleans for comparisons and logic.
  public let result: CLScalar
  private let kernel: OpenCLKernel
  private let name: String
  private let scalar: CLScalar
  private let counts: (x: Int, y: Int, z: Int)
  private let walk: CLWalk
  private let index: CLSizes
  private let then: CLFunction

  /// `function` is MIL's name, such as `add` or `greater_equal`, and `prelu`; `scalar` is the type of `x` and `y`. `then`
  /// is applied to real results only.
  public init(
    _ context: OpenCLContext, _ function: String, of scalar: CLScalar, x: [Int], y: [Int], output: [Int],
    then: CLFunction = .identity
  ) throws {
    let symbol = (scalar == .float ? "f_" : scalar == .int ? "i_" : "b_") + function
    let yields = ["float": CLScalar.float, "int": .int, "uchar": .bool]
      .filter { OpenCLSource.functions(in: "binary", prefix: "static \($0.key) ").contains(symbol) }
    guard let result = yields.values.first else {
      throw KernelError(.openCLLaunch, "no OpenCL kernel has the function '\(function)' of two \(scalar)s")
    }
    guard then == .identity || result == .float else {
      throw KernelError(.openCLLaunch, "'\(function)' gives \(result)s, '\(then.name)' takes floats")
    }
    name = function
    self.scalar = scalar
    self.result = result
    self.then = then
    counts = (
      try CLSizes.count(x, function), try CLSizes.count(y, function), try CLSizes.count(output, function)
    )
    walk = CLWalk(
      output, [try CLWalk.broadcast(x, to: output, function), try CLWalk.broadcast(y, to: output, function)])
    index = CLSizes(counts.x, counts.y, counts.z)
    var definitions = [
      "INDEX": index.definition, "RANK": "\(walk.sizes.count)", "FUNCTION": symbol, "T": scalar.type,
      "R": result.type,
    ]
    if then != .identity { definitions["THEN"] = then.symbol }
    kernel = try context.kernel("binary", of: "binary", definitions)
  }

  /// `z` may be the memory of an input of the same shape and element size.
  public func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory, z: OpenCLMemory) throws {
    try x.require(counts.x, of: scalar.size, "\(name): x")
    try y.require(counts.y, of: scalar.size, "\(name): y")
    try z.require(counts.z, of: result.size, "\(name): z")
    let size = CLElements(counts.z, kernel)
    try kernel.enqueue(
      on: queue,
      [
        .tensor(x, elementSize: scalar.size), .tensor(y, elementSize: scalar.size),
        .tensor(z, elementSize: result.size), walk.argument(index), index.one(counts.z), .float(then.alpha),
        .float(then.beta),
      ], global: [size.global], local: [size.local])
  }
}

/// `z = condition ? x : y`, all three broadcast to the output's shape.
public struct CLSelect: Sendable {
  private let kernel: OpenCLKernel
  private let elementSize: Int
  private let counts: [Int]
  private let walk: CLWalk
  private let index: CLSizes

  public init(
    _ context: OpenCLContext, elementSize: Int, condition: [Int], x: [Int], y: [Int], output: [Int]
  ) throws {
    self.elementSize = elementSize
    let shapes = [condition, x, y]
    counts = try (shapes + [output]).map { try CLSizes.count($0, "select") }
    walk = CLWalk(output, try shapes.map { try CLWalk.broadcast($0, to: output, "select") })
    index = CLSizes(counts[0], counts[1], counts[2], counts[3])
    kernel = try context.kernel(
      "select_elements", of: "select",
      ["INDEX": index.definition, "RANK": "\(walk.sizes.count)", "T": try clMoveType(elementSize)])
  }

  public func enqueue(
    on queue: OpenCLQueue, condition: OpenCLMemory, x: OpenCLMemory, y: OpenCLMemory, z: OpenCLMemory
  ) throws {
    try condition.require(counts[0], of: 1, "select: condition")
    try x.require(counts[1], of: elementSize, "select: x")
    try y.require(counts[2], of: elementSize, "select: y")
    try z.require(counts[3], of: elementSize, "select: z")
    let size = CLElements(counts[3], kernel)
    try kernel.enqueue(
      on: queue,
      [.tensor(condition, elementSize: 1)] + [x, y, z].map { .tensor($0, elementSize: elementSize) }
        + [walk.argument(index), index.one(counts[3])], global: [size.global], local: [size.local])
  }
}

/// `y = x` as another type. Real numbers are cut off toward zero and saturate, NaN becomes 0; what is not 0 is true.
public struct CLCast: Sendable {
  private let kernel: OpenCLKernel
  private let from: CLScalar
  private let to: CLScalar
  private let count: Int
  private let index: CLSizes

  public init(_ context: OpenCLContext, from: CLScalar, to: CLScalar, count: Int) throws {
    self.from = from
    self.to = to
    self.count = try CLSizes.count([count], "cast")
    index = CLSizes(count)
    let source = from == .float ? "real" : "plain"
    let function = to == .float ? "plain_to_float" : "\(source)_to_\(to.rawValue)"
    kernel = try context.kernel(
      "cast", of: "cast", ["INDEX": index.definition, "FROM": from.type, "TO": to.type, "CAST": function])
  }

  public func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws {
    try x.require(count, of: from.size, "cast: x")
    try y.require(count, of: to.size, "cast: y")
    let size = CLElements(count, kernel)
    try kernel.enqueue(
      on: queue,
      [.tensor(x, elementSize: from.size), .tensor(y, elementSize: to.size), index.one(count)],
      global: [size.global], local: [size.local])
  }
}
