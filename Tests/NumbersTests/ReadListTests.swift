import CNumbers
import Testing

/// Reading a list equals reading its numbers one by one, for each element type.
@Suite struct ReadListTests {
  private static let stores = [
    CNumbersStoreDouble, CNumbersStoreFloat, CNumbersStoreFloatAsDouble, CNumbersStoreInt32, CNumbersStoreInt32AsDouble,
    CNumbersStoreInt64, CNumbersStoreInt64AsDouble,
  ]

  /// An element's bits, or nil for a number outside its type.
  private func element(_ number: ReferenceReader.Number, _ store: CNumbersStore) -> UInt64? {
    let value: Double
    switch number {
    case .other: return nil
    case .integer(let integer):
      if store == CNumbersStoreInt64 { return UInt64(bitPattern: integer) }
      if store == CNumbersStoreInt64AsDouble { return Double(integer).bitPattern }
      value = Double(integer)
    case .double(let bits): value = Double(bitPattern: bits)
    }
    switch store {
    case CNumbersStoreDouble: return value.bitPattern
    case CNumbersStoreFloat: return UInt64(Float(value).bitPattern)
    case CNumbersStoreFloatAsDouble: return Double(Float(value)).bitPattern
    case CNumbersStoreInt32: return Int32(exactly: value).map { UInt64(UInt32(bitPattern: $0)) }
    case CNumbersStoreInt32AsDouble: return Int32(exactly: value).map { Double($0).bitPattern }
    default: return nil
    }
  }

  private func size(_ store: CNumbersStore) -> Int {
    store == CNumbersStoreFloat || store == CNumbersStoreInt32 ? 4 : 8
  }

  /// Reads the list number by number. Returns the bits of the elements and the number of bytes.
  private func expected(
    _ text: ExactText, _ count: Int, _ store: CNumbersStore, isWord: Bool
  ) -> (bits: [UInt64], count: Int)? {
    var (bits, offset): ([UInt64], Int) = ([], 0)
    func skip() { while offset < text.bytes.count, " \t\n\r".utf8.contains(text.bytes[offset]) { offset += 1 } }
    for index in 0..<count {
      if index > 0 {
        skip()
        guard offset < text.bytes.count, text.bytes[offset] == 0x2C else { return nil }
        offset += 1
      }
      skip()
      let (number, count) = ReferenceReader.read(text.bytes[offset...], isWord: isWord)
      guard let element = element(number, store) else { return nil }
      bits.append(element)
      offset += count
    }
    return (bits, offset)
  }

  private func check(_ text: some Collection<UInt8>, _ count: Int, _ location: SourceLocation = #_sourceLocation) {
    let exact = ExactText(text)
    for store in Self.stores {
      for isWord in [false, true] {
        let expected = expected(exact, count, store, isWord: isWord)
        // Offset by one byte, because elements need no alignment.
        let elements = UnsafeMutableRawPointer.allocate(byteCount: 1 + count * size(store), alignment: 8)
        defer { elements.deallocate() }
        let next = cnumbers_read_list(exact.start, exact.end, isWord ? 1 : 0, store, count, elements + 1)
        let bits = (0..<count).map { index in
          size(store) == 4
            ? UInt64((elements + 1).loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
            : (elements + 1).loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)
        }
        let isRight = next.map { $0 - exact.start } == expected?.count && (next == nil || bits == expected?.bits)
        #expect(isRight, "\(String(decoding: exact.bytes, as: UTF8.self)), \(store)", sourceLocation: location)
      }
    }
  }

  @Test(arguments: [
    "1, 2, 3", "1,2,3", " \t\r\n1 \t\r\n,\t\r\n 2,3 ", "1.5, -2.25, 0.123456789]", "1.0, 2e0, 30e-1", "1, 2.5, 3",
    "1, 2",
    "1, 2,", "1, 2, ", "1, , 3", ", 1, 2", "1 2 3", "1, 2; 3", "1, 2, x", "2147483647, -2147483648, 0",
    "2147483648, 0, 0", "2147483647.0, -2147483648.0, -0.0", "2147483647.5, 0, 0", "-2147483648.5, 0, 0",
    "-0, -0.0, 0.0",
    "9007199254740993, 9223372036854775807, -9223372036854775807", "9223372036854775808, 0, 0", "1, 2, 1e400",
    "0.1, 1e-400, 1e-50", "007, 1., 2.e1", "\"NaN\", 1, 2", "null, 1, 2", "1, [2], 3", "", " ", "1,2,3,4",
    "16777217, 16777219, 8388608.5000000001", "1.00000017881393432617187500001, 1.00000005960464477540, 1, 0",
  ])
  func lists(text: String) {
    for end in ["", "]", ", 123456789, 123456789, 123456789, 123456789, 123456789]"] { check((text + end).utf8, 3) }
  }

