import CoreMLBase
import MIL

enum ListsReference {
  static let all: [Reference] = [
    Reference("make_list") { call in
      guard case .list(let element, _)? = call.outputs.first, let type = element.tensor else {
        throw call.invocation.error(.invalidType, "its result is not a list of tensors")
      }
      // Elements that were never written are zero, with no elements where a size is open.
      let shape = type.shape.map { $0.value ?? 0 }
      return [.list(try .empty(try call.invocation.listLength(), type.scalar, shape), element: element)]
    },
    Reference("list_length") { call in [.int32(try call.items().count)] },
    Reference("list_read") { call in
      let items = try call.items()
      return [items[try call.position(call.invocation.int("index"), in: items.count)]]
    },
    Reference("list_write") { call in
      var items = try call.copiedItems()
      try call.write(call.value("value"), at: call.invocation.int("index"), into: &items)
      return [.list(items, element: try call.invocation.list("ls").element)]
    },
    Reference("list_gather") { call in
      let items = try call.items()
      let indices = try call.invocation.ints("indices")
      let tensors = try indices.map { index -> Tensor in
        guard let tensor = items[try call.position(index, in: items.count)].tensor else {
          throw call.invocation.error(.invalidType, "'ls' is not a list of tensors")
        }
        return tensor
      }
      guard let first = tensors.first else {
        let type = try call.outputType()
        return [.tensor(try Tensor.zeros(type.scalar, shape: [0] + type.shape.dropFirst().map { $0.value ?? 0 }))]
      }
      for next in tensors where next.type != first.type {
        throw call.invocation.error(
          .invalidShape, "the elements are \(first.type) and \(next.type): they must be alike")
      }
      return [.tensor(try Tensor.joined(tensors).reshaped([tensors.count] + first.shape))]
    },
    Reference("list_scatter") { call in
      var items = try call.copiedItems()
      let value = try call.tensor("value")
      let indices = try call.invocation.ints("indices")
      guard value.shape.first == indices.count else {
        throw call.invocation.error(.invalidShape, "'value' is \(value.type) for \(indices.count) indices")
      }
      let shape = Array(value.shape.dropFirst())
      let size = shape.reduce(1, *)
      for (row, index) in indices.enumerated() {
        let strides = rowMajorStrides(shape)
        let part = try value.moved(to: shape) { dot($0, strides) + row * size }
        try call.write(.tensor(part), at: index, into: &items)
      }
      return [.list(items, element: try call.invocation.list("ls").element)]
    },
  ]
}

extension [Value] {
  /// `count` zero elements. Their shared storage holds the array's share of the memory budget as long as any of them is
  /// alive.
  fileprivate static func empty(_ count: Int, _ scalar: ScalarType, _ shape: [Int]) throws -> [Value] {
    try admit(count)
    let type = try TensorType(scalar, shape).validated("an element of a list")
    guard scalar != .string, let bytes = type.byteCount else {
      return Array(repeating: .tensor(try .zeros(scalar, shape: shape)), count: count)
    }
    let storage = try TensorStorage(
      byteCount: bytes, holding: count * MemoryLayout<Value>.stride, for: purpose(count))
    return Array(repeating: .tensor(try Tensor(scalar, shape: shape, storage: storage)), count: count)
  }

  /// Throws if the memory budget has no space for an array of `count` elements. The allocation itself cannot fail.
  fileprivate static func admit(_ count: Int) throws {
    try MemoryBudget.current.admit(count, of: MemoryLayout<Value>.stride, for: purpose(count))
  }

  private static func purpose(_ count: Int) -> String { "a list of \(count) elements" }
}

extension ReferenceCall {
  fileprivate func items() throws -> [Value] {
    guard case .list(let items, _) = try value("ls") else { throw invocation.error(.invalidType, "'ls' is not a list") }
    return items
  }

  /// The elements, for a caller that copies the array.
  fileprivate func copiedItems() throws -> [Value] {
    let items = try items()
    try [Value].admit(items.count)
    return items
  }

  fileprivate func position(_ index: Int, in count: Int) throws -> Int {
    guard index >= 0, index < count else {
      throw KernelError(
        .invalidInput, "\(invocation.operation.label): the index \(index) is outside of a list of \(count) elements")
    }
    return index
  }

  /// Writes an element. The list grows by zero elements up to the index.
  fileprivate func write(_ value: Value, at index: Int, into items: inout [Value]) throws {
    guard index >= 0, index < Invocation.maximumListLength else { _ = try position(index, in: items.count); return }
    if index >= items.count {
      guard let type = value.tensor?.type else { throw invocation.error(.invalidType, "'value' is not a tensor") }
      try [Value].admit(index + 1)
      items += try .empty(index + 1 - items.count, type.scalar, type.concreteShape ?? [])
    }
    items[index] = value
  }
}
