/// The enumeration of a classifier's labels.
struct SwiftLabels {
  private let context: SwiftContext
  private let labels: [(name: String, value: String)]
  private let type: String

  /// Nil if the options disable enumerations, or the function is not a classifier with known labels.
  init?(_ context: SwiftContext) {
    guard context.options.labelEnumerations, let labels = context.function.labels else { return nil }
    self.context = context
    var scope = NameScope(reserved: [
      "init", "self", "Self", "Type", "Protocol", "allCases", "AllCases", "rawValue", "RawValue", "hash", "hashValue",
      "none", "some",
    ])
    var seen: Set<String> = []
    switch labels {
    case .strings(let strings):
      type = "String"
      self.labels = strings.filter { seen.insert($0).inserted }.map {
        (SwiftNames.written(scope.take(Identifier.of($0))), Literals.swift($0))
      }
    case .integers(let integers):
      type = "Int64"
      self.labels = integers.filter { seen.insert("\($0)").inserted }.map {
        (scope.take($0 < 0 ? "minus\($0.magnitude)" : "_\($0)"), "\($0)")
      }
    }
  }

  /// Whether values of the feature have the raw type of the enumeration.
  func areValues(of feature: NamedFeature) -> Bool { feature.swiftType == type }

  func write(to code: inout CodeWriter) {
    code.line()
    code.document("The classes that the model tells apart, in its order.")
    code.line(context.availability)
    code.block("\(context.access)enum \(context.classes.label) : \(type), CaseIterable, Sendable") { code in
      for label in labels { code.line("case \(label.name) = \(label.value)") }
    }
  }
}
