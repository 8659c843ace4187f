import CoreMLBase
import Foundation
import Testing

@testable import CoreMLGenerate

@Suite struct SchemaTests {
  /// A part of a schema, addressed by member names and item indices.
  private func part(_ model: ModelClass, _ path: String...) throws -> Any { try part(model, at: path) }

  private func part(_ model: ModelClass, at path: [String]) throws -> Any {
    let text = try SchemaFile(model).source()
    var value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    for step in path {
      let next = (value as? [Any])?[Int(step) ?? 0] ?? (value as? [String: Any])?[step]
      guard let next else { throw Missing(step: step, value: "\(value)") }
      value = next
    }
    return value
  }

  private struct Missing: Error {
    let step: String
    let value: String
  }

  private func array(_ shape: [Int], _ flexibility: ArrayInterface.Flexibility = .fixed) -> ModelFeature {
    Samples.feature(
      "x", .multiArray(ArrayInterface(element: .float32, shape: shape, flexibility: flexibility)))
  }

  @Test func axesAreWrittenOutAsLongAsThereAreFew() throws {
    let deep = Samples.model(inputs: [array(Array(repeating: 1, count: 32))])
    #expect(try SchemaFile(deep).source().components(separatedBy: "\"maxItems\": 1\n").count == 33)
    let deeper = Samples.model(inputs: [array(Array(repeating: 1, count: 33))])
    let error = #expect(throws: RuntimeError.self) { try SchemaFile(deeper).source() }
    #expect(error?.message.contains("\"x\" has 33 axes") == true, "\(String(describing: error))")
    // Output arrays have another form.
    #expect(throws: Never.self) {
      try SchemaFile(Samples.model(outputs: [array(Array(repeating: 1, count: 100_000))])).source()
    }
  }

  @Test(arguments: [
    ArrayInterface.Flexibility.fixed, .ranges([SizeBounds(least: -3, most: nil)]), .enumerated([[-3], [-1]]),
  ])
  func listsAreNeverShorterThanNothing(flexibility: ArrayInterface.Flexibility) throws {
    let model = Samples.model(inputs: [array([-3], flexibility)])
    let list = try part(model, "$defs", "MInput", "properties", "x", "anyOf", "0")
    let members = try #require(list as? [String: Any])
    #expect(members["minItems"] as? Int == 0 && members["maxItems"] == nil, "\(members)")
  }

  /// Shapes of several ranks: the exact form allows each of them.
  @Test func theExactFormHasAnyRankThatIsAllowed() throws {
    let model = Samples.model(inputs: [array([2], .enumerated([[2], [2, 3]]))])
    let shape = try part(model, "$defs", "MInput", "properties", "x", "anyOf", "1", "properties", "shape")
    #expect((shape as? [String: Any])?["maxItems"] == nil, "\(shape)")
  }

  @Test func numbersThatJSONHasNoWordForAreStrings() throws {
    let model = Samples.model(
      inputs: [Samples.feature("d"), Samples.feature("m", .dictionary(.int64)), array([2])],
      outputs: [Samples.feature("d"), Samples.feature("m", .dictionary(.string))])
    for path in [
      ["MInput", "properties", "d"], ["MInput", "properties", "m", "additionalProperties"],
      ["MInput", "properties", "x", "anyOf", "0", "items"], ["MOutput", "properties", "d"],
      ["MOutput", "properties", "m", "additionalProperties"],
    ] {
      let forms = try #require(try part(model, at: ["$defs"] + path + ["anyOf"]) as? [[String: Any]], "\(path)")
      #expect(forms.first?["type"] as? String == "number", "\(path)")
      #expect(forms.last?["enum"] as? [String] == ["NaN", "Infinity", "-Infinity"], "\(path)")
    }
  }

  @Test func outputsThatMayBeAbsentMayBeNull() throws {
    let optional = Samples.feature("label", .string, isOptional: true)
    let model = Samples.model(
      inputs: [optional], outputs: [optional], predicted: "label", labels: .strings(["a", "b"]))
    let forms = try part(model, "$defs", "MOutput", "properties", "label", "anyOf")
    let list = try #require(forms as? [[String: Any]])
    #expect(list.first?["enum"] as? [String] == ["a", "b"] && list.last?["type"] as? String == "null", "\(list)")
    // The reader accepts no null.
    #expect(try part(model, "$defs", "MInput", "properties", "label", "type") as? String == "string")
  }

  @Test func referencesAreURIs() throws {
    #expect(try part(Samples.model("größe"), "$ref") as? String == "#/$defs/gr%C3%B6%C3%9FeInput")
    #expect(try part(Samples.model("größe"), "$defs", "größeInput") is [String: Any])
    #expect(try part(Samples.model("a_1"), "$ref") as? String == "#/$defs/a_1Input")
  }
}
