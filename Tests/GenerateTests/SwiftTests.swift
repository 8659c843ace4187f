import Testing

@testable import CoreMLGenerate

@Suite struct SwiftTests {
  private func source(_ model: ModelClass) -> String {
    var options = SwiftOptions()
    options.labelEnumerations = true
    return SwiftFile(model, options).source()
  }

  /// A class with such a name would hide a type that the code uses, or be invalid.
  @Test(arguments: [
    "type", "Type", "Protocol", "self", "Self", "Any", "init", "class", "String", "Set", "Error", "Result", "MLModel",
    "MLState", "Bundle", "URL", "Swift", "any", "some", "each", "async", "await", "willSet", "didSet",
  ])
  func classesAreNotCalledAsWordsOfTheLanguage(name: String) {
    let text = source(Samples.model(name))
    #expect(text.contains("class \(name)_ {") && !text.contains("class \(name) {"), "\(text.prefix(2000))")
  }

  @Test func anOutputThatMayBeAbsentHasNoLabelThen() {
    let feature = Samples.feature("label", .string, isOptional: true)
    let text = source(
      Samples.model(outputs: [feature], predicted: "label", labels: .strings(["a", "b"])))
    #expect(text.contains("var labelCase: MLabel? { self.label.flatMap { MLabel(rawValue: $0) } }"), "\(text)")
    #expect(text.contains("featureValue(for: \"label\").flatMap { $0.isUndefined ? nil : $0.stringValue }"), "\(text)")
    let array = source(Samples.model(outputs: [Samples.feature("a", .multiArray(Samples.vector), isOptional: true)]))
    #expect(array.contains("featureValue(for: \"a\").flatMap { $0.multiArrayValue }"), "\(array)")
    let given = source(
      Samples.model(outputs: [Samples.feature("label", .string)], predicted: "label", labels: .strings(["a"])))
    #expect(given.contains("{ MLabel(rawValue: self.label) }"), "\(given)")
  }

  @Test func aPredictionOfAnotherTypeThanTheLabelsHasNone() {
    let text = source(
      Samples.model(outputs: [Samples.feature("label", .int64)], predicted: "label", labels: .strings(["a"])))
    #expect(!text.contains("rawValue: self.label"), "\(text)")
  }
}
