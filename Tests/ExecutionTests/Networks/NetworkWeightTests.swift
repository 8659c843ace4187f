import CoreMLBase
import CoreMLSpec
import TestModels
import Testing

/// Weights of networks in every encoding: 1 to 8 bits, linear or with a lookup table, and int8.
@Suite struct NetworkWeightTests {
  static let (inputs, outputs) = (5, 3)
  static let x: [Float] = [1, -2, 0.5, 3, -1]

  /// Packs levels without gaps, starting at the most significant bit of each byte (NeuralNetwork.proto,
  /// `WeightParams`).
  static func packed(_ levels: [Int], bits: Int) -> [UInt8] {
    var digits = levels.flatMap { level in (0..<bits).reversed().map { level >> $0 & 1 } }
    while digits.count % 8 != 0 { digits.append(0) }
    return stride(from: 0, to: digits.count, by: 8).map { start in
      UInt8(digits[start..<start + 8].reduce(0) { $0 * 2 + $1 })
    }
  }

  static func product(_ weights: (inout WireWriter) -> Void, dynamic: Bool = false) throws -> [Double] {
    let layer = Net.layer(140, ["x"], ["y"]) { params in
      params.append(1, int: Int64(inputs))
      params.append(2, int: Int64(outputs))
      params.append(20, message: weights)
      if dynamic { params.append(22, bool: true) }
    }
    return try #require(try Net.run([layer], ["x": x], outputs: ["y"]).first)
  }

  static func expected(_ weight: (Int, Int) -> Double) -> [Double] {
    (0..<outputs).map { row in (0..<inputs).reduce(0) { $0 + weight(row, $1) * Double(x[$1]) } }
  }

  static func agree(_ found: [Double], _ expected: [Double]) -> Bool {
    found.count == expected.count && zip(found, expected).allSatisfy { abs($0 - $1) <= 1e-5 * max(1, abs($1)) }
  }

  @Test(arguments: 1...8) func linear(_ bits: Int) throws {
    let levels = (0..<Self.inputs * Self.outputs).map { ($0 * 37 + 11) % (1 << bits) }
    let scales: [Float] = [0.5, 0.25, 2]
    let biases: [Float] = [-1, 0.5, 3]
    for isPerChannel in [true, false] {
      let found = try Self.product { weights in
        weights.append(30, bytes: Self.packed(levels, bits: bits))
        weights.append(40) { quantization in
          quantization.append(1, int: Int64(bits))
          quantization.append(101) { linear in
            linear.append(1, packed: isPerChannel ? scales : [scales[0]])
            linear.append(2, packed: isPerChannel ? biases : [biases[0]])
          }
        }
      }
      let expected = Self.expected { row, column in
        let channel = isPerChannel ? row : 0
        return Double(scales[channel]) * Double(levels[row * Self.inputs + column]) + Double(biases[channel])
      }
      #expect(Self.agree(found, expected), "\(found), not \(expected)")
    }
  }

  @Test(arguments: 1...8) func byATable(_ bits: Int) throws {
    let levels = (0..<Self.inputs * Self.outputs).map { ($0 * 53 + 7) % (1 << bits) }
    let table = (0..<1 << bits).map { Float(($0 * 29) % 17) / 4 - 2 }
    let found = try Self.product { weights in
      weights.append(30, bytes: Self.packed(levels, bits: bits))
      weights.append(40) { quantization in
        quantization.append(1, int: Int64(bits))
        quantization.append(102) { $0.append(1, packed: table) }
      }
    }
    #expect(Self.agree(found, Self.expected { Double(table[levels[$0 * Self.inputs + $1]]) }))
  }

  /// `int8DynamicQuantize`: weights are signed and scaled without an offset.
  @Test func signedBytes() throws {
    let levels = (0..<Self.inputs * Self.outputs).map { Int8(truncatingIfNeeded: $0 * 83 - 127) }
    let found = try Self.product(
      { weights in
        weights.append(31, bytes: levels.map { UInt8(bitPattern: $0) })
        weights.append(40) { quantization in
          quantization.append(1, int: 8)
          quantization.append(101) { $0.append(1, packed: [Float(0.125)]) }
        }
      }, dynamic: true)
    #expect(Self.agree(found, Self.expected { 0.125 * Double(levels[$0 * Self.inputs + $1]) }))
  }

  @Test func weightsThatDoNotFitAreRefused() {
    let quantized: (inout WireWriter) -> Void = { weights in
      weights.append(30, bytes: Self.packed(Array(repeating: 1, count: 14), bits: 4))
      weights.append(40) { quantization in
        quantization.append(1, int: 4)
        quantization.append(102) { $0.append(1, packed: [Float](repeating: 0, count: 16)) }
      }
    }
    #expect(throws: RuntimeError.self) { try Self.product(quantized) }
    let level: (inout WireWriter) -> Void = { weights in
      weights.append(30, bytes: Self.packed(Array(repeating: 3, count: 15), bits: 2))
      weights.append(40) { quantization in
        quantization.append(1, int: 2)
        quantization.append(102) { $0.append(1, packed: [Float(1), 2]) }
      }
    }
    #expect(throws: RuntimeError.self) { try Self.product(level) }
  }
}
