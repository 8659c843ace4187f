import CoreMLRuntime
import Foundation

/// How new models are tried before they are used: compiled, loaded, and given the inputs that came with them, in a process of their own.
///
/// What is not set here is taken from the environment: `COREML_TRIAL_HELPER` (a path, or `none`), `COREML_TRIAL_SECONDS`,
/// `COREML_TRIAL_MEMORY` (such as `2G`).
public struct TrialPolicy: Sendable, Equatable {
  /// Which program the process runs.
  public enum Helper: Sendable, Equatable {
    /// This program, where it calls ``TrialProcess/runIfAsked()``; otherwise a `runtime` that lies beside this program or library.
    case automatic
    /// A program that calls ``TrialProcess/runIfAsked()``, such as `runtime`, of the same release as this library.
    case program(URL)
    /// None: models are tried in this process. What ends it then ends it, and what a model takes is taken from it.
    case none
  }

  /// Which program the process runs; nil leaves it to the environment.
  public var helper: Helper?
  /// Whether a model is refused where no helper is to be had; otherwise it is tried in this process, and the log says so once.
  public var requiresHelper = false
  /// Seconds for compiling, loading and all inputs together; two minutes unless something else is said. A minute is added for each
  /// gigabyte of the model.
  public var seconds: Double?
  /// Bytes that a trial may have, or those that run at one time together; by default what the process's models may have.
  public var memory: Int?
  /// How many models of a channel are tried at one time; by default one for each processor, each with at least a gigabyte of the memory.
  public var sideBySide: Int?

  /// A policy that leaves all to the environment and the defaults.
  public init() {}

  /// The policy with everything settled.
  struct Settled: Sendable {
    let helper: Helper
    let requiresHelper: Bool
    let seconds: Double
    /// What one trial may have.
    var memory: Int
    let sideBySide: Int

    /// For trials that run at one time: each has its share.
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
