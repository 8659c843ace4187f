import CoreML
import FeatureFiles
import Foundation
import TestSupport
import Testing

/// Which values pass a comparison with tolerances, and which never pass.
@Suite(.tags(.process)) struct OutputComparisonTests {
  private static let (inf, nan, big) = (Double.infinity, Double.nan, Double.greatestFiniteMagnitude)

  private func parse(_ text: String) throws -> JSONValue {
    var text = text
    return try text.withUTF8 { try JSONValue(UnsafeRawBufferPointer($0)) }
  }

  private func passes(
    _ value: Any, _ expected: JSONValue, rtol: Double = 1e-3, atol: Double = 1e-4
  ) throws -> Bool {
    let result = try MLDictionaryFeatureProvider(dictionary: ["y": value])
    let lines = try OutputComparison(rtol: rtol, atol: atol).lines(of: result, row: nil, expected: ["y": expected])
    return try #require(lines.first).passed
  }

  private static let numbers: [(Double, Double, Bool)] = [
    (inf, inf, true), (-inf, -inf, true), (nan, nan, true), (1, 1.0005, true), (0, -0.0, true),
    (5, inf, false), (5, -inf, false), (-inf, inf, false), (inf, -inf, false), (nan, inf, false), (inf, nan, false),
    (5, nan, false), (nan, 5, false), (inf, 5, false), (-inf, big, false), (inf, big, false), (big, -big, false),
    (1, 1.01, false),
  ]

  @Test func noToleranceReachesAnInfinity() throws {
    for (found, expected, isEqual) in Self.numbers {
      let array = try MLMultiArray(shape: [2], dataType: .double)
      (array[0], array[1]) = (NSNumber(value: 1.0), NSNumber(value: found))
      #expect(try passes(array, .numbers([1, expected])) == isEqual, "\(found), expected \(expected)")
      #expect(try passes(found, .number(expected)) == isEqual, "\(found), expected \(expected)")
      let scores = try MLFeatureValue(dictionary: ["a": NSNumber(value: found)])
      #expect(try passes(scores, .object(["a": .number(expected)])) == isEqual, "\(found), expected \(expected)")
    }
    // Not even a tolerance that overflows.
    for rtol in [1, 1e300, Self.big] {
      #expect(try !passes(5.0, .number(Self.inf), rtol: rtol) && !passes(Self.inf, .number(Self.big), rtol: rtol))
    }
    #expect(try !passes(MLFeatureValue(int64: 5), .number(Self.inf)))
    #expect(try !passes(MLSequence(int64s: [5]), .numbers([Self.inf])))
  }

  @Test func picturesAreComparedToo() throws {
    let picture = try PictureValue.gray([7, 9])
    #expect(try passes(picture, .array([.numbers([7, 9])])))
    #expect(try !passes(picture, .array([.numbers([7, Self.inf])])))
    #expect(try !passes(picture, .array([.numbers([7, Self.nan])])))
  }

  @Test func integersAreComparedExactly() throws {
    let (one, other) = (Int64(9_007_199_254_740_993), Int64(9_007_199_254_740_992))
    #expect(try !passes(MLFeatureValue(int64: one), .integer(other), rtol: 0, atol: 0))
    #expect(try passes(MLFeatureValue(int64: one), .integer(other), rtol: 0, atol: 1))
    #expect(try passes(MLFeatureValue(int64: one), .integer(one), rtol: 0, atol: 0))
    #expect(try !passes(MLFeatureValue(int64: .max), .integer(.min)))
    #expect(try !passes(MLSequence(int64s: [NSNumber(value: one)]), .integers([other]), rtol: 0, atol: 0))
    #expect(try passes(MLSequence(int64s: [NSNumber(value: one)]), .integers([one]), rtol: 0, atol: 0))
    let bytes = withUnsafeBytes(of: other) { Array($0) }
    let array = OutputComparison.value(NPYArray(.int64, shape: [], bytes: bytes))
    #expect(try !passes(MLFeatureValue(int64: one), array, rtol: 0, atol: 0))
  }

  @Test func whatIsOfAnotherKindDiffers() throws {
    let scores = try MLFeatureValue(dictionary: ["a": NSNumber(value: Double.nan)])
    #expect(try !passes(scores, parse(#"{"a": "none"}"#)))
    #expect(try !passes(scores, parse(#"{"a": 1, "b": 1}"#)))
    #expect(try !passes(MLSequence(int64s: [1, 2]), parse("[]")))
    #expect(try !passes(MLSequence(int64s: [1, 2]), parse("[1]")))
    #expect(try !passes(MLSequence(strings: ["a"]), parse(#"["a", 1]"#)))
    #expect(try !passes(MLSequence(strings: []), parse("[1]")))
    #expect(try !passes("a", parse("null")) && !passes(1.0, parse("null")))
    #expect(try passes(MLFeatureValue(undefined: .double), parse("null")))
    #expect(try !passes(MLFeatureValue(undefined: .double), parse("0")))
    #expect(try !passes(MLFeatureValue(undefined: .string), parse("\"\"")))
  }

  /// Two encodings of one letter are different strings.
  @Test func textsAreComparedByTheirBytes() throws {
    let (one, two) = ("\u{E9}", "e\u{301}")
    #expect(try passes(one, .string(one)) && !passes(one, .string(two)))
    #expect(try !passes(MLSequence(strings: [one]), .array([.string(two)])))
    let scores = try MLFeatureValue(dictionary: [AnyHashable(one): 1])
    #expect(try passes(scores, .object([one: .integer(1)])) && !passes(scores, .object([two: .integer(1)])))
  }
}

