/// The kinds of feature.
public enum MLFeatureType: Int, Sendable, CustomStringConvertible {
  /// No value: a feature that is undefined.
  case invalid = 0
  /// A whole number of 64 bits.
  case int64 = 1
  /// A double-precision number.
  case double = 2
  /// Text.
  case string = 3
  /// A picture, as a pixel buffer.
  case image = 4
  /// An array of numbers with any number of axes (`MLMultiArray`).
  case multiArray = 5
  /// Numbers under keys that are all text or all whole numbers.
  case dictionary = 6
  /// A list of texts or of whole numbers (`MLSequence`).
  case sequence = 7
  /// An array that a model keeps from one prediction to the next (`MLState`).
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

  /// The word that descriptions of features and values have for it.
  var title: String {
    switch self {
    case .int64: "Int64"
    case .multiArray: "MultiArray"
    default: description.prefix(1).uppercased() + description.dropFirst()
    }
  }
}
