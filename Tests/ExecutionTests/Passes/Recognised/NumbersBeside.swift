/// Constants near an ideal value, as files contain them: the nearest fp16 value with its neighbors, and the neighbors
/// in fp32.
enum NumbersBeside {
  static func fp16(_ ideal: Double) -> [Float] {
    let half = Float16(ideal)
    return [Float(half), Float(half.nextUp), Float(half.nextDown)].filter { Double($0) != ideal }
  }

  static func fp32(_ ideal: Double) -> [Float] { [Float(ideal).nextUp, Float(ideal).nextDown] }

  static func all(_ ideal: Double) -> [Float] { fp16(ideal) + fp32(ideal) }

  /// A number as MIL text, exact to the last bit.
  static func text(_ number: Float) -> String { "fp32(\(number))" }
}
