import CoreMLBase
import CoreMLRuntime

/// The resource limits for using a model, which also apply to its trial, so that a model that exceeds them fails.
struct TrialLimits: Codable {
  /// The limits of the process that requests the trial.
  let process: RuntimeLimits
  /// The limits in the model's configuration, if it has any.
  let model: RuntimeLimits?

  /// - Throws: ``DeliveryError`` `badSetting` if a limit in the environment is invalid.
  init(_ configuration: MLModelConfiguration) throws {
    do { process = try RuntimeLimits.inForce() } catch { throw DeliveryError(.badSetting, "\(error)") }
    model = configuration.limits
  }

  /// Applies the limits to this process, with the given memory limit in bytes.
  func impose(memory: Int) {
    var limits = process
    limits.memory = memory
    RuntimeLimits.impose(limits)
  }

  /// The limits that can affect the result of a trial, as text.
  var identity: String {
    let cases = RuntimeLimit.allCases.filter {
      ![.trainingTime, .transferRate, .storeSize, .compiledSize].contains($0)
    }
    return [process, model].compactMap { $0 }.map { limits in
      cases.map { "\($0.rawValue) \($0.text(limits[$0]))" }.joined(separator: ", ")
    }.joined(separator: "; the model's own: ")
  }
}
