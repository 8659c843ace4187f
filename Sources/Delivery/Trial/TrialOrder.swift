import CoreMLRuntime
import Foundation

/// What is to be tried, as the process that tries it is told.
struct TrialOrder: Codable {
  static let version = 1
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
  /// Of an encrypted model.
  var key: Data?
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
    let memoryLimit: Int?

    init(_ configuration: MLModelConfiguration) {
      computeUnits = configuration.computeUnits.rawValue
      lowPrecision = configuration.allowLowPrecisionAccumulationOnGPU
      device = configuration.preferredOpenCLDevice
      function = configuration.functionName
      threads = configuration.threads
      fusion = configuration.allowsFusion
      memoryLimit = configuration.memoryLimit
    }

    var configuration: MLModelConfiguration {
      let configuration = MLModelConfiguration()
      configuration.computeUnits = MLComputeUnits(rawValue: computeUnits) ?? .all
      configuration.allowLowPrecisionAccumulationOnGPU = lowPrecision
      configuration.preferredOpenCLDevice = device
      configuration.functionName = function
      configuration.threads = threads
      configuration.allowsFusion = fusion
      configuration.memoryLimit = memoryLimit
      return configuration
    }
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
    .doesNotLoad, .doesNotPredict, .failsSmokeTest, .otherInterface, .trialOutOfMemory, .needsApplication, .unwritable,
    .unreadable, .noSpace, .wrongModelKey, .notEncrypted, .tamperedModel, .truncatedModel,
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
