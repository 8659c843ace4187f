import CNumbers
import Foundation

/// Tests every fp32 value and 200 times as many samples: `COREML_LONG_TESTS=1 swift test -c release --filter
/// NumbersTests`, five minutes on one core.
let isLong = ProcessInfo.processInfo.environment["COREML_LONG_TESTS"] != nil

/// SplitMix64: the same values in every run.
struct Samples: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}

/// The text that a function of `CNumbers` prints into a buffer for `count` numbers.
func printed(_ count: Int = 1, _ body: (UnsafeMutablePointer<UInt8>) -> Int) -> String {
  let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(count, 1) * Int(CNumbersRoom))
  defer { buffer.deallocate() }
  guard let base = buffer.baseAddress else { return "" }
  return String(decoding: buffer[..<body(base)], as: UTF8.self)
}

func printed(_ value: Double) -> String { printed { cnumbers_print_double(value, $0) } }
func printed(_ value: Float) -> String { printed { cnumbers_print_float(value, $0) } }

/// Whether the printed text equals `description`. Does not create a string for the text, because there are many values.
func isDescription(_ description: String, _ body: (UnsafeMutablePointer<UInt8>) -> Int) -> Bool {
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(CNumbersRoom)) { buffer in
    guard let base = buffer.baseAddress else { return false }
    let count = body(base)
    var description = description
    return description.withUTF8 { $0.elementsEqual(UnsafeBufferPointer(start: base, count: count)) }
  }
}

func isPrinted(_ value: Double) -> Bool { isDescription(value.description) { cnumbers_print_double(value, $0) } }
func isPrinted(_ value: Float) -> Bool { isDescription(value.description) { cnumbers_print_float(value, $0) } }
