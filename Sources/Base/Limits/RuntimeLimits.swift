/// The limits that an operator sets: memory, time, sizes and rates. Nil means no limit.
///
/// `inForce` returns the limits of the process: the defaults, overridden by the environment (`COREML_..._LIMIT`, see
/// `RuntimeLimit`) and by `impose`. A model's configuration may set its own. The error of work that exceeds a limit
/// names the limit.
public struct RuntimeLimits: Sendable, Hashable, Codable {
  /// Bytes that all models of the process may hold together; nil for the capacity of the machine and the control group.
  public var memory: Int?
  /// Bytes that one model may hold.
  public var modelMemory: Int?
  /// Seconds to load, compile or inspect a model.
  public var loadTime: Double? = 600
  /// Seconds for one prediction, including the wait for its turn.
  public var predictionTime: Double?
  /// Seconds for one training.
  public var trainingTime: Double?
  /// Seconds without progress after which a device counts as hung and is no longer used.
  public var deviceTime: Double? = 120
  /// Operations of a model, including those of nested blocks and of all functions.
  public var operations: Int? = 1_000_000
  /// Bytes of a model's files.
  public var modelSize: Int? = 64 << 30
  /// Bytes of one tensor.
  public var tensorSize: Int? = 64 << 30
  /// The minimum rate of a transfer in bytes per second, over one minute. A slower host is abandoned for another one.
  public var transferRate: Int? = 1 << 10
  /// Bytes that the store of installed models may use on disk.
  public var storeSize: Int?
  /// Bytes that compiled models may use on disk. The least recently used ones are deleted first.
  public var compiledSize: Int? = 16 << 30

  public init() {}
}

/// One of the limits: its names, its purpose and its unit.
public enum RuntimeLimit: String, CaseIterable, Sendable {
  case memory, modelMemory, loadTime, predictionTime, trainingTime, deviceTime, operations, modelSize, tensorSize,
    transferRate, storeSize, compiledSize

  public enum Unit: Sendable {
    case bytes, seconds, count, bytesPerSecond
  }

  /// The environment variable that sets it.
  public var variable: String {
    switch self {
    case .memory: MemorySize.variable
    case .modelMemory: "COREML_MODEL_MEMORY_LIMIT"
    case .loadTime: "COREML_LOAD_TIME_LIMIT"
    case .predictionTime: "COREML_PREDICTION_TIME_LIMIT"
    case .trainingTime: "COREML_TRAINING_TIME_LIMIT"
    case .deviceTime: "COREML_DEVICE_TIME_LIMIT"
    case .operations: "COREML_OPERATION_LIMIT"
    case .modelSize: "COREML_MODEL_SIZE_LIMIT"
    case .tensorSize: "COREML_TENSOR_SIZE_LIMIT"
    case .transferRate: "COREML_TRANSFER_RATE_LIMIT"
    case .storeSize: "COREML_STORE_SIZE_LIMIT"
    case .compiledSize: "COREML_COMPILED_SIZE_LIMIT"
    }
  }

  /// The command-line option that sets it.
  public var option: String {
    switch self {
    case .memory: "--memory-limit"
    case .modelMemory: "--model-memory-limit"
    case .loadTime, .predictionTime, .trainingTime: "--timeout"
    case .deviceTime: "--device-timeout"
    case .operations: "--operation-limit"
    case .modelSize: "--model-size-limit"
    case .tensorSize: "--tensor-size-limit"
    case .transferRate: "--min-rate"
    case .storeSize: "--store-limit"
    case .compiledSize: "--compiled-limit"
    }
  }

  /// What it limits.
  public var purpose: String {
    switch self {
    case .memory: "memory that all models of the process hold together"
    case .modelMemory: "memory that one model holds"
    case .loadTime: "time to load, compile or inspect a model"
    case .predictionTime: "time of one prediction"
    case .trainingTime: "time of one training"
    case .deviceTime: "time in which a device must show progress"
    case .operations: "operations of a model"
    case .modelSize: "size of a model's files"
    case .tensorSize: "size of one tensor"
    case .transferRate: "least rate of a transfer"
    case .storeSize: "size of the store of installed models"
    case .compiledSize: "size of all compiled models that are kept"
    }
  }

  public var unit: Unit {
    switch self {
    case .memory, .modelMemory, .modelSize, .tensorSize, .storeSize, .compiledSize: .bytes
    case .loadTime, .predictionTime, .trainingTime, .deviceTime: .seconds
    case .operations: .count
    case .transferRate: .bytesPerSecond
    }
  }

  /// Formats a value in the limit's unit; `none` for no limit.
  public func text(_ number: Double?) -> String {
    guard let number else { return "none" }
    switch unit {
    case .bytes: return MemorySize.text(Int(clamping: number))
    case .bytesPerSecond: return "\(MemorySize.text(Int(clamping: number))) a second"
    case .seconds: return "\(number) s"
    case .count: return "\(Int(clamping: number))"
    }
  }
}

extension Int {
  /// The integer part, at most `Int.max`.
  fileprivate init(clamping number: Double) { self = number >= 0x1p63 ? .max : Int(number) }
}
