import MIL

/// Consecutive operations of one device as a separate function, which the device can lower in its own way.
package struct Region: Sendable {
  /// The device number.
  package let device: Int
  /// Its inputs are the values that it reads from other regions.
  package var function: Function
  /// The names of its outputs in the rest of the program, in the order of the function's outputs. Lowering may rename
  /// the function's outputs, but not these.
  let outputs: [String]

  init(device: Int, function: Function) {
    self.device = device
    self.function = function
    outputs = function.body.outputs
  }
}

/// Cuts a function into regions in an executable order. An operation joins the last region of its device unless it
/// reads a value from a later region.
struct Regions {
  private let function: Function
  private let types: [String: ValueType]
  /// The operation that defines each constant. Every region that reads a constant gets a copy of it.
  private let constants: [String: Operation]
  private var members: [[Int]] = []
  private var devices: [Int] = []
  /// The last region of each device.
  private var latest: [Int: Int] = [:]
  /// The region that computes each value.
  private var maker: [String: Int] = [:]

  /// Cuts `function`. `devices` has the device number of each operation.
  static func cut(_ function: Function, devices: [Int]) -> [Region] {
    guard devices.contains(where: { $0 != 0 }) else { return [Region(device: 0, function: function)] }
    var regions = Regions(function)
    for (index, operation) in function.body.operations.enumerated() where !regions.isConstant(operation) {
      regions.add(index, operation, on: devices[index])
    }
    return regions.extracted()
  }

  private init(_ function: Function) {
    self.function = function
    types = function.types
    let stored = function.constantNames
    var constants: [String: Operation] = [:]
    for operation in function.body.operations {
      for output in operation.outputs where stored.contains(output.name) { constants[output.name] = operation }
    }
    self.constants = constants
  }

  private func isConstant(_ operation: Operation) -> Bool {
    operation.outputs.first.map { constants[$0.name] != nil } ?? false
  }

  /// Appends the operation that defines a constant, after those of the constants that it depends on.
  private func define(_ name: String, in operations: inout [Operation], _ defined: inout Set<String>) {
    // Uses an explicit stack, since chains of constants may be longer than the call stack allows.
    var open = [(name: name, isReady: false)]
    while let (name, isReady) = open.popLast() {
      guard !defined.contains(name), let operation = constants[name] else { continue }
      guard isReady else {
        open.append((name, true))
        for source in operation.inputNames.sorted(by: >) where !defined.contains(source) {
          open.append((source, false))
        }
        continue
      }
      operations.append(operation)
      for output in operation.outputs { defined.insert(output.name) }
    }
  }

  private mutating func add(_ index: Int, _ operation: Operation, on device: Int) {
    let needs = operation.readNames.reduce(0) { max($0, maker[$1] ?? 0) }
    let region: Int
    if let last = latest[device], last >= needs {
      region = last
    } else {
      region = members.count
      members.append([])
      devices.append(device)
      latest[device] = region
    }
    members[region].append(index)
    for output in operation.outputs { maker[output.name] = region }
  }

  /// A region with the function results that are constants, if any. No other region computes them.
  private var constantResults: [Region] {
    var (operations, names, defined): ([Operation], [String], Set<String>) = ([], [], [])
    for name in function.body.outputs where constants[name] != nil && !names.contains(name) {
      if !defined.contains(name) { define(name, in: &operations, &defined) }
      names.append(name)
    }
    guard !names.isEmpty else { return [] }
    return [
      Region(
        device: 0,
        function: Function(
          inputs: [], opset: function.opset, body: Block(operations: operations, outputs: names)))
    ]
  }

  private func extracted() -> [Region] {
    var readers: [String: Set<Int>] = [:]
    for (region, indices) in members.enumerated() {
      for index in indices {
        for name in function.body.operations[index].readNames { readers[name, default: []].insert(region) }
      }
    }
    let results = Set(function.body.outputs)
    return constantResults
      + members.indices.map { region in
        var made: [String] = []
        var defined: Set<String> = []
        var operations: [Operation] = []
        var inputs: [NamedType] = []
        for index in members[region] {
          let operation = function.body.operations[index]
          for name in operation.readNames.sorted() where !defined.contains(name) {
            if constants[name] != nil {
              define(name, in: &operations, &defined)
            } else if let type = types[name] {
              inputs.append(NamedType(name, type))
              defined.insert(name)
            }
          }
          operations.append(operation)
          for output in operation.outputs {
            defined.insert(output.name)
            let isRead = readers[output.name]?.contains { $0 != region } ?? false
            if isRead || results.contains(output.name) { made.append(output.name) }
          }
        }
        let body = Block(operations: operations, outputs: made)
        return Region(
          device: devices[region], function: Function(inputs: inputs, opset: function.opset, body: body))
      }
  }
}

extension Operation {
  /// All names that the operation reads, including those that its blocks capture.
  var readNames: Set<String> { blocks.reduce(into: Set(inputNames)) { $0.formUnion($1.capturedNames) } }
}
