import CoreMLBase

/// Schemas of features.
enum SchemaTypes {
  /// More nested lists than this are not useful in a schema.
  private static let rankLimit = 32

  static func schema(_ feature: ModelFeature, labels: ModelLabels?, isOutput: Bool) throws -> OrderedJSON {
    let description = ("description", OrderedJSON.string(feature.sentence))
    var members = isOutput ? output(feature.kind) : try input(feature.kind, feature.name)
    switch labels {
    case .strings(let texts): members.append(("enum", .array(texts.map { .string($0) })))
    case .integers(let numbers): members.append(("enum", .array(numbers.map { .integer($0) })))
    case nil: break
    }
    // An output without a value is null or absent. An input without a value is omitted.
    if isOutput, feature.isOptional {
      members = [("anyOf", .array([.object(members), .object([("type", .string("null"))])]))]
    }
    return .object([description] + members)
  }

  private static func input(_ kind: FeatureKind, _ name: String) throws -> [(String, OrderedJSON)] {
    switch kind {
    case .image: return picture
    case .multiArray(let array), .state(let array):
      let bounds = bounds(array)
      guard bounds.count <= rankLimit else {
        throw RuntimeError(
          .unsupported,
          "the input \(name.debugDescription) has \(bounds.count) axes, expected \(rankLimit) at most in a schema")
      }
      return [("anyOf", .array([nested(array.element, bounds), .object(exact(rank: bounds.count))]))]
    default: return output(kind)
    }
  }

  private static func output(_ kind: FeatureKind) -> [(String, OrderedJSON)] {
    switch kind {
    case .int64: [("type", .string("integer"))]
    case .double: number
    case .string: [("type", .string("string"))]
    case .dictionary(let key): dictionary(key)
    case .sequence(let key):
      [
        ("type", .string("array")),
        ("items", .object([("type", .string(key == .int64 ? "integer" : "string"))])),
      ]
    case .image, .multiArray, .state: exact(rank: 0)
    }
  }

  /// Numbers that JSON cannot represent are strings.
  private static let number: [(String, OrderedJSON)] = [
    (
      "anyOf",
      .array([
        .object([("type", .string("number"))]),
        .object([("enum", .array(["NaN", "Infinity", "-Infinity"].map { .string($0) }))]),
      ])
    )
  ]

  /// The path of a picture, alone or in an object.
  private static let picture: [(String, OrderedJSON)] = [
    (
      "anyOf",
      .array([
        .object([("type", .string("string"))]),
        .object([
          ("type", .string("object")),
          ("properties", .object([("image", .object([("type", .string("string"))]))])),
          ("required", .array([.string("image")])), ("additionalProperties", .bool(false)),
        ]),
      ])
    )
  ]

  private static func dictionary(_ key: KeyKind) -> [(String, OrderedJSON)] {
    var members: [(String, OrderedJSON)] = [
      ("type", .string("object")), ("additionalProperties", .object(number)),
    ]
    if key == .int64 { members.append(("propertyNames", .object([("pattern", .string("^-?[0-9]+$"))]))) }
    return members
  }

  // MARK: arrays

  /// An object with shape, type and elements; rank 0 means any rank.
  private static func exact(rank: Int) -> [(String, OrderedJSON)] {
    var shape: [(String, OrderedJSON)] = [
      ("type", .string("array")), ("items", .object([("type", .string("integer")), ("minimum", .integer(0))])),
    ]
    if rank > 0 {
      shape += [("minItems", .integer(Int64(rank))), ("maxItems", .integer(Int64(rank)))]
    }
    let types = ["double", "float64", "float32", "float16", "int32", "int8"]
    return [
      ("type", .string("object")),
      (
        "properties",
        .object([
          ("shape", .object(shape)), ("dataType", .object([("enum", .array(types.map { .string($0) }))])),
          ("data", .object([("type", .string("array"))])),
        ])
      ), ("required", .array(["shape", "dataType", "data"].map { .string($0) })),
      ("additionalProperties", .bool(false)),
    ]
  }

  /// The sizes of each axis; empty if any rank is allowed.
  private static func bounds(_ array: ArrayInterface) -> [SizeBounds] {
    switch array.flexibility {
    case .fixed: return array.shape.map { SizeBounds(least: $0, most: $0) }
    case .ranges(let ranges): return ranges
    case .enumerated(let shapes):
      // The range of each axis over all shapes. With different ranks the schema allows any rank, and the runtime checks
      // it.
      guard let first = shapes.first, shapes.allSatisfy({ $0.count == first.count }) else { return [] }
      return first.indices.map { axis in
        let sizes = shapes.map { $0[axis] }
        return SizeBounds(least: sizes.min() ?? 0, most: sizes.max() ?? 0)
      }
    }
  }

  /// Nested lists with the allowed lengths of the axes; any nesting without a declared shape.
  private static func nested(_ element: ArrayInterface.Element, _ bounds: [SizeBounds]) -> OrderedJSON {
    guard !bounds.isEmpty else { return .object([("type", .array(["array", "number"].map { .string($0) }))]) }
    let isInteger = element == .int32 || element == .int8
    var schema = OrderedJSON.object(isInteger ? [("type", .string("integer"))] : number)
    for bound in bounds.reversed() {
      var members: [(String, OrderedJSON)] = [
        ("type", .string("array")), ("items", schema), ("minItems", .integer(Int64(max(bound.least, 0)))),
      ]
      // No list can have a negative size, so the runtime reports it.
      if let most = bound.most, most >= 0 { members.append(("maxItems", .integer(Int64(most)))) }
      schema = .object(members)
    }
    return schema
  }
}
