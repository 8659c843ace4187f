/// The type of a feature.
public enum MLFeatureType: Int, Sendable, CustomStringConvertible {
  /// An undefined feature.
  case invalid = 0
  /// A 64-bit integer.
  case int64 = 1
  /// A double-precision number.
  case double = 2
  /// Text.
  case string = 3
  /// An image, as a pixel buffer.
  case image = 4
  /// A multi-dimensional array of numbers (`MLMultiArray`).
  case multiArray = 5
  /// A dictionary of numbers. The keys are all strings or all integers.
  case dictionary = 6
  /// A list of strings or integers (`MLSequence`).
  case sequence = 7
  /// An array that a model keeps between predictions (`MLState`).
  case state = 8

  public var description: String {
    switch self {
    case .invalid: "invalid"
    case .int64: "int64"
    case .double: "double"
    case .string: "string"
    case .image: "image"
    case .multiArray: "multiArray"
    case .dictionary: "dictionary"
    case .sequence: "sequence"
    case .state: "state"
    }
  }

  /// The name in descriptions of features and values.
  var title: String {
    switch self {
    case .int64: "Int64"
    case .multiArray: "MultiArray"
    default: description.prefix(1).uppercased() + description.dropFirst()
    }
  }
}
