// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime
import Foundation

@c @implementation
public func coreml_value_tensor(
  _ element: coreml_element, _ rank: Int, _ shape: UnsafePointer<Int64>?, _ strides: UnsafePointer<Int64>?,
  _ data: UnsafeMutableRawPointer?, _ size: Int, _ released: coreml_memory_callback?,
  _ context: UnsafeMutableRawPointer?, _ value: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_tensor", error).make(value, "value") { call in
    let type = try MLMultiArrayDataType(element, call)
    let layout = try TensorLayout(rank, shape, strides, call)
    let memory = try call.memory(data, size, layout, type)
    let array = try MLMultiArray(
      dataPointer: memory, shape: layout.shape.map { NSNumber(value: $0) }, dataType: type,
      strides: layout.strides.map { NSNumber(value: $0) }, deallocator: released.map { call in { _ in call(context) } })
    return ValueHandle(MLFeatureValue(multiArray: array))
  }
}

@c @implementation
public func coreml_value_zeros(
  _ element: coreml_element, _ rank: Int, _ shape: UnsafePointer<Int64>?,
  _ value: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_zeros", error).make(value, "value") { call in
    let type = try MLMultiArrayDataType(element, call)
    let layout = try TensorLayout(rank, shape, nil, call)
    do {
      return ValueHandle(
        MLFeatureValue(multiArray: try MLMultiArray(shape: layout.shape.map { NSNumber(value: $0) }, dataType: type)))
    } catch let error as MLModelError {
      throw call.failure(.memory, error.message)
    }
  }
}

@c @implementation
public func coreml_value_get_tensor(
  _ value: OpaquePointer?, _ tensor: UnsafeMutablePointer<coreml_tensor>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  tensor?.pointee = coreml_tensor()
  return Call("coreml_value_get_tensor", error).run { call in
    let tensor = try call.present(tensor, "tensor")
    let handle = try call.value(value, .multiArray)
    let array = try call.present(handle.value.multiArrayValue, "value")
    let view = handle.view
    tensor.pointee = coreml_tensor(
      element: coreml_element(array.dataType.rawValue), rank: view.count, shape: view.integers,
      strides: view.integers.map { $0 + view.count }, data: array.dataPointer, size: array.withUnsafeBytes(\.count))
  }
}

extension Call {
  /// The caller's memory for elements of a layout. A layout without elements needs no memory.
  func memory(
    _ data: UnsafeMutableRawPointer?, _ size: Int, _ layout: TensorLayout, _ type: MLMultiArrayDataType
  ) throws -> UnsafeMutableRawPointer {
    let needed = layout.extent * type.byteCount
    guard size >= 0, size >= needed else {
      throw failure(
        .size,
        "\(UInt(bitPattern: size)) bytes are given, and the shape \(layout.shape) with the strides "
          + "\(layout.strides) takes \(needed)")
    }
    let memory = needed == 0 ? data ?? Memory.nothing : try present(data, "data")
    guard Int(bitPattern: memory) % type.byteCount == 0 else {
      throw failure(.size, "the data is not aligned to its elements of \(type.byteCount) bytes")
    }
    return memory
  }
}

enum Memory {
  /// A valid address for empty tensors, aligned for any element type.
  nonisolated(unsafe) static let nothing = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
}
