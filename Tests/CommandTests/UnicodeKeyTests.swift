import CoreMLBase
import CoreMLSpec
import Foundation
import TestSupport
import Testing

/// Keys, categories and names are the bytes in the model. Two encodings of one letter are two keys.
@Suite(.tags(.process)) struct UnicodeKeyTests {
  private let folder: Scratch
  private static let (composed, decomposed) = ("\u{E9}", "e\u{301}")

  init() throws { folder = try Scratch() }

  private func numbers(_ model: String, _ value: String) throws -> [Double] {
    let run = try CommandRun(["predict", model, "--set", "x=\(value)", "--json"], in: folder)
    let array = try run.json()["y"] as? [String: Any]
    return try #require(array?["data"] as? [Double], "\(run.output) \(run.complaint)")
  }

  @Test func textsAreEqualWhereTheirBytesAre() {
    #expect(Self.composed == Self.decomposed && ExactText(Self.composed) != ExactText(Self.decomposed))
    #expect(Set([Self.composed, Self.decomposed, "e"].map(ExactText.init)).count == 3)
    #expect(["a", Self.composed, "b", Self.decomposed].firstAmbiguous == Self.composed)
    #expect(["a", "b", "a", Self.composed, Self.composed].firstAmbiguous == nil)
    #expect(ExactText("a") < ExactText("b") && ExactText("") < ExactText("a") && ExactText("e") < ExactText("\u{E9}"))
  }

  @Test func keysOfAVectorizerAreBytes() throws {
    let keys = [Self.composed, Self.decomposed, "a\0b", "a"]
    try EncodedModel.write(
      ("x", .stringDictionary), ("y", .array(4)), EncodedModel.vectorizer(keys), to: "Keys.mlmodel", in: folder)
    #expect(try numbers("Keys.mlmodel", "{\"\(Self.composed)\": 5}") == [5, 0, 0, 0])
    #expect(try numbers("Keys.mlmodel", "{\"\(Self.decomposed)\": 5}") == [0, 5, 0, 0])
    #expect(try numbers("Keys.mlmodel", #"{"e\u0301": 5, "a\u0000b": 6}"#) == [0, 5, 6, 0])
    #expect(try numbers("Keys.mlmodel", #"{"a": 7}"#) == [0, 0, 0, 7])
    // A Swift dictionary treats both as one key.
    try CommandRun(
      ["predict", "Keys.mlmodel", "--set", "x={\"\(Self.composed)\": 1, \"\(Self.decomposed)\": 2}"], in: folder
    ).failed(65, naming: "stands twice")
  }

  @Test func categoriesAreBytes() throws {
    let categories = ["a", "a\0b", Self.composed, Self.decomposed]
    try EncodedModel.write(
      ("x", .string), ("y", .array(4)), EncodedModel.oneHotEncoder(categories), to: "Hot.mlmodel", in: folder)
    for (place, category) in categories.enumerated() where category != "a\0b" {
      #expect(try numbers("Hot.mlmodel", category) == (0..<4).map { $0 == place ? 1 : 0 }, "\(place)")
    }
    #expect(try numbers("Hot.mlmodel", #""a\u0000b""#) == [0, 1, 0, 0])
    try EncodedModel.write(
      ("x", .string), ("y", .array(1)), EncodedModel.oneHotEncoder([Self.composed]), to: "One.mlmodel", in: folder)
    try CommandRun(["predict", "One.mlmodel", "--set", "x=\(Self.decomposed)"], in: folder)
      .failed(65, naming: "none of the categories")
  }

  @Test func keysOfAMappingAreBytes() throws {
    let entries: [(String, UInt64)] = [(Self.composed, 1), (Self.decomposed, 2), ("a", 9_007_199_254_740_993)]
    try EncodedModel.write(
      ("x", .string), ("y", .int64), EncodedModel.mapping(entries), to: "Map.mlmodel", in: folder)
    for (key, value) in entries {
      let run = try CommandRun(["predict", "Map.mlmodel", "--set", "x=\(key)", "--json"], in: folder)
      #expect(try run.json()["y"] as? UInt64 == value, "\(run.output) \(run.complaint)")
    }
  }

  @Test func featuresThatSwiftCannotTellApartAreRefused() throws {
    try EncodedModel.identity([(Self.composed, .int64), (Self.decomposed, .int64)], to: "Two.mlmodel", in: folder)
    let run = try CommandRun(
      ["predict", "Two.mlmodel", "--set", "\(Self.composed)=1", "--set", "\(Self.decomposed)=2"], in: folder)
    #expect(run.status == 65 && run.signal == nil, "\(run.output) \(run.complaint)")
  }
}
