import Foundation

/// A storage-only float format: bfloat16, or one of the two 8-bit OCP formats (fp8).
struct SmallFloat: Sendable {
  let exponentBits: Int
  let mantissaBits: Int
  /// E4M3FN has no infinities: the top exponent encodes finite values, except for one NaN pattern.
  let finiteOnly: Bool

  static let bfloat16 = SmallFloat(exponentBits: 8, mantissaBits: 7, finiteOnly: false)
  static let e4m3fn = SmallFloat(exponentBits: 4, mantissaBits: 3, finiteOnly: true)
  static let e5m2 = SmallFloat(exponentBits: 5, mantissaBits: 2, finiteOnly: false)

  private var bias: Int { (1 << (exponentBits - 1)) - 1 }
  private var topExponent: UInt32 { (1 << UInt32(exponentBits)) - 1 }
  private var mantissaMask: UInt32 { (1 << UInt32(mantissaBits)) - 1 }

  func decode(_ bits: UInt32) -> Double {
    let sign: Double = (bits >> UInt32(exponentBits + mantissaBits)) & 1 == 1 ? -1 : 1
    let exponent = (bits >> UInt32(mantissaBits)) & topExponent
    let mantissa = bits & mantissaMask
    if exponent == topExponent {
      if finiteOnly {
        if mantissa == mantissaMask { return .nan }
      } else {
        return mantissa == 0 ? sign * .infinity : .nan
      }
    }
    let unit = Double(mantissa) / Double(mantissaMask + 1)
    return exponent == 0
      ? sign * scalbn(unit, 1 - bias) : sign * scalbn(1 + unit, Int(exponent) - bias)
  }

  /// Rounds to nearest even. Overflow gives infinity, or the largest finite value if the format has no infinity.
  func encode(_ value: Double) -> UInt32 {
    let signBit: UInt32 = value.sign == .minus ? 1 << UInt32(exponentBits + mantissaBits) : 0
    if value.isNaN { return (topExponent << UInt32(mantissaBits)) | mantissaMask }
    let magnitude = value.magnitude
    let largest = decode((topExponent << UInt32(mantissaBits)) | (finiteOnly ? mantissaMask - 1 : 0))
    if magnitude.isInfinite || (!finiteOnly && magnitude >= largest) {
      return signBit
        | (finiteOnly
          ? (topExponent << UInt32(mantissaBits)) | (mantissaMask - 1) : topExponent << UInt32(mantissaBits))
    }
    if magnitude == 0 { return signBit }
    let exponent = Swift.max(Int(magnitude.exponent), 1 - bias)
    let scaled = scalbn(magnitude, mantissaBits - exponent).rounded(.toNearestOrEven)
    // If `scaled` rounds up to the next binade, the addition carries into the exponent, which is correct.
    var bits = UInt32(exponent + bias - 1) << UInt32(mantissaBits)
    bits += UInt32(scaled)
    let limit =
      finiteOnly ? (topExponent << UInt32(mantissaBits)) | (mantissaMask - 1) : topExponent << UInt32(mantissaBits)
    return signBit | Swift.min(bits, limit)
  }
}
