import CKernels
import Foundation
import Testing

extension CKernelsTests {
  /// Rounds to IEEE binary16, nearest even, by exact arithmetic on the value and independent of any conversion routine.
  static func halfBits(_ x: Double) -> UInt16 {
    if x.isNaN { return 0x7e00 }
    let sign: UInt16 = x.sign == .minus ? 0x8000 : 0
    let magnitude = abs(x)
    if magnitude >= 65520 { return sign | 0x7c00 }
    let exponent = magnitude == 0 ? -14 : max(Int(magnitude.exponent), -14)
    let steps = (magnitude * exp2(Double(10 - exponent))).rounded(.toNearestOrEven)  // units in the last place
    // Normal values have 1024 ... 2048 units. 2048 carries into the exponent without extra code.
    return sign | UInt16(Int(steps) + (exponent + 14) * 1024)
  }

  static func halfValue(_ bits: UInt16) -> Double {
    let sign: Double = bits & 0x8000 == 0 ? 1 : -1
    let exponent = Int(bits >> 10 & 31), fraction = Double(bits & 1023)
    if exponent == 31 { return fraction == 0 ? sign * .infinity : .nan }
    return sign * (exponent == 0 ? fraction * exp2(-24) : (1024 + fraction) * exp2(Double(exponent - 25)))
  }

  @Test("fp16 to fp32: each of the 65,536 values")
  func halfToFloat() {
    let f16 = (0...UInt16.max).map { $0 }
    withEachISA { isa in
      let floats = output(f16.count) { ck_f16_to_f32(f16, $0, f16.count) }
      expectClose(floats, f16.map(Self.halfValue), relative: 0, absolute: 0, isa)
    }
  }

  @Test("fp32 to fp16 rounds to nearest even, at every boundary")
  func floatToHalf() {
    var floats: [Float] = [.nan, .infinity, -.infinity, 65504, 65519, 65520, -65520, 1e9, 1e-9, -1e-9, 0, -0.0]
    // a value, the midpoint to the next one, and their neighbors
    for bits in stride(from: UInt16(0), to: 0x7c00, by: 13) {
      let value = Float(Self.halfValue(bits)), middle = (value + Float(Self.halfValue(bits + 1))) / 2
      for x in [value, middle] where x.isFinite { floats += [x, x.nextUp, x.nextDown, -x] }
    }
    withEachISA { isa in
      for n in [floats.count, 1, 3, 17] {
        var f16 = [UInt16](repeating: 0, count: n)
        ck_f32_to_f16(floats, &f16, n)
        for (x, h) in zip(floats, f16) where x.isNaN ? h & 0x7fff <= 0x7c00 : h != Self.halfBits(Double(x)) {
          Issue.record("\(isa): \(x) became \(String(h, radix: 16))")
          return
        }
      }
    }
  }

  /// An element type with the cast that the contract specifies.
  struct NumberType {
    var type: ck_type
    var size: Int
    var isFloating = false
    var limits: ClosedRange<Double> = 0...0  // integers up to 32 bits

    static let all: [NumberType] = [
      .init(type: CK_TYPE_F16, size: 2, isFloating: true), .init(type: CK_TYPE_F32, size: 4, isFloating: true),
      .init(type: CK_TYPE_F64, size: 8, isFloating: true), .init(type: CK_TYPE_I8, size: 1, limits: -128...127),
      .init(type: CK_TYPE_U8, size: 1, limits: 0...255), .init(type: CK_TYPE_I16, size: 2, limits: -32768...32767),
      .init(type: CK_TYPE_U16, size: 2, limits: 0...65535),
      .init(type: CK_TYPE_I32, size: 4, limits: -2_147_483_648...2_147_483_647),
      .init(type: CK_TYPE_U32, size: 4, limits: 0...4_294_967_295),
      .init(type: CK_TYPE_BOOL, size: 1, limits: 0...1),
    ]

    func write(_ value: Double, to p: UnsafeMutableRawPointer) {
      switch type {
      case CK_TYPE_F16: p.storeBytes(of: CKernelsTests.halfBits(value), as: UInt16.self)
      case CK_TYPE_F32: p.storeBytes(of: Float(value), as: Float.self)
      case CK_TYPE_F64: p.storeBytes(of: value, as: Double.self)
      default:  // the low bytes of the integer
        var integer = Int64(value)
        withUnsafeBytes(of: &integer) { p.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(p), byteCount: size) }
      }
    }

    func read(_ p: UnsafeRawPointer) -> Double {
      switch type {
      case CK_TYPE_F16: CKernelsTests.halfValue(p.load(as: UInt16.self))
      case CK_TYPE_F32: Double(p.load(as: Float.self))
      case CK_TYPE_F64: p.load(as: Double.self)
      case CK_TYPE_I8: Double(p.load(as: Int8.self))
      case CK_TYPE_U8, CK_TYPE_BOOL: Double(p.load(as: UInt8.self))
      case CK_TYPE_I16: Double(p.load(as: Int16.self))
      case CK_TYPE_U16: Double(p.load(as: UInt16.self))
      case CK_TYPE_I32: Double(p.load(as: Int32.self))
      default: Double(p.load(as: UInt32.self))
      }
    }

