import CoreMLRuntime
import Foundation

/// How new models are tried before they are used. A separate process compiles the model, loads it and runs its golden
/// inputs.
///
/// Unset properties are read from the environment: `COREML_TRIAL_HELPER` (a path, or `none`), `COREML_TRIAL_SECONDS`,
/// `COREML_TRIAL_MEMORY` (such as `2G`).
public struct TrialPolicy: Sendable, Equatable {
  /// The program of the helper process.
  public enum Helper: Sendable, Equatable {
    /// This program, if it calls ``TrialProcess/runIfAsked()``. Otherwise a `runtime` command next to this executable
    /// or library.
    case automatic
    /// A program that calls ``TrialProcess/runIfAsked()``, such as `runtime`, from the same release as this library.
    case program(URL)
    /// No helper: models are tried in this process. A model that crashes or uses too much memory then affects this
    /// process.
    case none
  }

  /// The helper program; nil reads it from the environment.
  public var helper: Helper?
  /// Whether models are rejected if no helper is available. Otherwise they are tried in this process, which is logged
  /// once.
  public var requiresHelper = false
  /// The time limit in seconds for compiling, loading and all golden inputs; two minutes by default. One minute per
  /// gibibyte of the model is added.
  public var seconds: Double?
  /// The memory limit of all concurrent trials in bytes; by default the memory limit of models in this process.
  public var memory: Int?
  /// The number of models of a channel to try concurrently. The default is one per processor, but at most 16, and at
  /// least one gibibyte each.
  public var sideBySide: Int?

  /// Creates a policy in which the environment and the defaults determine all values.
  public init() {}

  /// The policy with all values resolved.
  struct Settled: Sendable {
    let helper: Helper
    let requiresHelper: Bool
    let seconds: Double
    /// The memory limit of one trial in bytes.
    var memory: Int
    let sideBySide: Int

    /// The policy of a trial that shares the memory with concurrent trials.
    var shared: Settled {
      var copy = self
      copy.memory = max(memory / sideBySide, 1)
      return copy
    }

    func limit(ofModel bytes: Int64) -> Double { seconds + 60 * Double(bytes) / Double(1 << 30) }
  }

  /// - Throws: ``DeliveryError`` `badSetting`.
  func settled(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> Settled {
    func setting<Value>(_ name: String, _ what: String, _ read: (String) -> Value?) throws -> Value? {
      guard let text = environment[name], !text.isEmpty else { return nil }
      guard let value = read(text) else {
        throw DeliveryError(.badSetting, "\(name) is '\(text.prefix(200))', expected \(what)")
      }
      return value
    }
    let named = try setting("COREML_TRIAL_HELPER", "an absolute path or 'none'") { text in
      text == "none" ? Helper.none : text.hasPrefix("/") ? .program(URL(filePath: text)) : nil
    }
    let seconds =
      try self.seconds ?? setting("COREML_TRIAL_SECONDS", "a number of seconds above 0") { Double($0) } ?? 120
    guard seconds > 0, seconds < 1e9 else {
      throw DeliveryError(.badSetting, "a trial has \(seconds) seconds, expected a number above 0")
    }
    let memory =
      try self.memory
      ?? setting("COREML_TRIAL_MEMORY", "a size such as 512M or 2G") { MLModelConfiguration.memorySize($0) }
      ?? MLModelConfiguration.memoryOfModels
    guard memory > 0 else { throw DeliveryError(.badSetting, "a trial has no memory, expected a size such as 2G") }
    let processors = max(ProcessInfo.processInfo.activeProcessorCount, 1)
    let most = sideBySide ?? min(processors, max(memory >> 30, 1), 16)
    return Settled(
      helper: helper ?? named ?? .automatic, requiresHelper: requiresHelper, seconds: seconds, memory: memory,
      sideBySide: max(most, 1))
  }
}
