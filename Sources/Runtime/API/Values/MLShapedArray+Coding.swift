extension MLShapedArray: Equatable where Scalar: Equatable {
  /// Whether the shapes and all scalars are equal, whatever the memory layouts.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.shape == rhs.shape && lhs.scalars == rhs.scalars }
}

extension MLShapedArraySlice: Equatable where Scalar: Equatable {
  /// Whether the shapes and all scalars are equal, whatever the memory layouts.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.shape == rhs.shape && lhs.scalars == rhs.scalars }
}

extension MLShapedArray: CustomStringConvertible {
  /// The scalars in nested brackets, one level per axis.
  public var description: String {
    let scalars = self.scalars
    func text(_ shape: ArraySlice<Int>, _ place: Int) -> String {
      guard let size = shape.first else { return "\(scalars[place])" }
      let rest = shape.dropFirst()
      let step = rest.reduce(1, *)
      return "[" + (0..<size).map { text(rest, place + $0 * step) }.joined(separator: ", ") + "]"
    }
    return text(shape[...], 0)
  }
}

private enum ShapedArrayKey: String, CodingKey {
  case shape
  case scalars
}

extension MLShapedArrayProtocol where Scalar: Encodable {
  fileprivate func encode(scalarsTo encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ShapedArrayKey.self)
    try container.encode(shape, forKey: .shape)
    try container.encode(scalars, forKey: .scalars)
  }
}

extension MLShapedArrayProtocol where Scalar: Decodable {
  fileprivate init(scalarsFrom decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: ShapedArrayKey.self)
    let shape = try container.decode([Int].self, forKey: .shape)
    let scalars = try container.decode([Scalar].self, forKey: .scalars)
    guard ShapedLayout.count(shape) == scalars.count else {
      throw DecodingError.dataCorruptedError(
        forKey: .scalars, in: container, debugDescription: "\(scalars.count) scalars do not have the shape \(shape)")
    }
    self.init(scalars: scalars, shape: shape)
  }
}

extension MLShapedArray: Encodable where Scalar: Encodable {
  /// Encodes the shape and the scalars in first-major order.
  public func encode(to encoder: any Encoder) throws { try encode(scalarsTo: encoder) }
}

extension MLShapedArray: Decodable where Scalar: Decodable {
  /// - Throws: `DecodingError` if the number of scalars does not match the shape.
  public init(from decoder: any Decoder) throws { try self.init(scalarsFrom: decoder) }
}

extension MLShapedArraySlice: Encodable where Scalar: Encodable {
  /// Encodes the shape and the scalars in first-major order.
  public func encode(to encoder: any Encoder) throws { try encode(scalarsTo: encoder) }
}

extension MLShapedArraySlice: Decodable where Scalar: Decodable {
  /// - Throws: `DecodingError` if the number of scalars does not match the shape.
  public init(from decoder: any Decoder) throws { try self.init(scalarsFrom: decoder) }
}
