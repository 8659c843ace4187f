import ArgumentParser
import CoreMLDelivery

/// How long a follower believes what a publisher signed. Kept with the channel.
struct FreshnessOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("An expired manifest or root is used with a warning for so long (7).", valueName: "days"))
  var grace: Double?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The same for a freshness statement, where the root asks for one (1).", valueName: "days"))
  var statementGrace: Double?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "A manifest counts for at most so long from its signing, whatever it says (90).", valueName: "days"))
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

  /// nil when nothing was said.
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
