// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime

// Keys and items with explicit lengths: they may contain zero bytes.

@c @implementation
public func coreml_value_sized_string_dictionary(
  _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int>?, _ numbers: UnsafePointer<Double>?,
  _ count: Int, _ value: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_sized_string_dictionary", error).make(value, "value") { call in
    try call.dictionary(call.texts(keys, lengths, count, "keys"), call.elements(numbers, count, "numbers"))
  }
}

@c @implementation
public func coreml_value_sized_string_sequence(
  _ items: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int>?, _ count: Int,
  _ value: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_sized_string_sequence", error).make(value, "value") { call in
    ValueHandle(MLFeatureValue(sequence: MLSequence(strings: try call.texts(items, lengths, count, "items"))))
  }
}

@c @implementation
public func coreml_value_get_string_lengths(
  _ value: OpaquePointer?, _ lengths: UnsafeMutablePointer<UnsafePointer<Int>?>?,
  _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  lengths?.pointee = nil
  count?.pointee = 0
  return Call("coreml_value_get_string_lengths", error).run { call in
    let (lengths, count) = (try call.present(lengths, "lengths"), try call.present(count, "count"))
    let handle: ValueHandle = try call.handle(value, "value")
    guard handle.hasItems(COREML_STRING) else {
      throw call.failure(
        .kind, "the value is of kind \(handle.value.type.word), expected a dictionary or a sequence of texts")
    }
    let view = handle.view
    (lengths.pointee, count.pointee) = (view.lengths, view.count)
  }
}

extension Call {
  /// The caller's strings with explicit lengths.
  fileprivate func texts(
    _ pointer: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int>?, _ count: Int,
    _ argument: StaticString
  ) throws -> [String] {
    try zip(elements(pointer, count, argument), elements(lengths, count, "lengths")).map { text, length in
      try self.text(present(text, argument), count: length, argument)
    }
  }
}
