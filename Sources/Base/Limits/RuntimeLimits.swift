/// What an operator allows: memory, time, sizes and rates. Nil is no limit.
///
/// `inForce` gives those of the process: the defaults, what the environment says instead (`COREML_..._LIMIT`, see `RuntimeLimit`), and what
/// `impose` set since. A model's own may be set in its configuration. What meets a limit is refused with a sentence that names it.
public struct RuntimeLimits: Sendable, Hashable, Codable {
  /// Bytes that all models of the process may hold together; nil for what the machine and the control group have.
  public var memory: Int?
  /// Bytes that one model may hold.
  public var modelMemory: Int?
  /// Seconds that loading, compiling or inspecting a model may take.
  public var loadTime: Double? = 600
  /// Seconds that one prediction may take, the wait for its turn included.
  public var predictionTime: Double?
  /// Seconds that one training may take.
  public var trainingTime: Double?
  /// Seconds that a device may show no progress in what it was given, before it is taken for hung and not used any more.
  public var deviceTime: Double? = 120
  /// Operations of a model, those of nested blocks and of all functions counted.
  public var operations: Int? = 1_000_000
  /// Bytes of a model's files.
  public var modelSize: Int? = 64 << 30
  /// Bytes of one tensor.
  public var tensorSize: Int? = 64 << 30
  /// Bytes a second that a transfer must reach, over a minute, so that the host is not left for another.
  public var transferRate: Int? = 1 << 10
  /// Bytes that the store of installed models may take on disk.
  public var storeSize: Int?
  /// Bytes that compiled forms of models may take on disk; those used longest ago go.
  public var compiledSize: Int? = 16 << 30

  public init() {}
}

/// One of the limits: its names, what it bounds, and how it is written.
public enum RuntimeLimit: String, CaseIterable, Sendable {
  case memory, modelMemory, loadTime, predictionTime, trainingTime, deviceTime, operations, modelSize, tensorSize,
    transferRate, storeSize, compiledSize

  public enum Unit: Sendable {
    case bytes, seconds, count, bytesPerSecond
  }

  /// The variable of the environment that sets it.
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

  /// The option of the commands that it concerns.
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

  /// What it bounds.
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

  /// A number in the limit's unit as it is written; `none` for no limit.
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
  /// The nearest integer.
  fileprivate init(clamping number: Double) { self = number >= 0x1p63 ? .max : Int(number) }
}