    /// The result of casting `value` from the type `source` to this type.
    func cast(_ value: Double, from source: NumberType) -> Double {
      switch type {
      case CK_TYPE_F16: return CKernelsTests.halfValue(CKernelsTests.halfBits(value))
      case CK_TYPE_F32: return Double(Float(value))
      case CK_TYPE_F64: return value
      case CK_TYPE_BOOL: return value != 0 ? 1 : 0
      default: break
      }
      if source.isFloating {
        return value.isNaN ? 0 : min(max(value.rounded(.towardZero), limits.lowerBound), limits.upperBound)
      }
      let span = limits.upperBound - limits.lowerBound + 1  // the low bits
      let wrapped = value - (value / span).rounded(.down) * span
      return wrapped > limits.upperBound ? wrapped - span : wrapped
    }
  }

  @Test("casts between every pair of types")
  func casts() {
    let floating: [Double] = [
      0, -0.0, 0.5, -0.5, 1, -1, 1.999, -1.999, 127.9, 128, -128.9, -129, 255.5, 256, 300, 32767.5, 32768, 65535.5,
      65536,
      2049, 4097.5, 2_147_483_520, 2_147_483_648, -2_147_483_648, 4_294_967_040, 1e20, -1e20, .infinity, -.infinity,
      .nan,
      1.0009765625, 1.00048828125, 1.000488281250001, 3e-8, 1e-5,
    ]
    for source in NumberType.all {
      let values: [Double]
      if source.isFloating {
        values = floating.map { source.cast($0, from: .init(type: CK_TYPE_F64, size: 8, isFloating: true)) }
      } else {
        let l = source.limits
        values = [
          l.lowerBound, l.upperBound, l.lowerBound + 1, 0, 1, l.upperBound - 1, (l.upperBound / 3).rounded(.down),
        ]
      }
      let input = UnsafeMutableRawPointer.allocate(byteCount: 8 * values.count, alignment: 16)
      let result = UnsafeMutableRawPointer.allocate(byteCount: 8 * values.count, alignment: 16)
      defer { input.deallocate(); result.deallocate() }
      for (i, v) in values.enumerated() { source.write(v, to: input + i * source.size) }
      for target in NumberType.all {
        #expect(ck_cast(source.type, target.type, input, result, values.count))
        for (i, v) in values.enumerated() {
          let actual = target.read(result + i * target.size), expected = target.cast(v, from: source)
          if actual.isNaN && expected.isNaN || actual == expected { continue }
          Issue.record("\(source.type) \(v) to \(target.type) is \(actual), expected \(expected)")
        }
      }
    }
  }

  @Test("64-bit integers")
  func casts64() {
    let integers: [Int64] = [0, -1, .max, .min, 1 << 40, -(1 << 40) - 1, 70000]
    var floats = [Float](repeating: 0, count: integers.count)
    #expect(ck_cast(CK_TYPE_I64, CK_TYPE_F32, integers, &floats, integers.count))
    #expect(floats == integers.map { Float($0) })
    var low = [Int32](repeating: 0, count: integers.count)
    #expect(ck_cast(CK_TYPE_I64, CK_TYPE_I32, integers, &low, integers.count))
    #expect(low == integers.map { Int32(truncatingIfNeeded: $0) })
    let x: [Float] = [.nan, .infinity, -.infinity, 1e18, -1e30, 2.9, -2.9]
    var wide = [Int64](repeating: 0, count: x.count)
    #expect(ck_cast(CK_TYPE_F32, CK_TYPE_I64, x, &wide, x.count))
    #expect(wide == [0, .max, .min, Int64(Float(1e18)), .min, 2, -2])
    var unsigned = [UInt64](repeating: 0, count: x.count)
    #expect(ck_cast(CK_TYPE_F32, CK_TYPE_U64, x, &unsigned, x.count))
    #expect(unsigned == [0, .max, 0, UInt64(Float(1e18)), 0, 2, 0])
    #expect(!ck_cast(CK_TYPE_F32, CK_TYPE_COUNT, x, &wide, 1))
    #expect(!ck_cast(CK_TYPE_COUNT, CK_TYPE_F32, x, &wide, 1))
    #expect(ck_type_size(CK_TYPE_I64) == 8 && ck_type_size(CK_TYPE_COUNT) == 0)
  }

  @Test("quantized integers, one scale per channel")
  func quantized() {
    var random = Random(41)
    let scale: [Float] = [0.1, 0.02, 1.5], zero8: [Int8] = [0, -7, 100], zeroU: [UInt8] = [0, 128, 255]
    withEachISA { isa in
      for inner in [1, 7, 16, 37] {
        let n = 2 * 3 * inner
        var x = random.floats(n, in: -30...30)
        x[0] = .nan
        x[n - 1] = .infinity
        let channel = { (i: Int) in i / inner % 3 }
        var q8 = [Int8](repeating: 0, count: n), qU = [UInt8](repeating: 0, count: n)
        ck_quantize_f32_i8(x, scale, zero8, &q8, 2, 3, inner)
        ck_quantize_f32_u8(x, scale, zeroU, &qU, 2, 3, inner)
        func level(_ i: Int, _ zero: Double, _ range: ClosedRange<Double>) -> Double {
          let step = x[i].isNaN ? 0 : Double((x[i] / scale[channel(i)]).rounded(.toNearestOrEven))
          return min(max(step + zero, range.lowerBound), range.upperBound)
        }
        expectEqual(q8, (0..<n).map { Int8(level($0, Double(zero8[channel($0)]), -128...127)) }, "\(isa) i8 \(inner)")
        expectEqual(qU, (0..<n).map { UInt8(level($0, Double(zeroU[channel($0)]), 0...255)) }, "\(isa) u8 \(inner)")
        let y8 = output(n) { ck_dequantize_i8_f32(q8, scale, zero8, $0, 2, 3, inner) }
        let yU = output(n) { ck_dequantize_u8_f32(qU, scale, nil, $0, 2, 3, inner) }
        expectClose(
          y8, (0..<n).map { (Double(q8[$0]) - Double(zero8[channel($0)])) * Double(scale[channel($0)]) }, "\(isa) i8")
        expectClose(yU, (0..<n).map { Double(qU[$0]) * Double(scale[channel($0)]) }, "\(isa) u8")
      }
    }
  }

  @Test("lookup of packed indices", arguments: [1, 2, 3, 4, 6, 8])
  func lookup(bits: Int) {
    var random = Random(bits)
    let table = random.floats(1 << bits)
    withEachISA { isa in
      for n in oddSizes {
        let wanted = (0..<n).map { _ in Int(random.next() % UInt64(1 << bits)) }
        var packed = [UInt8](repeating: 0, count: (n * bits + 7) / 8 + 1)
        for (i, index) in wanted.enumerated() {
          for b in 0..<bits where index >> b & 1 == 1 { packed[(i * bits + b) / 8] |= 1 << UInt8((i * bits + b) % 8) }
        }
        let y = output(n) { _ = ck_lookup_f32(bits, packed, table, $0, n) }
        expectEqual(y, wanted.map { table[$0] }, "\(isa) n \(n)")
      }
    }
    var y: [Float] = [0]
    #expect(!ck_lookup_f32(5, [0], table, &y, 1))
  }
}

