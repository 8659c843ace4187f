import ArgumentParser
import CoreML
import CoreMLBase
import Foundation

/// `runtime limits`: the limits of work with models on this machine, and their sources.
struct Limits: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "Lists the limits in force for memory, time, sizes and rates.",
    discussion: """
      An option of a command sets a limit, or else an environment variable, or else the default applies. "none" disables a limit. Sizes are \
      in bytes, or with K, M, G or T; times are in seconds.
      """)

  @OptionGroup var limits: LimitOptions
  @OptionGroup var store: StoreLimitOptions
  @Flag(help: "Print JSON.")
  var json = false

  struct Report: Encodable {
    let name: String
    /// In bytes, seconds or a count; nil for none.
    let value: Double?
    let source: String
    let variable: String
    let option: String
    let bounds: String
  }

  func run() throws {
    let inForce = try RuntimeLimits.inForce()
    let environment = ProcessInfo.processInfo.environment
    let fromEnvironment = try RuntimeLimits(environment: environment)
    let reports = RuntimeLimit.allCases.map { limit in
      let isSet = environment[limit.variable].map { !$0.isEmpty } ?? false
      let source =
        inForce[limit] != fromEnvironment[limit] ? limit.option : isSet ? limit.variable : "default"
      return Report(
        name: limit.rawValue, value: limit.value(in: inForce), source: source, variable: limit.variable,
        option: limit.option, bounds: limit.purpose)
    }
    if json || !Console.outputIsTerminal { return try Console.say(json: reports) }
    let rows = zip(RuntimeLimit.allCases, reports).map { limit, report in
      [limit.text(report.value), report.source, report.bounds, report.variable, report.option]
    }
    Console.say(Console.table([["LIMIT", "FROM", "BOUNDS", "VARIABLE", "OPTION"]] + rows, rightAligned: [0]))
  }
}

extension RuntimeLimit {
  /// The value in force. For memory without a smaller limit it is the machine's.
  fileprivate func value(in limits: RuntimeLimits) -> Double? {
    self == .memory ? Double(RuntimeLimits.processMemory) : limits[self]
  }
}
