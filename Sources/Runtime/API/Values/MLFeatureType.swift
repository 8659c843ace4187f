/// The kinds of feature.
public enum MLFeatureType: Int, Sendable, CustomStringConvertible {
  case invalid = 0
  case int64 = 1
  case double = 2
  case string = 3
  case image = 4
  case multiArray = 5
  case dictionary = 6
  case sequence = 7
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