extension CKernelsTests {
  @Test("blockwise shift and scale, rounded as in double precision")
  func shiftAndScale() {
    var random = Random(9)
    withEachISA { isa in
      for n in oddSizes {
        for (run, first) in [(1, 0), (2, 1), (3, 0), (16, 5), (40, 39), (1000, 7)] {
          let x = random.floats(n), scale = random.floats(n + 2), offset = random.floats(n + 2)
          for zero in [nil, offset] as [[Float]?] {
            var exact = x + [canary], plain = x + [canary]
            ck_shift_scale_exact_f32(&exact, scale, zero, run, first, n)
            ck_shift_scale_f32(&plain, scale, zero, run, first, n)
            let wanted = (0..<n).map { i -> Float in
              let e = (first + i) / run
              return Float((Double(x[i]) - Double(zero?[e] ?? 0)) * Double(scale[e]))
            }
            expectEqual(exact, wanted + [canary], "exact \(isa) n \(n) run \(run)")
            expectClose(Array(plain.dropLast()), wanted.map { Double($0) }, absolute: 1e-6, "\(isa) n \(n) run \(run)")
            if plain.last != canary { Issue.record("\(isa): wrote behind the end") }
          }
        }
      }
    }
  }

  @Test("rounding to fp16 in place")
  func roundHalf() {
    var random = Random(10)
    withEachISA { isa in
      for n in oddSizes {
        let x = random.floats(n, in: -70000...70000)
        var found = x + [canary]
        ck_round_f16_f32(&found, n)
        expectEqual(found, x.map { Float(Self.halfValue(Self.halfBits(Double($0)))) } + [canary], "\(isa) n \(n)")
      }
    }
  }

  @Test("values placed where a mask is set")
  func spread() {
    var random = Random(11)
    withEachISA { isa in
      for n in oddSizes {
        for first in [0, 1, 7, 8, 13] {
          let mask = (0..<(first + n + 15) / 8 + 1).map { _ in UInt8(truncatingIfNeeded: random.next()) }
          let bits = (0..<n).map { mask[(first + $0) / 8] >> UInt8((first + $0) % 8) & 1 == 1 }
          let values = random.floats(bits.count { $0 })
          var found = [Float](repeating: canary, count: n + 1)
          let used = ck_spread_f32(mask, first, values, &found, n)
          var next = 0
          let wanted = bits.map { bit -> Float in
            guard bit else { return 0 }
            next += 1
            return values[next - 1]
          }
          expectEqual(found, wanted + [canary], "\(isa) n \(n) first \(first)")
          if used != values.count { Issue.record("\(isa): took \(used) of \(values.count)") }
        }
      }
    }
  }
}
