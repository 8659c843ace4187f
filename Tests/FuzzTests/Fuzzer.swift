import Foundation

/// `fuzzer TARGET [OPTION...]` runs libFuzzer on one target with libFuzzer's options. `fuzzer` alone lists the targets.
/// `fuzzer TARGET --outcomes FILE...` reports for each file whether it is accepted, or why it is refused.
@main enum Fuzzer {
  static func main() {
    guard CommandLine.arguments.count > 1 else {
      for target in FuzzTarget.all { print(target.name, target.longest) }
      return
    }
    // libFuzzer starts itself again for merging and minimizing, with its own options only. The environment variable
    // passes the target on.
    let isNamed = !CommandLine.arguments[1].hasPrefix("-")
    let name = isNamed ? CommandLine.arguments[1] : ProcessInfo.processInfo.environment[variable] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
      FileHandle.standardError.write(Data("there is no target '\(name)'\n".utf8))
      exit(64)
    }
    if CommandLine.arguments.dropFirst(2).first == "--outcomes" {
      for file in CommandLine.arguments.dropFirst(3) { say(target, file) }
      return
    }
    chosen = target
    setenv(variable, name, 1)
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    if isNamed {
      arguments[1] = arguments[0]
      arguments += 1
      count -= 1
    }
    var pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    exit(run(&count, &pointer) { start, length in Fuzzer.one(UnsafeRawBufferPointer(start: start, count: length)) })
  }

  private static func say(_ target: FuzzTarget, _ file: String) {
    guard let bytes = FileManager.default.contents(atPath: file) else { return print("\(file): no such file") }
    switch bytes.withUnsafeBytes({ target.outcome($0) }) {
    case .read: print("\(file): read")
    case .refused(let error): print("\(file): refused: \(error)")
    case .finding(let sentence): print("\(file): FINDING: \(sentence)")
    }
  }

  private static let variable = "COREML_FUZZ_TARGET"
  nonisolated(unsafe) fileprivate static var chosen: FuzzTarget?

  private static func one(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    if let finding = chosen?.finding(bytes) {
      FileHandle.standardError.write(Data("FINDING: \(finding)\n".utf8))
      abort()
    }
    return 0
  }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func run(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ one: @convention(c) (UnsafeRawPointer?, Int) -> Int32
) -> Int32

@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
  Mutation.mutate(Fuzzer.chosen, start, count, limit, seed)
}
