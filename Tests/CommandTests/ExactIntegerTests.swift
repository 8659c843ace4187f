import CoreML
import FeatureFiles
import Foundation
import TestSupport
import Testing

/// The command reads and writes 64-bit integers exactly, and refuses values that are not such integers.
@Suite(.tags(.process)) struct ExactIntegerTests {
  private let folder: Scratch
  private static let odd = 9_007_199_254_740_993

  init() throws {
    folder = try Scratch()
    try EncodedModel.identity(
      [("i", .int64), ("s", .int64Sequence), ("d", .int64Dictionary)], to: "Integers.mlmodel", in: folder)
    try EncodedModel.identity([("i", .int64)], to: "One.mlmodel", in: folder)
  }

  private func parse(_ text: String) throws -> JSONValue {
    var text = text
    return try text.withUTF8 { try JSONValue(UnsafeRawBufferPointer($0)) }
  }

  private func predict(_ words: String..., model: String = "Integers.mlmodel") throws -> CommandRun {
    try CommandRun(["predict", model] + words, in: folder)
  }

  @Test(arguments: [
    ("9007199254740993", 9_007_199_254_740_993 as Int64?), ("-9223372036854775808", .min),
    ("9223372036854775807", .max),
    ("1e18", 1_000_000_000_000_000_000), ("9007199254740993.0", 9_007_199_254_740_993),
    ("9.007199254740993e15", 9_007_199_254_740_993), ("-0.0", 0), ("1.0", 1), ("25e-1", nil), ("1.5", nil),
    ("9223372036854775808", nil), ("9223372036854775807.5", nil), ("9007199254740993.5", nil),
    ("4503599627370496.3", nil), ("1e19", nil), ("NaN", nil), ("\"1\"", nil), ("true", nil),
  ])
  func numbersOfJSONAreIntegersExactlyOrNot(text: String, value: Int64?) throws {
    #expect(try parse(text).int64 == value)
    #expect(try parse("[\(text)]").int64s == value.map { [$0] })
    // A value in another notation does not change its neighbors.
    #expect(try parse("[\(Self.odd), \(text)]").int64s == value.map { [Int64(Self.odd), $0] })
    #expect(try parse("[1.0, \(text), \(Self.odd)]").int64s == value.map { [1, $0, Int64(Self.odd)] })
  }

  @Test func valuesGoThroughAsTheyAre() throws {
    let row = #"{"i": 9007199254740993, "s": [9007199254740993, 1], "d": {"9007199254740993": 4}}"#
    try folder.write(row, to: "row.json")
    try folder.write(row + "\n", to: "rows.jsonl")
    try folder.write("i,s,d\n\(Self.odd),\"[\(Self.odd), 1]\",\"{\"\"\(Self.odd)\"\": 4}\"\n", to: "rows.csv")
    let given = ["--set", "i=\(Self.odd)", "--set", "s=[\(Self.odd), 1]", "--set", #"d={"\#(Self.odd)": 4}"#]
    let ways = [
      ["--input", "row.json", "--json"], given + ["--json"], ["--batch", "rows.jsonl"], ["--batch", "rows.csv"],
      ["--input", "row.json", "-o", "out.json"], ["--batch", "rows.csv", "-o", "out.csv"],
    ]
    for words in ways {
      let run = try CommandRun(["predict", "Integers.mlmodel"] + words, in: folder)
      #expect(run.status == 0, "\(words): \(run.complaint)")
      let text = try words.last.map { $0.hasPrefix("out") ? try folder.read($0) : run.output } ?? ""
      #expect(text.components(separatedBy: "\(Self.odd)").count == 4 && !text.contains("740992"), "\(words): \(text)")
    }
    #expect(try predict("--input", "row.json", "--compare", "row.json", "--rtol", "0", "--atol", "0").status == 0)
    try folder.write(row.replacing("993, 1", with: "992, 1"), to: "other.json")
    #expect(try predict("--input", "row.json", "--compare", "other.json", "--rtol", "0", "--atol", "0").status == 1)
    let empty = try predict("--set", "i=1", "--set", "s=[]", "--set", "d={}", "--json")
    #expect(try empty.json()["s"] as? [Int] == [], "\(empty.complaint)")
  }

  @Test func arraysOfFilesGiveThemExactly() throws {
    func write<Number: FixedWidthInteger>(_ number: Number, _ element: NPYArray.Element) throws {
      let bytes = withUnsafeBytes(of: number.littleEndian) { Array($0) }
      let array = NPYArray(element, shape: [], bytes: bytes)
      try NPZ.write([("i", array)], to: folder.url.appending(path: "one.npz").path)
      try Data(array.npy).write(to: folder.url.appending(path: "one.npy"))
    }
    try write(Int64(Self.odd), .int64)
    for input in ["one.npz", "i=one.npy"] {
      let run = try predict("--input", input, "--json", model: "One.mlmodel")
      #expect(run.output.contains("\(Self.odd)"), "\(run.output) \(run.complaint)")
    }
    try write(UInt64.max, .uint64)
    try predict("--input", "one.npz", "--json", model: "One.mlmodel").failed(65, naming: "18446744073709551615")
    try write(UInt64(Self.odd), .uint64)
    #expect(try predict("--input", "one.npz", model: "One.mlmodel").output.contains("\(Self.odd)"))
  }

  @Test func whatIsNoIntegerOf64BitsIsRefused() throws {
    for word in ["9223372036854775808", "1.5", "9007199254740993.5", "1e19"] {
      try predict("--set", "i=\(word)", model: "One.mlmodel").failed(65, naming: "expected an integer of 64 bits")
      try predict("--set", "i=1", "--set", "s=[1, \(word)]", "--set", "d={}").failed(65, naming: "64 bits")
    }
    try predict("--set", "i=1", "--set", "s=[]", "--set", #"d={"9223372036854775808": 1}"#).failed(
      65, naming: "64 bits")
  }

  /// The value that remains must not depend on a hash.
  @Test func keysThatAreOneIntegerAreRefused() throws {
    for _ in 0..<3 {
      try predict("--set", "i=1", "--set", "s=[]", "--set", #"d={"1": 1, "+1": 2, "01": 3}"#)
        .failed(65, naming: "the keys '+1' and '01', which are one integer")
    }
    try predict("--set", "i=1", "--set", "s=[]", "--set", #"d={"1": 1, "1": 2}"#).failed(65, naming: "'1' stands twice")
  }

  @Test func integersThatAnArrayDoesNotHoldAreRefused() throws {
    try EncodedModel.identity([("x", .int32Array(2))], to: "Array.mlmodel", in: folder)
    for text in ["[1, 3000000000]", "[1, -2147483649.0]", "[1, \"Infinity\"]", "[\"NaN\", 1]"] {
      try predict("--set", "x=\(text)", model: "Array.mlmodel").failed(65, naming: "integers of 32 bits")
    }
    let run = try predict("--set", "x=[2147483647, -2147483648]", "--json", model: "Array.mlmodel")
    #expect(run.output.contains("[2147483647, -2147483648]"), "\(run.output) \(run.complaint)")
    let wide: [Int64] = [1, 1 << 31]
    let bytes = wide.withUnsafeBytes { Array($0) }
    try NPZ.write(
      [("x", NPYArray(.int64, shape: [2], bytes: bytes))], to: folder.url.appending(path: "wide.npz").path)
    try predict("--input", "wide.npz", model: "Array.mlmodel").failed(65, naming: "2147483648")
  }
}
