import ArgumentParser
import Foundation

/// `runtime serve`: starts `runtime-serve`, which is a program of its own, so that `runtime` stays small.
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serves models over HTTP and gRPC.",
    discussion: "The options are those of `runtime-serve`: see `runtime serve --help`.", helpNames: [])

  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("The arguments of `runtime-serve`.", valueName: "argument"))
  var arguments: [String] = []

  /// Replaces this process, so that signals and the exit status are those of the server.
  func run() throws {
    let server = try Self.server(besides: Self.executable)
    var words = ([server] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    // Signals that this program ignores would stay ignored.
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    execv(server, &words)
    throw Failure(.unavailable, "\(server) cannot be started: \(String(cString: strerror(errno)))")
  }

  /// The path of the running program, without links.
  private static var executable: URL { URL(filePath: "/proc/self/exe").resolvingSymlinksInPath() }

  /// The path of the server in the folder of another program.
  static func server(besides executable: URL) throws -> String {
    let server = executable.deletingLastPathComponent().appending(path: "runtime-serve").path
    guard FileManager.default.isExecutableFile(atPath: server) else {
      throw Failure(
        .unavailable, "`runtime serve` needs the program runtime-serve, which is not at \(server); install it there")
    }
    return server
  }
}
