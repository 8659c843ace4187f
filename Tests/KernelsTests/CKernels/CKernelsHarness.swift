import CKernels
import Foundation
import Testing

/// The tests of the C kernels.
@Suite("C kernels")
struct CKernelsTests {}

/// Runs `body` on this thread once for every instruction set that this CPU supports. Restores the detected one
/// afterwards.
func withEachISA(_ body: (String) throws -> Void) rethrows {
  defer { ck_force_isa_for_tests(ck_isa_detected()) }
  for number in 0..<CK_ISA_COUNT.rawValue where ck_force_isa_for_tests(ck_isa(number)) {
    try body(String(cString: ck_isa_name(ck_isa(number))))
  }
}

/// Repeatable random values from a seed (SplitMix64).
struct Random {
  var state: UInt64

  init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func floats(_ n: Int, in range: ClosedRange<Float> = -2...2) -> [Float] {
    (0..<n).map { _ in
      range.lowerBound + (range.upperBound - range.lowerBound) * Float(next() >> 40) / Float(1 << 24)
    }
  }

  mutating func ints(_ n: Int, in range: ClosedRange<Int32>) -> [Int32] {
    let span = UInt64(Int64(range.upperBound) - Int64(range.lowerBound) + 1)
    return (0..<n).map { _ in Int32(Int64(range.lowerBound) + Int64(next() % span)) }
  }
}

/// Sizes on both sides of every vector width, and one of several vectors.
let oddSizes = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 131]

/// Expects |actual - expected| <= absolute + relative |expected| for all elements. NaN must match NaN, and infinities
/// must be equal.
func expectClose(
  _ actual: [Float], _ expected: [Double], relative: Double = 2e-6, absolute: Double = 1e-7,
  _ label: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
) {
  guard actual.count == expected.count else {
    Issue.record("\(label()): \(actual.count) values, expected \(expected.count)", sourceLocation: sourceLocation)
    return
  }
  for (index, (a, e)) in zip(actual, expected).enumerated() {
    let target = Float(e)
    if target.isNaN ? a.isNaN : target.isInfinite ? a == target : abs(Double(a) - e) <= absolute + relative * abs(e) {
      continue
    }
    Issue.record("\(label()): value \(index) is \(a), expected \(target)", sourceLocation: sourceLocation)
    return
  }
}

/// Expects equal elements, and reports the first difference.
func expectEqual<T: Equatable>(
  _ actual: [T], _ expected: [T], _ label: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  if actual == expected { return }
  let index = zip(actual, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? -1
  Issue.record(
    "\(label()): differs at \(index): \(actual.prefix(40)) is not \(expected.prefix(40))",
    sourceLocation: sourceLocation)
}

/// A guard value that no kernel computes. Memory after an output must still hold it after the call.
let canary: Float = -12345.678

/// Calls `body` with memory for `count` floats, checks that the memory after them is unchanged, and returns the floats.
func output(
  _ count: Int, _ label: @autoclosure () -> String = "output", sourceLocation: SourceLocation = #_sourceLocation,
  _ body: (UnsafeMutablePointer<Float>) -> Void
) -> [Float] {
  let pad = 40
  var buffer = [Float](repeating: canary, count: count + pad)
  buffer.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { body(base) } }
  if buffer[count...].contains(where: { $0 != canary }) {
    Issue.record("\(label()): wrote behind its output", sourceLocation: sourceLocation)
  }
  return Array(buffer[..<count])
}

/// Contiguous row-major strides.
func contiguous(_ shape: [Int]) -> [Int] {
  var strides = [Int](repeating: 1, count: shape.count)
  for d in stride(from: shape.count - 2, through: 0, by: -1) { strides[d] = strides[d + 1] * shape[d + 1] }
  return strides
}

/// Every index of `shape` in row-major order.
func indices(_ shape: [Int]) -> [[Int]] {
  shape.reduce([[]]) { partial, n in partial.flatMap { p in (0..<n).map { p + [$0] } } }
}

func offset(_ index: [Int], _ strides: [Int]) -> Int { zip(index, strides).reduce(0) { $0 + $1.0 * $1.1 } }
