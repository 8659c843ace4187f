import CoreMLServingInterface
import Testing

@testable import CoreMLServingWire

/// Messages that are wrong, by mistake or on purpose.
@Suite struct HostileTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let hex: String
    let code: ServingError.Code
    /// A part of the sentence.
    let words: String
    var testDescription: String { words }

    init(_ hex: String, _ words: String, _ code: ServingError.Code = .invalidArgument) {
      (self.hex, self.code, self.words) = (hex, code, words)
    }
  }

  static let cases = [
    Case(Golden.badNoModel, "names no model"),
    Case(Golden.badNoName, "has no name"),
    Case(Golden.badUnknownType, "the datatype 'INT4'"),
    Case(Golden.badNegativeSize, "negative size"),
    Case(Golden.badOverflow, "[4611686018427387904, 16], which no memory can hold"),
    Case(Golden.badByteOverflow, "[2305843009213693952], which no memory can hold"),
    Case(Golden.badRank, "more than 16 axes"),
    Case(Golden.badShort, "has 4 bytes; FP32 of the shape [2] needs 8"),
    Case(Golden.badLong, "has 5 bytes; FP32 of the shape [1] needs 4"),
    Case(Golden.badBadBool, "not 0 or 1"),
    Case(Golden.badManyStrings, "too few for 1099511627776 byte strings"),
    Case(Golden.badStringEnds, "end inside a byte string"),
    Case(Golden.badStringRest, "1 bytes after its 1 byte strings"),
    Case(Golden.badBoth, "has contents, although"),
    Case(Golden.badTwice, "names the input 'x' twice"),
    Case(Golden.badShared, "Shared memory is not available", .unsupported),
    Case(Golden.badRawCount, "2 raw_input_contents for 0 inputs"),
    Case(Golden.badTypedCount, "has 1 elements; its shape [3] needs 3"),
    Case(Golden.badTypedField, "has contents in field 3; expected 2"),
    Case(Golden.badTypedHalf, "must be sent in raw_input_contents"),
    Case(Golden.badTypedRange, "the element 200, which INT8 cannot hold"),
    Case(Golden.badTypedUnsigned, "the element 256, which UINT8 cannot hold"),
    Case(Golden.badNoContents, "has 0 elements; its shape [1] needs 1"),
    Case(Golden.badPriority, "The parameter 'priority' must be"),
    Case(Golden.badTimeout, "The parameter 'timeout' must be"),
    Case(Golden.badSequence, "needs a 'sequence_id'"),
    Case(Golden.badNoValue, "The parameter 'scale' has no value"),
    Case("0a", "ends inside a number"),
    Case("0a05", "announces 5 bytes, but only 0 follow"),
    Case("0affffffffffffffffff01", "announces 18446744073709551615 bytes"),
    Case("0affffffffffffffffff7f", "more than 64 bits"),
    Case("0affffffffffffffffffff01", "more than 64 bits"),
    Case("0801", "wire type that does not fit"),
    Case("0b0c", "unknown wire type 3"),
    Case("0f", "unknown wire type 7"),
    Case("02016d", "the number 0"),
    Case("0a02c328", "not UTF-8"),
    Case("0d010203", "ends inside a number"),
  ]

  @Test(arguments: cases) func refuses(_ one: Case) throws {
    let error = try #require(throws: ServingError.self) { try read(one.hex) }
    #expect(error.code == one.code)
    #expect(error.message.contains(one.words), "\(error.message)")
  }

  @Test func limitsCounts() throws {
    var limits = WireLimits()
    (limits.tensors, limits.parameters, limits.byteStrings) = (1, 1, 1)
    #expect(throws: ServingError.self) { try read(bytes(Golden.full), limits) }
    for hex in [Golden.full, Golden.strings] {
      let error = try #require(throws: ServingError.self) { try read(bytes(hex), limits) }
      #expect(error.code == .tooLarge)
    }
  }

  /// Every prefix, and every message with one byte changed, is read or refused.
  @Test(arguments: [Golden.full, Golden.strings, Golden.int16, Golden.double, Golden.bools])
  func survivesDamage(_ hex: String) {
    let whole = bytes(hex)
    var refused = 0
    for count in 0..<whole.count {
      do { _ = try read(Array(whole.prefix(count))) } catch { refused += 1 }
    }
    for place in whole.indices {
      for change in [0x00, 0x7f, 0x80, 0xff] as [UInt8] {
        var damaged = whole
        damaged[place] = change
        do { _ = try read(damaged) } catch { refused += 1 }
      }
    }
    #expect(refused > whole.count)
  }
}
