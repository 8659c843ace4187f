import CoreML

/// Times decoding loops with the models of `tools/make-decoders.py`: decoding-bench FOLDER tensors|program|both STEPS
///
/// Prints the median CPU time per token of each loop, and the tokens. `tools/bench-decoding` runs it.
@main
enum DecodingBench {
  static let warm = 8

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let steps = Int(arguments[3]), steps > 0 else {
      FileHandle.standardError.write(Data("usage: decoding-bench FOLDER tensors|program|both STEPS\n".utf8))
      exit(2)
    }
    let folder = URL(filePath: arguments[1])
    var loops: [(name: String, loop: any Decoding)] = []
    if arguments[2] != "program" { loops.append(("tensors", try await OverTensors(folder))) }
    if arguments[2] != "tensors" { loops.append(("program", try await InsideProgram(folder))) }
    for (_, loop) in loops { _ = try await loop.decode(warm) }
    // Alternate the loops, so that other load on the machine affects both.
    var spent = [[Double]](repeating: [], count: loops.count)
    var said = [[Int32]](repeating: [], count: loops.count)
    for _ in 0..<steps {
      for (place, (_, loop)) in loops.enumerated() {
        let before = processorSeconds()
        said[place] += try await loop.decode(1)
        spent[place].append(processorSeconds() - before)
      }
    }
    for (place, (name, _)) in loops.enumerated() {
      let middle = spent[place].sorted()[steps / 2]
      print("\(name) \(Int(middle * 1e6)) µs a token, \(said[place])")
    }
    if Set(said).count > 1 {
      FileHandle.standardError.write(Data("the two say different things\n".utf8))
      exit(1)
    }
  }

  static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// A decoding loop: each call of `decode` continues the sequence by `count` tokens and returns them.
protocol Decoding: AnyObject {
  func decode(_ count: Int) async throws -> [Int32]
}

/// A pseudorandom generator with a fixed seed; values are from 0 to 1.
struct Chances {
  private var state: UInt64 = 7

  mutating func next() -> Float16 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Float16(state >> 33) / Float16(UInt64(1) << 31)
  }
}
