import ArgumentParser
import CoreML
import CoreMLDelivery
import Foundation

/// The limits of a new model's trial.
struct TrialOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The time limit to compile, load and try a new model; by default 120 s, plus a minute per gigabyte.",
      valueName: "seconds"))
  var trialTimeout: Double?
  @Option(help: ArgumentHelp("The memory limit of trials, such as 512M or 2G.", valueName: "size"))
  var trialMemory: String?

  func validate() throws {
    if let trialTimeout, !(trialTimeout > 0 && trialTimeout < 1e9) {
      throw ValidationError("--trial-timeout is \(trialTimeout), expected a number of seconds above 0")
    }
    if let trialMemory, MLModelConfiguration.memorySize(trialMemory) == nil {
      throw ValidationError("--trial-memory is '\(trialMemory)', expected a size such as 512M or 2G")
    }
  }

  /// The command tries every model in a separate process, which is another instance of this program.
  var policy: TrialPolicy {
    var policy = TrialPolicy()
    (policy.requiresHelper, policy.seconds, policy.memory) = (
      true, trialTimeout, trialMemory.flatMap { MLModelConfiguration.memorySize($0) }
    )
    return policy
  }
}
