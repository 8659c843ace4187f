import ArgumentParser

/// How much a command writes to standard error.
struct NoiseOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print only errors on standard error: no progress, no remarks.")
  var quiet = false
  @Flag(name: .shortAndLong, help: "Print details on standard error: files, devices and times.")
  var verbose = false

  func validate() throws {
    if quiet && verbose { throw ValidationError("--quiet and --verbose cannot go together") }
    if quiet { Console.noise = .quiet }
    if verbose { Console.noise = .verbose }
  }
}
