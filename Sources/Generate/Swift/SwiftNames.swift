/// Names that Swift reserves.
enum SwiftNames {
  /// Forced `try` and `as` for operations that cannot fail.
  static let tryForced = "try\u{21}"
  static let asForced = "as\u{21}"

  /// Keywords that need backticks as names.
  private static let keywords: Set<String> = [
    "Any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default", "defer", "deinit",
    "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import",
    "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
    "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
    "try", "typealias", "var", "where", "while",
  ]

  /// Words that cannot be members or arguments even in backticks, and names that the generated code uses.
  static let reserved: Set<String> = [
    "self", "Self", "Type", "Protocol", "init", "dynamicType", "super", "featureNames", "featureValue", "featureName",
    "provider",
    "MLFeatureValue", "MLMultiArray", "MLShapedArray", "MLSequence", "MLDictionaryFeatureProvider",
    "MLPredictionOptions",
    "MLFeatureProvider", "CGImage", "CVPixelBuffer", "URL", "Set", "String", "Double", "Float", "Float16", "Int64",
    "Int32", "Int8", "NSNumber", "AnyHashable", "kCVPixelFormatType_32ARGB", "kCVPixelFormatType_OneComponent8",
    "kCVPixelFormatType_OneComponent16Half", "Swift", "values_",
  ]

  /// A scope for the features of a class.
  static func scope(_ classes: SwiftClassNames) -> NameScope {
    NameScope(reserved: reserved.union([classes.model, classes.input, classes.output, classes.trainingInput]))
  }

  /// Types and functions that the generated code uses and a class with the same name would hide, and contextual
  /// keywords in type positions.
  private static let types: Set<String> = reserved.union([
    "MLModel", "MLModelConfiguration", "MLState", "MLArrayBatchProvider", "MLBatchProvider", "Bundle", "Error",
    "Result", "Void", "Sendable", "CaseIterable", "Any", "type", "any", "some", "each", "async", "willSet", "didSet",
  ]).union(keywords)

  /// The name of a class.
  static func typeName(_ name: String) -> String { types.contains(name) ? "\(name)_" : name }

  /// The name as an argument label, where most keywords need no backticks.
  static func label(_ name: String) -> String { ["inout", "let", "var"].contains(name) ? "`\(name)`" : name }

  /// The name in code, with backticks if needed.
  static func written(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }
}

/// The classes of one function of a model.
struct SwiftClassNames {
  let model: String

  var input: String { "\(model)Input" }
  var output: String { "\(model)Output" }
  var trainingInput: String { "\(model)TrainingInput" }
  var label: String { "\(model)Label" }
}
