import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import Foundation

/// The input of a helper process: one line of JSON, followed by the key of an encrypted model.
struct TrialOrder: Codable {
  static let version = 3
  /// The maximum size in bytes.
  static let sizeLimit = 1 << 20

  var version = Self.version
  /// A random value that the report repeats.
  let nonce: String
  /// The process that awaits the report.
  let parent: Int32
  /// The memory limit of models in bytes; the limit of the whole process is higher.
  let memory: Int
  let model: URL
  let form: StoredModel.Form
  /// The ``TreeDigest`` of the model; the report repeats it.
  let digest: String
  /// The name of the model in error messages.
  let name: String
  /// The path for the compiled model of a source; nil if the model is compiled already.
  var compiled: URL?
  var golden: [GoldenFiles] = []
  /// A model that the new one must be compatible with.
  var fits: URL?
  let settings: Settings

  /// The part of a configuration that is sent to the helper process.
  struct Settings: Codable {
    let computeUnits: Int
    let lowPrecision: Bool
    let device: String?
    let function: String?
    let threads: Int?
    let fusion: Bool
    /// The precision of matrix products.
    let precision: Int
    let memoryLimit: Int?
    let limits: TrialLimits

    /// - Throws: ``DeliveryError`` `badSetting` if a limit in the environment is invalid.
    init(_ configuration: MLModelConfiguration) throws {
      computeUnits = configuration.computeUnits.rawValue
      lowPrecision = configuration.allowLowPrecisionAccumulationOnGPU
      device = configuration.preferredOpenCLDevice
      function = configuration.functionName
      threads = configuration.threads
      fusion = configuration.allowsFusion
      precision = configuration.optimizationHints.precision.rawValue
      memoryLimit = configuration.memoryLimit
      limits = try TrialLimits(configuration)
    }

    var configuration: MLModelConfiguration {
      let configuration = MLModelConfiguration()
      configuration.computeUnits = MLComputeUnits(rawValue: computeUnits) ?? .all
      configuration.allowLowPrecisionAccumulationOnGPU = lowPrecision
      configuration.preferredOpenCLDevice = device
      configuration.functionName = function
      configuration.threads = threads
      configuration.allowsFusion = fusion
      configuration.optimizationHints.precision = MLOptimizationHints.Precision(rawValue: precision) ?? .default
      configuration.memoryLimit = memoryLimit
      configuration.limits = limits.model
      return configuration
    }
  }
}

extension TrialOrder {
  /// Returns the serialized order. No copy of the key remains in other memory.
  func message(_ key: ModelKey?) throws -> SecretMemory {
    let line = try JSONEncoder().encode(self) + Data("\n".utf8)
    let secret = try key?.spelled()
    let message = try SecretFile.memory(line.count + (secret?.bytes.count ?? 0))
    message.bytes.copyBytes(from: line)
    if let secret {
      UnsafeMutableRawBufferPointer(rebasing: message.bytes[line.count...])
        .copyMemory(from: UnsafeRawBufferPointer(secret.bytes))
    }
    return message
  }

  /// Parses a message; nil if it is not an order of this version.
  static func received(_ message: SecretMemory) -> (order: TrialOrder, key: ModelKey?)? {
    let bytes = UnsafeRawBufferPointer(message.bytes)
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let order = try? JSONDecoder().decode(TrialOrder.self, from: Data(bytes[..<end])), order.version == version
    else { return nil }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...])
    guard !rest.isEmpty else { return (order, nil) }
    guard let secret = try? SecretFile.copy(rest), let key = try? ModelKey(secret, from: "the trial") else {
      return nil
    }
    return (order, key)
  }
}

/// The output of a helper process. It is untrusted: it only determines whether the model passed.
struct TrialReport: Codable {
  static let sizeLimit = 64 << 10
  /// The first output of a helper. If the process ends after it, the model is the cause.
  static let ready = "coreml-trial \(TrialOrder.version)\n"

  let nonce: String
  let digest: String
  /// The error code; nil if the model passed.
  let code: String?
  let message: String?

  /// The error codes accepted from a helper. They denote faults of the model or of the machine.
  private static let codes: Set<DeliveryError.Code> = [
    .doesNotLoad, .doesNotPredict, .failsSmokeTest, .otherInterface, .trialOutOfMemory, .trialTimedOut,
    .needsApplication, .unwritable, .unreadable, .noSpace, .wrongModelKey, .notEncrypted, .tamperedModel,
    .truncatedModel,
  ]

  /// - Parameter file: the file name in the error.
  func failure(_ file: String) -> DeliveryError? {
    guard let code else { return nil }
    let known = DeliveryError.Code(rawValue: code)
    return DeliveryError(
      Self.codes.contains(known) ? known : .doesNotLoad, String((message ?? "no reason was given").prefix(2000)),
      file: file)
  }
}
