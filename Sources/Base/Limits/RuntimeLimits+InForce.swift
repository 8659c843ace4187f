import Foundation
import Synchronization

extension RuntimeLimits {
  /// The limits of the current thread's work, if it has its own.
  @TaskLocal package static var given: RuntimeLimits?

  private static let imposed = Mutex<RuntimeLimits?>(nil)

  /// The limits of the current thread's work, or else those of the process.
  ///
  /// - Throws: `LimitError` if an environment variable cannot be parsed.
  public static func inForce() throws -> RuntimeLimits {
    if let given { return given }
    return try imposed.withLock { imposed in
      if let imposed { return imposed }
      let read = try RuntimeLimits(environment: ProcessInfo.processInfo.environment)
      imposed = read
      return read
    }
  }

  /// Sets the limits of the process, for work that starts from now on.
  public static func impose(_ limits: RuntimeLimits) {
    imposed.withLock { $0 = limits }
    MemoryBudget.machine.limit = min(limits.memory ?? .max, SystemMemory.capacity)
    largestTensor.store(limits.tensorSize ?? .max, ordering: .relaxed)
  }

  /// Bytes that the process may hold: `memory`, or the capacity of the machine and the control group.
  public static var processMemory: Int { MemoryBudget.machine.limit }

  /// The process's limit of tensor sizes. Cached, since it is read for each tensor.
  package static let largestTensor = Atomic<Int>(
    (try? RuntimeLimits(environment: ProcessInfo.processInfo.environment)).map { $0.tensorSize ?? .max } ?? 64 << 30)

  /// The default limits, overridden by the environment variables. The text `none` disables a limit.
  ///
  /// - Throws: `LimitError` if a text cannot be parsed.
  public init(environment: [String: String]) throws {
    self.init()
    for limit in RuntimeLimit.allCases {
      guard let text = environment[limit.variable], !text.isEmpty else { continue }
      try set(limit, to: text, as: limit.variable)
    }
  }

  /// The value of a limit in its unit; nil for no limit.
  public subscript(limit: RuntimeLimit) -> Double? {
    switch limit {
    case .memory: memory.map(Double.init)
    case .modelMemory: modelMemory.map(Double.init)
    case .loadTime: loadTime
    case .predictionTime: predictionTime
    case .trainingTime: trainingTime
    case .deviceTime: deviceTime
    case .operations: operations.map(Double.init)
    case .modelSize: modelSize.map(Double.init)
    case .tensorSize: tensorSize.map(Double.init)
    case .transferRate: transferRate.map(Double.init)
    case .storeSize: storeSize.map(Double.init)
    case .compiledSize: compiledSize.map(Double.init)
    }
  }

  /// Sets a limit from a text: a size (`512M`, `2G`), seconds (`30`, `1.5`), a count, or `none`.
  ///
  /// - Parameter name: The variable or option that the text comes from, for errors.
  public mutating func set(_ limit: RuntimeLimit, to text: String, as name: String) throws {
    switch limit {
    case .loadTime: loadTime = try Self.seconds(text, name)
    case .predictionTime: predictionTime = try Self.seconds(text, name)
    case .trainingTime: trainingTime = try Self.seconds(text, name)
    case .deviceTime: deviceTime = try Self.seconds(text, name)
    case .operations: operations = try Self.count(text, name)
    case .memory: memory = try Self.size(text, name)
    case .modelMemory: modelMemory = try Self.size(text, name)
    case .modelSize: modelSize = try Self.size(text, name)
    case .tensorSize: tensorSize = try Self.size(text, name)
    case .transferRate: transferRate = try Self.size(text, name)
    case .storeSize: storeSize = try Self.size(text, name)
    case .compiledSize: compiledSize = try Self.size(text, name)
    }
  }

  /// The text for no limit.
  public static let none = "none"

  private static func size(_ text: String, _ name: String) throws -> Int? {
    guard text != none else { return nil }
    guard let bytes = MemorySize.bytes(text), bytes > 0 else {
      throw refusal(text, name, "a size such as 512M or 2G")
    }
    return bytes
  }

  private static func seconds(_ text: String, _ name: String) throws -> Double? {
    guard text != none else { return nil }
    guard let seconds = Double(text), seconds > 0, seconds < 1e9 else {
      throw refusal(text, name, "a number of seconds above 0")
    }
    return seconds
  }

  private static func count(_ text: String, _ name: String) throws -> Int? {
    guard text != none else { return nil }
    guard let count = Int(text), count > 0 else { throw refusal(text, name, "a number above 0") }
    return count
  }

  private static func refusal(_ text: String, _ name: String, _ expected: String) -> LimitError {
    LimitError(.invalidArgument, "\(name) is '\(text)', expected \(expected), or \(none)")
  }
}
