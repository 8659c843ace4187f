/// Schemas of features.
enum SchemaTypes {
  static func schema(_ feature: ModelFeature, labels: ModelLabels?, isOutput: Bool) -> OrderedJSON {
    var members = members(feature.kind, isOutput: isOutput)
    members.insert(("description", .string(feature.sentence)), at: 0)
    switch labels {
    case .strings(let texts): members.append(("enum", .array(texts.map { .string($0) })))
    case .integers(let numbers): members.append(("enum", .array(numbers.map { .integer($0) })))
    case nil: break
    }
    return .object(members)
  }

  private static func members(_ kind: FeatureKind, isOutput: Bool) -> [(String, OrderedJSON)] {
    switch kind {
    case .int64: [("type", .string("integer"))]
    case .double: isOutput ? [("anyOf", .array([.object([("type", .string("number"))]), noNumber]))] : [number]
    case .string: [("type", .string("string"))]
    case .dictionary(let key): dictionary(key)
    case .sequence(let key):
      [
        ("type", .string("array")),
        ("items", .object([("type", .string(key == .int64 ? "integer" : "string"))])),
      ]
    case .image: isOutput ? exact(shape: nil) : picture
    case .multiArray(let array), .state(let array):
      isOutput ? exact(shape: nil) : [("anyOf", .array([nested(array), .object(exact(shape: array.shape.count))]))]
    }
  }

  private static let number: (String, OrderedJSON) = ("type", .string("number"))

  /// Numbers that JSON has no word for are written as strings.
  private static let noNumber = OrderedJSON.object([
    ("enum", .array(["NaN", "Infinity", "-Infinity"].map { .string($0) }))
  ])

  private static let picture: [(String, OrderedJSON)] = [
    ("type", .string("object")),
    ("properties", .object([("image", .object([("type", .string("string"))]))])),
    ("required", .array([.string("image")])), ("additionalProperties", .bool(false)),
  ]

  private static func dictionary(_ key: KeyKind) -> [(String, OrderedJSON)] {
    var members: [(String, OrderedJSON)] = [
      ("type", .string("object")), ("additionalProperties", .object([number])),
    ]
    if key == .int64 { members.append(("propertyNames", .object([("pattern", .string("^-?[0-9]+$"))]))) }
    return members
  }

  // MARK: arrays

  /// Shape, type and elements beside each other.
  private static func exact(shape rank: Int?) -> [(String, OrderedJSON)] {
    var shape: [(String, OrderedJSON)] = [
      ("type", .string("array")), ("items", .object([("type", .string("integer")), ("minimum", .integer(0))])),
    ]
    if let rank, rank > 0 {
      shape += [("minItems", .integer(Int64(rank))), ("maxItems", .integer(Int64(rank)))]
    }
    let types = ["double", "float64", "float32", "float16", "int32", "int8", "uint8"]
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

  /// Lists in lists, as long as the axes may be; of any depth where the model has no shape for them.
  private static func nested(_ array: ArrayForm) -> OrderedJSON {
    var bounds: [SizeBounds] = []
    switch array.flexibility {
    case .fixed: bounds = array.shape.map { SizeBounds(least: $0, most: $0) }
    case .ranges(let ranges): bounds = ranges
    case .enumerated(let shapes):
      // Each axis as long as some shape has it; shapes of different ranks are told by the runtime.
      guard let first = shapes.first, shapes.allSatisfy({ $0.count == first.count }) else { break }
      bounds = first.indices.map { axis in
        let sizes = shapes.map { $0[axis] }
        return SizeBounds(least: sizes.min() ?? 0, most: sizes.max() ?? 0)
      }
    }
    guard !bounds.isEmpty else { return .object([("type", .array(["array", "number"].map { .string($0) }))]) }
    let isInteger = array.element == .int32 || array.element == .int8
    var schema = OrderedJSON.object([("type", .string(isInteger ? "integer" : "number"))])
    for bound in bounds.reversed() {
      var members: [(String, OrderedJSON)] = [
        ("type", .string("array")), ("items", schema), ("minItems", .integer(Int64(bound.least))),
      ]
      if let most = bound.most { members.append(("maxItems", .integer(Int64(most)))) }
      schema = .object(members)
    }
    return schema
  }
}
