/// Lists of tensors (coremltools: `control_flow`). A write past the end extends the list, unless it was made with
/// `dynamic_length` false. The type of an extensible list has no length.
enum ListOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition(
      "make_list",
      [
        .optional("init_length"), Parameter(name: "elem_shape", isOptional: true, isVariadic: true),
        .optional("dynamic_length"), .optional("dtype"),
      ]
    ) { call in
      let scalar = try call.has("dtype") ? call.scalarType("dtype") : .float32
      let shape = try (0..<call.count("elem_shape")).map { index -> Dimension in
        let size = try call.constant("elem_shape", index)
        // A string is a symbol for a size that is only known at run time.
        if size.scalar == .string { return .unknown }
        let values = try call.located { try size.ints() }
        guard let value = values.first, value >= 0 else {
          throw call.error(.invalidArgument, "'elem_shape' \(index) is not a size")
        }
        return Dimension(value)
      }
      var length = Dimension.unknown
      if try !call.bool("dynamic_length", default: true),
        !call.has("init_length") || call.valueIfKnown("init_length") != nil
      {
        length = Dimension(try call.listLength())
      }
      return [.list(.tensor(TensorType(scalar, shape)), length: length)]
    },
    OperationDefinition("list_length", [.required("ls")]) { call in
      _ = try call.list("ls")
      return [.tensor(TensorType(.int32, [Int]()))]
    },
    OperationDefinition("list_read", [.required("ls"), .required("index")]) { call in
      let list = try call.list("ls")
      // An element has concrete sizes even if the list's type leaves them open.
      if case .list(let items, _)? = call.valueIfKnown("ls"), call.valueIfKnown("index") != nil {
        let index = try call.int("index")
        if items.indices.contains(index) { return [items[index].type] }
      }
      return [list.element]
    },
    OperationDefinition("list_write", [.required("ls"), .required("index"), .required("value")]) { call in
      let list = try call.list("ls")
      try requireElement(call.type("value"), of: list.element, call)
      return [.list(list.element, length: .unknown)]
    },
    OperationDefinition("list_gather", [.required("ls"), .required("indices")]) { call in
      guard let element = try call.list("ls").element.tensor else {
        throw call.error(.invalidType, "'ls' is not a list of tensors")
      }
      return [.tensor(TensorType(element.scalar, [try call.length("indices")] + element.shape))]
    },
    OperationDefinition("list_scatter", [.required("ls"), .required("indices"), .required("value")]) { call in
      let list = try call.list("ls")
      let value = try call.tensor("value")
      guard let count = value.shape.first, try call.length("indices").agrees(with: count) else {
        throw call.error(.invalidShape, "'value' is \(value) for the indices \(try call.tensor("indices"))")
      }
      try requireElement(.tensor(TensorType(value.scalar, Array(value.shape.dropFirst()))), of: list.element, call)
      return [.list(list.element, length: .unknown)]
    },
  ]

  private static func requireElement(_ type: ValueType, of element: ValueType, _ call: Invocation) throws {
    guard type.agrees(with: element) else {
      throw call.error(.invalidType, "\(type) cannot be an element of a list of \(element)")
    }
  }
}

extension Invocation {
  package func list(_ name: String) throws -> (element: ValueType, length: Dimension) {
    guard case .list(let element, let length) = try type(name) else {
      throw error(.invalidType, "'\(name)' must be a list, it is \(try type(name))")
    }
    return (element, length)
  }

  /// The initial number of elements of a list. It is limited, so that an untrusted file cannot exhaust memory.
  package func listLength() throws -> Int {
    let length = try int("init_length", default: 1)
    guard length >= 0, length <= Invocation.maximumListLength else {
      throw error(.invalidArgument, "a list of \(length) elements cannot be held")
    }
    return length
  }

  package static let maximumListLength = 1 << 24
}
