import CoreMLBase
import CoreMLRuntime

/// The limits that hold where a model is to be used, and that its trial is held to: a model that meets one must not pass.
struct TrialLimits: Codable {
  /// Of the process that asks for the trial.
  let process: RuntimeLimits
  /// Of the model's configuration, where it has its own.
  let model: RuntimeLimits?

  /// - Throws: ``DeliveryError`` `badSetting` for an environment that sets what is no limit.
  init(_ configuration: MLModelConfiguration) throws {
    do { process = try RuntimeLimits.inForce() } catch { throw DeliveryError(.badSetting, "\(error)") }
    model = configuration.limits
  }

  /// Makes them those of this process, which may hold so much memory.
  func impose(memory: Int) {
    var limits = process
    limits.memory = memory
    RuntimeLimits.impose(limits)
  }

  /// What of them a model may pass or fail by, as text.
  var identity: String {
    let cases = RuntimeLimit.allCases.filter {
      ![.trainingTime, .transferRate, .storeSize, .compiledSize].contains($0)
    }
    return [process, model].compactMap { $0 }.map { limits in
      cases.map { "\($0.rawValue) \($0.text(limits[$0]))" }.joined(separator: ", ")
    }.joined(separator: "; the model's own: ")
  }
}
