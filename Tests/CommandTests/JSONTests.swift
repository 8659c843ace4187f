import CoreML
import CoreMLBase
import FeatureFiles
import Foundation
import MIL
import Testing

@Suite struct JSONTests {
  private func parse(_ text: String) throws -> JSONValue {
    var text = text
    return try text.withUTF8 { try JSONValue(UnsafeRawBufferPointer($0)) }
  }

  @Test(arguments: [
    ("null", JSONValue.null), (" true ", .bool(true)), ("-12", .integer(-12)), ("9223372036854775807", .integer(.max)),
    ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1e3", .number(1000)), ("-0.5E-1", .number(-0.05)),
    ("\"a\\u00e9\\ud83d\\ude00\\n\\/\"", .string("aé😀\n/")), ("[]", .array([])),
    ("[1, 2.5, -3]", .numbers([1, 2.5, -3])),
    ("[1, \"a\"]", .array([.integer(1), .string("a")])), ("[1, -2]", .integers([1, -2])),
    ("{\"a\": {\"b\": [true]}}", .object(["a": .object(["b": .array([.bool(true)])])])),
    ("-Infinity", .number(-.infinity)), ("\u{FEFF}1", .integer(1)),
  ])
  func valuesAreRead(text: String, value: JSONValue) throws { #expect(try parse(text) == value) }

  @Test(arguments: [
    "", "nul", "tru", "+1", "1 2", "[1,]", "[1 2]", "{\"a\"}", "{\"a\": }", "{a: 1}", "{\"a\": 1,}",
    "{\"a\": 1, \"a\": 2}", "\"a", "\"\\x\"",
    "\"\\ud83d\"", "\"\\u12\"", "\"\\u+123\"", "\"a\nb\"", "-", "1e", "--1", "0x10", "01", "-01", "00", "1.", "1.e2",
    ".5", "1e400", "-1e400", "1e+", "[[[", "\"\\", "NaNN",
    "{\"a\": 1}}",
  ])
  func whatIsNoJSONIsRefusedWithItsPlace(text: String) {
    let error = #expect(throws: FeatureFileError.self) { try parse(text) }
    #expect(error?.message.contains("line 1, column") == true)
  }

  /// Cells of tables contain such numbers.
  @Test(arguments: [("007", 7.0), ("-01.50", -1.5), ("1.", 1)]) func wordsAreLessStrict(text: String, value: Double)
    throws
  {
    var text = text
    #expect(try text.withUTF8 { try JSONValue(UnsafeRawBufferPointer($0), isWord: true) }.double == value)
  }

  @Test func dictionariesHaveOneOrder() {
    let values: [AnyHashable: NSNumber] = [
      "a": .init(value: Double.nan), "b": 1, "c": .init(value: Double.nan), "d": 2, "e": 1,
    ]
    for _ in 1...10 { #expect(FeatureJSONWriter.sorted(values).map(\.key) == ["d", "b", "e", "a", "c"]) }
  }

  @Test func nestingHasALimit() {
    #expect(throws: FeatureFileError.self) { try parse(String(repeating: "[", count: 1_000_000)) }
    #expect(throws: FeatureFileError.self) { try parse(String(repeating: "{\"a\":", count: 1_000_000)) }
  }

  /// A list of lists, of strings or of both is not copied for each of its items. A quadratic copy took hours.
  @Test(.timeLimit(.minutes(1)), arguments: ["[1]", "\"a\"", "{}", "null"])
  func longListsAreReadInOneGo(item: String) throws {
    let count = 100_000
    let list = "[" + String(repeating: item + ",", count: count - 1) + item + "]"
    guard case .array(let items) = try parse(list) else {
      Issue.record("no list")
      return
    }
    #expect(items.count == count)
  }

  @Test func readingIsStopped() throws {
    let text = "[" + String(repeating: "[1],", count: 100_000) + "[1]]"
    let cancellation = Cancellation()
    cancellation.cancel()
    let error = #expect(throws: MILError.self) { try cancellation.during { try parse(text) } }
    #expect(error?.code == .cancelled)
  }

  @Test func textWhoseNumbersDoNotFitIsRefused() throws {
    let text = "[" + String(repeating: "1,", count: 1 << 20) + "1]"
    let error = #expect(throws: MILError.self) { try MemoryBudget(limit: 4 << 20).during { try parse(text) } }
    #expect(error?.code == .outOfMemory)
    _ = try MemoryBudget(limit: 64 << 20).during { try parse(text) }
  }

  @Test func placesCountLines() {
    let error = #expect(throws: FeatureFileError.self) { try parse("{\n  \"a\": 1,\n  \"b\" 2\n}") }
    #expect(error?.message.hasPrefix("line 3, column 7:") == true)
  }

  // MARK: arrays

  @Test(
    arguments: [
      ("[[1, 2], [3, 4], [5, 6]]", [3, 2]), ("[[[1], [2]]]", [1, 2, 1]), ("7", []), ("[1, \"NaN\"]", [2]), ("[]", [0]),
      ("[[], []]", [2, 0]),
      ("{\"shape\": [2, 1], \"dataType\": \"float32\", \"data\": [1, \"Infinity\"]}", [2, 1]),
    ] as [(String, [Int])])
  func nestedListsAndTheExactFormAreArrays(text: String, shape: [Int]) throws {
    let array = try FeatureJSON.array(parse(text), "x")
    #expect(array.shape == shape)
    #expect(array.doubles.count == shape.reduce(1, *))
  }

  @Test(arguments: [
    "[[1, 2], [3]]", "[[1], 2]", "[1, [2]]", "[[[1]], [2]]", "[1, null]", "true", "\"a\"", "{}", "[[1, 2], []]",
    "[[], [1]]",
    "{\"shape\": [2], \"dataType\": \"float32\", \"data\": [1]}",
    "{\"shape\": [-1], \"dataType\": \"float32\", \"data\": []}",
    "{\"shape\": [0.5], \"dataType\": \"float32\", \"data\": [1]}",
    "{\"shape\": [1], \"dataType\": \"bfloat16\", \"data\": [1]}",
    "{\"shape\": [1], \"dataType\": \"int32\", \"data\": [0.5]}", "{\"shape\": [1], \"data\": [1]}",
    "{\"shape\": [4611686018427387904, 4], \"dataType\": \"float32\", \"data\": []}",
  ])
  func whatIsNoArrayIsRefused(text: String) {
    let error = #expect(throws: FeatureFileError.self) { try FeatureJSON.array(parse(text), "x") }
    #expect(error?.message.contains("'x'") == true)
  }

  @Test(arguments: [
    ("[1, 2, \"a\"]", "holds a string"), ("[1, null]", "holds null"), ("[[1], \"a\"]", "holds a string"),
    ("[1, [2]]", "differ in length or depth"), ("[{}, 1]", "holds an object"),
  ])
  func whatIsNoNumberIsNamed(text: String, words: String) {
    let error = #expect(throws: FeatureFileError.self) { try FeatureJSON.array(parse(text), "x") }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test func whatIsNotFiniteIsNullInAComparison() throws {
    func line(_ found: [Double], _ expected: [Double]) throws -> [String: Any] {
      let array = try MLMultiArray(shape: [NSNumber(value: found.count)], dataType: .double)
      for (index, value) in found.enumerated() { array[index] = NSNumber(value: value) }
      let result = try MLDictionaryFeatureProvider(dictionary: ["y": array])
      let lines = try OutputComparison(rtol: 0, atol: 0).lines(
        of: result, row: nil, expected: ["y": .numbers(expected)])
      let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(lines))
      return try #require((json as? [[String: Any]])?.first)
    }
    let nan = try line([.nan, 1], [1, 1])
    #expect(nan["passed"] as? Bool == false && nan["maxAbs"] is NSNull && nan["maxRel"] is NSNull && nan["psnr"] == nil)
    #expect((nan["note"] as? String)?.contains("1 of 2") == true)
    let same = try line([2, 1], [2, 1])
    #expect(same["passed"] as? Bool == true && same["maxAbs"] as? Double == 0 && same["psnr"] is NSNull)
  }

  /// Every number that is written reads back with the same bits.
  @Test func whatIsWrittenReadsBack() throws {
    let floats: [Float] = [
      0, -0.0, 1.1, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, 1e-7, 16_777_218,
    ]
    let array = try MLMultiArray(shape: [2, 5], dataType: .float32)
    for (index, value) in floats.enumerated() { array[index] = NSNumber(value: value) }
    let features = try MLDictionaryFeatureProvider(dictionary: [
      "array": array, "double": 0.1 + 0.2, "whole": 9_007_199_254_740_993, "text": "a \"b\"\\\u{1}\n",
      "words": MLSequence(strings: ["x", ""]),
      "scores": MLFeatureValue(dictionary: [
        AnyHashable("a"): NSNumber(value: 0.1), AnyHashable("b"): NSNumber(value: Double.nan),
      ]),
    ])
    var writer = FeatureJSONWriter()
    writer.row(features)
    guard case .object(let members) = try parse(writer.text) else { throw FeatureFileError(.invalid, writer.text) }
    let read = try FeatureJSON.array(#require(members["array"]), "array")
    #expect(read.shape == [2, 5])
    #expect(read.doubles.map { Float($0).bitPattern } == floats.map(\.bitPattern))
    #expect(members["double"] == .number(0.1 + 0.2))
    #expect(members["whole"] == .integer(9_007_199_254_740_993))
    #expect(members["text"] == .string("a \"b\"\\\u{1}\n"))
    #expect(members["words"] == .array([.string("x"), .string("")]))
    #expect(members["scores"] == .object(["a": .number(0.1), "b": .string("NaN")]))
  }

  /// Every double reads back from its shortest digits, and any digits are rounded as Swift rounds them.
  @Test func numbersAreReadToTheBit() throws {
    var rng = SeededNumbers(seed: 11)
    func read(_ text: String) throws -> JSONValue {
      var text = text
      return try text.withUTF8 { try JSONValue(UnsafeRawBufferPointer($0)) }
    }
    for _ in 0..<60_000 {
      let value = Double(bitPattern: rng.next())
      if value.isFinite { #expect(try read("\(value)").double?.bitPattern == value.bitPattern) }
      let single = Float(bitPattern: UInt32(truncatingIfNeeded: rng.next()))
      if single.isFinite { #expect(try read("\(single)").double.map { Float($0) } == single) }
    }
    for _ in 0..<60_000 {
      func digits(_ most: Int) -> String {
        (0..<Int.random(in: 1...most, using: &rng)).map { _ in "\(Int.random(in: 0...9, using: &rng))" }.joined()
      }
      let whole = String(digits(22).drop { $0 == "0" })
      var text = (rng.next() % 2 == 0 ? "-" : "") + (whole.isEmpty ? "0" : whole)
      if rng.next() % 3 > 0 { text += ".\(digits(25))" }
      if rng.next() % 3 == 0 { text += "e\(Int.random(in: -345...308, using: &rng))" }
      let found = try? read(text)
      guard let expected = Double(text), expected.isFinite else {
        #expect(found == nil, "\(text)")
        continue
      }
      #expect(found?.double?.bitPattern == expected.bitPattern || found?.int64 == 0, "\(text)")
      let isInteger = text.allSatisfy { $0.isNumber || $0 == "-" }
      if isInteger { #expect(found == Int64(text).map { .integer($0) } ?? .number(expected), "\(text)") }
    }
  }
}
