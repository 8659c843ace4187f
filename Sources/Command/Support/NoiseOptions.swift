import ArgumentParser

/// How much a command says on standard error.
struct NoiseOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Say nothing on standard error but what went wrong: no progress, no remarks.")
  var quiet = false
  @Flag(name: .shortAndLong, help: "Say on standard error what is done: files, devices and times.")
  var verbose = false

  func validate() throws {
    if quiet && verbose { throw ValidationError("--quiet and --verbose cannot go together") }
    if quiet { Console.noise = .quiet }
    if verbose { Console.noise = .verbose }
  }
}