/// The same for comparisons by the command and for golden outputs.
@Suite(.tags(.process)) struct GoldenInfinityTests {
  private let folder: Scratch
  private let model: String

  init() throws {
    folder = try Scratch()
    model = try WrittenModel.write(
      "(tensor<fp32, [2]> x) { tensor<fp32, [2]> y = square(x = x); } -> (y)", inputs: ["x": [2]], outputs: ["y": [2]],
      in: folder, named: "Square")
    try write("x", [1, 2], to: "in.npz")
    for (name, number) in [("right", 4), ("inf", Float.infinity), ("minus", -.infinity), ("nan", .nan)] {
      try write("y", [1, number], to: "\(name).npz")
    }
  }

  private func write(_ name: String, _ numbers: [Float], to file: String) throws {
    let array = NPYArray(.float32, shape: [numbers.count], bytes: numbers.withUnsafeBytes { Array($0) })
    try NPZ.write([(name, array)], to: folder.url.appending(path: file).path)
  }

  private func run(_ words: String...) throws -> CommandRun { try CommandRun(words, in: folder) }

  @Test func comparisonsOfTheCommandFail() throws {
    #expect(try run("predict", model, "--input", "in.npz", "--compare", "right.npz").status == 0)
    for name in ["inf", "minus", "nan"] {
      let run = try run("predict", model, "--input", "in.npz", "--compare", "\(name).npz")
      #expect(run.status == 1 && run.output.contains("\"passed\":false"), "\(name): \(run.output) \(run.complaint)")
    }
    let report = try run("bench", model, "--input", "in.npz", "--iterations", "1", "--compare", "inf.npz", "--json")
    #expect(try report.json()["error"] as? String == "Infinity", "\(report.output)")
    try write("x", [1, .infinity], to: "in.npz")
    let same = try run("bench", model, "--input", "in.npz", "--iterations", "1", "--compare", "inf.npz", "--json")
    #expect(try same.json()["error"] as? Double == 0, "\(same.output)")
  }

  @Test func goldenOutputsFail() throws {
    #expect(try run("publish", "init", "shop", "--name", "s").status == 0)
    func add(_ golden: String) throws -> CommandRun {
      try run(
        "publish", "add", "shop", model, "--model", "M", "--version", "1", "--golden-inputs", "in.npz",
        "--golden-outputs", "\(golden).npz")
    }
    for name in ["minus", "inf"] {
      let added = try add(name)
      #expect(added.status == 1, "\(name): \(added.output) \(added.complaint)")
    }
    let added = try add("right")
    #expect(added.status == 0, "\(added.complaint)")
  }
}

/// Images as feature values.
enum PictureValue {
  static func gray(_ pixels: [UInt8]) throws -> MLFeatureValue {
    var buffer: CVPixelBuffer?
    CVPixelBufferCreate(nil, pixels.count, 1, kCVPixelFormatType_OneComponent8, nil, &buffer)
    let picture = try #require(buffer)
    CVPixelBufferLockBaseAddress(picture, [])
    defer { CVPixelBufferUnlockBaseAddress(picture, []) }
    try #require(CVPixelBufferGetBaseAddress(picture)).copyMemory(from: pixels, byteCount: pixels.count)
    return MLFeatureValue(pixelBuffer: picture)
  }
}
