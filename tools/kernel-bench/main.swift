import CoreMLKernels
import Foundation
import MIL

// Times every kernel implementation of the operations in a list of shapes, as shares of the roofline measured in the
// same run. `tools/bench-kernels` builds and runs it.

/// Removes the option `name` from `arguments`; returns its value, or nil.
func option(_ name: String, _ arguments: inout [String]) -> String? {
  guard let at = arguments.firstIndex(of: name), at + 1 < arguments.count else { return nil }
  defer { arguments.removeSubrange(at...at + 1) }
  return arguments[at + 1]
}

func column(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(width - text.count, 0))
}

var arguments = Array(CommandLine.arguments.dropFirst())
let threads = option("--threads", &arguments).flatMap { Int($0) } ?? 1
let patience = option("--seconds", &arguments).flatMap { Double($0) } ?? 0.1
let wanted = option("--filter", &arguments)
guard arguments.count == 1, (1...1024).contains(threads), patience > 0 else {
  FileHandle.standardError.write(
    Data("usage: bench-kernels SHAPES.json [--filter TEXT] [--threads N] [--seconds PER_KERNEL]\n".utf8))
  exit(64)
}
let pool = ThreadPool(threads: threads)
let timer = KernelTimer(pool: pool, patience: patience)
var (below, looked) = (0, 0)
do {
  print("\(column("shape", 34)) \(column("kernel", 26)) \(column("us", 10)) \(column("GFLOP/s", 9)) \(column("GB/s", 8)) share")
  for shape in try Shape.list(arguments[0]) where wanted.map({ shape.name.contains($0) }) ?? true {
    let (work, results) = try timer.run(shape)
    // The speed of a machine varies over seconds, so measure the roofline again for each shape.
    let limit = Roofline(measuring: pool).seconds(of: work)
    looked += 1
    for (number, result) in results.enumerated() {
      let share = limit / result.seconds
      var line = "\(column(number == 0 ? shape.name : "", 34)) \(column(result.row, 26)) "
      line += column(String(format: "%.1f", result.seconds * 1e6), 11)
      line += column(String(format: "%.1f", work.flops / result.seconds / 1e9), 10)
      line += column(String(format: "%.1f", work.bytes / result.seconds / 1e9), 9)
      line += String(format: "%.0f %%", share * 100)
      if number == 0, let least = shape.least, share < least {
        line += String(format: "  below the %.0f %% it should reach", least * 100)
        below += 1
      }
      print(line)
    }
    if results.isEmpty { print("\(column(shape.name, 34)) no kernel matches") }
  }
  print("\(looked) shapes, \(below) below what they should reach")
  exit(below == 0 ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("bench-kernels: \(error)\n".utf8))
  exit(65)
}
