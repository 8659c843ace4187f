import CoreMLBase
import CoreMLRuntime
import CoreMLSpec
import Foundation

/// What is to be tried, as the process that tries it is told: one line of JSON, and after it the key of an encrypted model.
struct TrialOrder: Codable {
  static let version = 2
  /// No order is longer.
  static let sizeLimit = 1 << 20

  var version = Self.version
  /// The report repeats it.
  let nonce: String
  /// The process that waits for the report.
  let parent: Int32
  /// Bytes; for the process as a whole there is some more.
  let memory: Int
  let model: URL
  let form: StoredModel.Form
  /// ``TreeDigest`` of the model; the report repeats it.
  let digest: String
  /// What the model is called in messages.
  let name: String
  /// Where the compiled form of a source is to stand; nil for a model that is compiled already.
  var compiled: URL?
  var golden: [GoldenFiles] = []
  /// A model whose callers the new one is to serve.
  var fits: URL?
  let settings: Settings

  /// What of a configuration reaches another process.
  struct Settings: Codable {
    let computeUnits: Int
    let lowPrecision: Bool
    let device: String?
    let function: String?
    let threads: Int?
    let fusion: Bool
    /// Of products.
    let precision: Int
    let memoryLimit: Int?
    let limits: TrialLimits

    /// - Throws: ``DeliveryError`` `badSetting` for an environment that sets what is no limit.
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
  /// The order as it is sent. Where a key is in it, no copy of that is left in other memory.
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

  /// What was sent; nil for what is no order of this version.
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

/// What the process says at its end. Whatever it says, no more is believed than that the model passed or did not.
struct TrialReport: Codable {
  static let sizeLimit = 64 << 10
  /// What comes before everything else: what ends the process after it is the model's doing.
  static let ready = "coreml-trial \(TrialOrder.version)\n"

  let nonce: String
  let digest: String
  /// nil: it passed.
  let code: String?
  let message: String?

  /// What may be wrong with a model, or with the machine that it is tried on.
  private static let codes: Set<DeliveryError.Code> = [
    .doesNotLoad, .doesNotPredict, .failsSmokeTest, .otherInterface, .trialOutOfMemory, .trialTimedOut,
    .needsApplication, .unwritable, .unreadable, .noSpace, .wrongModelKey, .notEncrypted, .tamperedModel,
    .truncatedModel,
  ]

  /// - Parameter file: what a failure is told of.
  func failure(_ file: String) -> DeliveryError? {
    guard let code else { return nil }
    let known = DeliveryError.Code(rawValue: code)
    return DeliveryError(
      Self.codes.contains(known) ? known : .doesNotLoad, String((message ?? "no reason was given").prefix(2000)),
      file: file)
  }
}
