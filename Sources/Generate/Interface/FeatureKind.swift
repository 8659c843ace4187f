/// What a value of a feature is.
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

/// What keys of a dictionary, or items of a sequence, are.
package enum KeyKind: Sendable { case int64, string }

/// What a multi-array, or the one that a state holds, must be.
package struct ArrayInterface: Sendable, Equatable {
  package enum Element: Sendable { case float16, float32, double, int32, int8 }

  package var element: Element
  /// The shape to give unless another is allowed; empty where any may be given.
  package var shape: [Int]
  package var flexibility: Flexibility

  package enum Flexibility: Sendable, Equatable {
    case fixed
    case enumerated([[Int]])
    case ranges([SizeBounds])
  }
}

/// What an image must be.
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

/// The sizes that an axis may have; nil is no end.
package struct SizeBounds: Sendable, Equatable {
  package var least: Int
  package var most: Int?
}
