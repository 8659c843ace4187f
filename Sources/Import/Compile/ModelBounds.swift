import CoreMLBase
import CoreMLSpec
import Foundation
import MIL

/// Enforces the limits of a model's size and its number of operations.
package enum ModelBounds {
  /// Rejects a model whose files exceed the size limit, before any of them is read.
  package static func requireSize(_ path: String) throws {
    guard let limit = try RuntimeLimits.inForce().modelSize else { return }
    var total = 0
    func add(_ file: String) throws {
      var status = stat()
      guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
      total = total.addingReportingOverflow(Int(status.st_size)).overflow ? .max : total + Int(status.st_size)
      guard total <= limit else {
        throw refusal(.modelSize, "the model's files have more than", Double(limit), path)
      }
    }
    try add(path)
    guard let files = FileManager.default.enumerator(atPath: path) else { return }
    while let name = files.nextObject() as? String {
      try Cancellation.check()
      try add("\(path)/\(name)")
    }
  }

  /// Rejects a program with more operations than the limit allows, or than memory allows.
  static func requireOperations(_ program: Program, _ path: String) throws {
    let limit = try RuntimeLimits.inForce().operations
    var total = 0
    func count(_ block: Block) throws {
      total += block.operations.count
      if let limit, total > limit {
        throw refusal(.operations, "the model has more operations than", Double(limit), path)
      }
      for operation in block.operations { for nested in operation.blocks { try count(nested) } }
    }
    for function in program.functions.values { try count(function.body) }
    try requireMemory(operations: total)
  }

  /// Throws if the memory limit leaves no room for this number of operations or layers.
  static func requireMemory(operations count: Int) throws {
    try MemoryBudget.current.admit(count, of: bytesOfOperation, for: "a model of \(count) operations")
  }

  /// The estimated bytes of an operation with its names and types. Weights stay in their file.
  private static let bytesOfOperation = 2 << 10

  private static func refusal(_ limit: RuntimeLimit, _ what: String, _ number: Double, _ path: String) -> RuntimeError {
    RuntimeError(
      .invalidModel, "\(what) the limit of \(limit.text(number)) (\(limit.variable), \(limit.option))", file: path)
  }
}
