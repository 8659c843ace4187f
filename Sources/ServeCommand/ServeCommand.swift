import ArgumentParser
import CoreMLBase
import CoreMLDelivery
import CoreMLServing
import CoreMLServingInterface
import Foundation
import Logging

/// `runtime-serve`: an inference server for Core ML models.
@main struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runtime-serve",
    abstract: "Serves Core ML models by the Open Inference Protocol.",
    discussion: """
      MODEL is a path to a .mlmodel, .mlpackage or .mlmodelc, the name of an installed model, or REPOSITORY:CHANNEL:MODEL. Its name in \
      requests is the name of the file, and its version is 1.

      Exit status: 0 after SIGTERM or SIGINT, 64 usage, 66 no such model, 69 an address cannot be bound.
      """,
    version: PackageVersion.current)

  @OptionGroup var options: ServeOptions
  @OptionGroup var protocols: ProtocolOptions

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    let logger = Self.logger(options.logLevel)
    let ending = EndingSignals()
    let files = FileManager.default.temporaryDirectory.appending(path: "runtime-serve-\(getpid())")
    defer { try? FileManager.default.removeItem(at: files) }
    do throws(ServingError) {
      let frontEnds = try FrontEnds.all(protocols, logger: logger)
      let server = try options.server(logger: logger, temporaryFolder: files)
      var run = ServerRun(server, frontEnds: frontEnds, logger: logger)
      run.lameDuck = .seconds(options.lameDuckSeconds)
      run.grace = .seconds(options.grace)
      _ = try await run { await ending.first() }
    } catch {
      FileHandle.standardError.write(Data("runtime-serve: \(error.message)\n".utf8))
      throw ExitCode(error.code == .notFound ? 66 : error.code == .unavailable ? 69 : 64)
    }
  }

  private static func logger(_ level: Logger.Level) -> Logger {
    Logger(label: "serve") { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = level
      return handler
    }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
