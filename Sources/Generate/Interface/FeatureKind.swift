/// The type of a feature.
package enum FeatureKind: Sendable, Equatable {
  case int64
  case double
  case string
  case image(ImageInterface)
  case multiArray(ArrayInterface)
  case dictionary(KeyKind)
  case sequence(KeyKind)
  case state(ArrayInterface)
}

/// The type of a dictionary's keys, or of a sequence's items.
package enum KeyKind: Sendable { case int64, string }

/// The constraints of a multi-array, or of the one in a state.
package struct ArrayInterface: Sendable, Equatable {
  package enum Element: Sendable { case float16, float32, double, int32, int8 }

  package var element: Element
  /// The default shape; empty if any shape is allowed.
  package var shape: [Int]
  package var flexibility: Flexibility

  package enum Flexibility: Sendable, Equatable {
    case fixed
    case enumerated([[Int]])
    case ranges([SizeBounds])
  }
}

/// The constraints of an image.
package struct ImageInterface: Sendable, Equatable {
  package enum Pixels: Sendable { case rgb, bgr, grayscale, grayscaleHalf }

  package var width: Int
  package var height: Int
  package var pixels: Pixels
  package var flexibility: Flexibility

  package enum Flexibility: Sendable, Equatable {
    case fixed
    /// Pairs of width and height.
    case enumerated([[Int]])
    case ranges(width: SizeBounds, height: SizeBounds)
  }
}

/// The sizes that an axis allows; nil for no upper bound.
package struct SizeBounds: Sendable, Equatable {
  package var least: Int
  package var most: Int?
}
