import ArgumentParser
import CoreMLBase
import CoreMLDelivery
import Foundation
import Logging

/// `runtime`: Core ML models on the command line.
@main struct RuntimeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runtime",
    abstract: "Runs Core ML models.",
    discussion: """
      MODEL is a path to a .mlmodel, .mlpackage or .mlmodelc, or the name of an installed model. Output is readable text on a terminal, and \
      JSON on a pipe or with --json.

      Exit status: 0 done, 1 done with a negative result, 64 usage, 65 bad model or data, 69 device unavailable, 73 cannot write, \
      74 input or output failed, 75 temporary failure, 130 or 143 interrupted.
      """,
    version: PackageVersion.current,
    subcommands: [
      Predict.self, Compile.self, Generate.self, Metadata.self, CompilerCommand.self, Inspect.self, PlanCommand.self,
      Bench.self, GenerateText.self, Serve.self, Devices.self, Update.self, Fetch.self, Models.self, Cache.self,
      Channel.self,
      Publish.self,
      SupportCommand.self, Limits.self,
    ])

  /// Parses, runs and ends the process. A failure is one line on standard error and an exit status.
  static func main() {
    ProcessNeeds.prepare()
    Console.keepStandardDescriptors()
    TrialProcess.runIfAsked()
    do { try ProcessNeeds.require() } catch { end(with: error) }
    Interruption.shared.install()
    do {
      try FileNames.checkArguments()
      try CommandNames.check(Array(CommandLine.arguments.dropFirst()), of: Self.self)
      var command = try parseAsRoot()
      let level = Console.noise == .quiet ? Logger.Level.error : .info
      LoggingSystem.bootstrap { label in
        var handler = StreamLogHandler.standardError(label: label)
        handler.logLevel = level
        return handler
      }
      try command.run()
      ExitStatus.done.exit()
    } catch {
      end(with: error)
    }
  }

  private static func end(with error: any Error) -> Never {
    if let interrupted = Interruption.shared.signal { ExitStatus.interrupted(by: interrupted).exit() }
    // The parser reports help, versions and completion scripts as errors, like wrong usage.
    switch exitCode(for: error) {
    case .success:
      Console.say(fullMessage(for: error))
      ExitStatus.done.exit()
    case .validationFailure:
      Console.complain(message(for: error))
      ExitStatus.usage.exit()
    default:
      let failure = Failure(error)
      if !failure.sentence.isEmpty { Console.complain(failure.sentence) }
      failure.status.exit()
    }
  }
}