  @Test func countsOfNoneAndOne() {
    for text in ["", "1", "1.5]", " 1", "]"] { for count in 0...1 { check(text.utf8, count) } }
  }

  @Test func listsEndAtEachByte() {
    let text = "-1.2345679, 12345678, 0.00012345678901234, 1.5e-05, 3 , 17.25"
    for count in 0...text.utf8.count { check(text.utf8.prefix(count), 6) }
  }

  @Test func randomLists() {
    var samples = Samples(seed: 5)
    for _ in 0..<(isLong ? 200_000 : 1_000) {
      let words = (0..<5).map { _ -> String in
        let bits = samples.next()
        switch bits & 7 {
        case 0: return "\((Int64(bitPattern: bits) >> 3) >> Int(bits >> 58))"
        case 1: return "\(Double(bitPattern: bits))"
        case 2: return "\(Float(Int32(truncatingIfNeeded: bits >> 16)) / 16)"
        case 3: return "\(Int32(truncatingIfNeeded: bits >> 16))"
        case 4: return "\(Double(Int32(truncatingIfNeeded: bits >> 16)))"
        default: return "\(Float(bits >> 8) * 0x1p-56)"
        }
      }
      check(words.joined(separator: samples.next() & 3 == 0 ? " ,\n" : ", ").utf8, 5)
    }
  }

  /// The text is above the midpoint of two fp32 values. Its double is the midpoint, which rounds to the even fp32
  /// value.
  @Test func floatsAreRoundedTwice() {
    let text = ExactText("1.0000000596046447762890306, 0.5".utf8)
    var floats: [Float] = [0, 0]
    #expect(cnumbers_read_list(text.start, text.end, 0, CNumbersStoreFloat, 2, &floats) == text.end)
    #expect(floats == [1, 0.5] && Float("1.0000000596046447762890306") == Float(1).nextUp)
  }

  /// A partial read returns the numbers of single reads, up to the first text that is not a number of the type.
  @Test func partsAreSingleReads() {
    var samples = Samples(seed: 17)
    let words = [
      "1", "-2.5", "0.1", "1e3", "4503599627370495", "4503599627370496", "-4503599627370496", "-0", "-0.0", "x", "007",
      "1.7976931348623157e308", "0.30000000000000004", "NaN", "[1]", "", "12345678901234567890", "1e400",
    ]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<6, using: &samples)
      let text = (0..<count).map { _ in
        Bool.random(using: &samples)
          ? " \(Double.random(in: -9...9, using: &samples)) " : words.randomElement(using: &samples) ?? ""
      }.joined(separator: ",")
      let bytes = Array(text.utf8)
      bytes.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        var numbers = [Double](repeating: 7, count: 4)
        let part = cnumbers_read_part(base, base + buffer.count, 0, 4, &numbers)
        var (expected, place, hasFraction): ([Double], UnsafePointer<UInt8>, Bool) = ([], base, false)
        func skip(_ place: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
          var place = place
          while place < base + buffer.count, place.pointee == 0x20 { place += 1 }
          return place
        }
        while expected.count < 4 {
          var next = place
          if !expected.isEmpty {
            next = skip(next)
            guard next < base + buffer.count, next.pointee == 0x2C else { break }
            next += 1
          }
          let one = cnumbers_read(skip(next), base + buffer.count, 0)
          guard let end = one.next, one.kind == CNumbersDouble || one.integer.magnitude < 1 << 52 else { break }
          expected.append(one.kind == CNumbersDouble ? one.number : Double(one.integer))
          hasFraction = hasFraction || one.kind == CNumbersDouble
          place = end
        }
        #expect(part.count == expected.count && Array(numbers.prefix(part.count)) == expected, "\(text)")
        #expect((part.has_fraction != 0) == hasFraction && part.next == place, "\(text)")
      }
    }
  }
}
