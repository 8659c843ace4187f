import ArgumentParser
import CoreMLDelivery

/// How long a follower trusts signed documents. Stored with the channel.
struct FreshnessOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long to use an expired manifest or root, with a warning (7).", valueName: "days"))
  var grace: Double?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The same for a freshness statement, if the root requires one (1).", valueName: "days"))
  var statementGrace: Double?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The maximum age of a manifest since its signing, regardless of its own expiry (90).", valueName: "days"))
  var manifestLifetime: Double?
  @Option(parsing: .unconditional, help: ArgumentHelp("The same for a freshness statement (14).", valueName: "days"))
  var statementLifetime: Double?

  func validate() throws {
    let given = [
      ("--grace", grace, 0.0), ("--statement-grace", statementGrace, 0.0),
      ("--manifest-lifetime", manifestLifetime, Double.leastNonzeroMagnitude),
      ("--statement-lifetime", statementLifetime, Double.leastNonzeroMagnitude),
    ]
    for case (let option, let days?, let least) in given where !(days >= least && days <= 36_500) {
      throw ValidationError("\(option) is \(days), expected a number of days, 36500 at most")
    }
  }

  /// Nil if no option is given.
  var policy: FreshnessPolicy? {
    guard [grace, statementGrace, manifestLifetime, statementLifetime].contains(where: { $0 != nil }) else {
      return nil
    }
    var policy = FreshnessPolicy()
    func set(_ value: WritableKeyPath<FreshnessPolicy, Int64>, _ days: Double?) {
      if let days { policy[keyPath: value] = Int64((days * 86_400).rounded()) }
    }
    set(\.grace, grace)
    set(\.statementGrace, statementGrace)
    set(\.manifestLifetime, manifestLifetime)
    set(\.statementLifetime, statementLifetime)
    return policy
  }
}
