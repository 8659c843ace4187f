// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime
import Foundation

// MARK: creation

@c @implementation
public func coreml_value_string_dictionary(
  _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ numbers: UnsafePointer<Double>?, _ count: Int,
  _ value: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_string_dictionary", error).make(value, "value") { call in
    try call.dictionary(call.texts(keys, count, "keys"), call.elements(numbers, count, "numbers"))
  }
}

@c @implementation
public func coreml_value_int64_dictionary(
  _ keys: UnsafePointer<Int64>?, _ numbers: UnsafePointer<Double>?, _ count: Int,
  _ value: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_int64_dictionary", error).make(value, "value") { call in
    try call.dictionary(Array(call.elements(keys, count, "keys")), call.elements(numbers, count, "numbers"))
  }
}

extension Call {
  func dictionary<Key: Hashable>(_ keys: [Key], _ numbers: UnsafeBufferPointer<Double>) throws
    -> ValueHandle
  {
    var entries: [AnyHashable: NSNumber] = [:]
    for (key, number) in zip(keys, numbers) {
      guard entries.updateValue(NSNumber(value: number), forKey: key) == nil else {
        throw failure(.value, "the key '\(key)' is given twice")
      }
    }
    return ValueHandle(try MLFeatureValue(dictionary: entries))
  }
}

@c @implementation
public func coreml_value_string_sequence(
  _ items: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ value: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_string_sequence", error).make(value, "value") { call in
    ValueHandle(MLFeatureValue(sequence: MLSequence(strings: try call.texts(items, count, "items"))))
  }
}

@c @implementation
public func coreml_value_int64_sequence(
  _ items: UnsafePointer<Int64>?, _ count: Int, _ value: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_int64_sequence", error).make(value, "value") { call in
    let items = try call.elements(items, count, "items").map { NSNumber(value: $0) }
    return ValueHandle(MLFeatureValue(sequence: MLSequence(int64s: items)))
  }
}

// MARK: reading

@c @implementation
public func coreml_value_get_string_dictionary(
  _ value: OpaquePointer?, _ keys: UnsafeMutablePointer<UnsafePointer<UnsafePointer<CChar>?>?>?,
  _ numbers: UnsafeMutablePointer<UnsafePointer<Double>?>?, _ count: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  keys?.pointee = nil
  numbers?.pointee = nil
  count?.pointee = 0
  return Call("coreml_value_get_string_dictionary", error).run { call in
    let (keys, numbers) = (try call.present(keys, "keys"), try call.present(numbers, "numbers"))
    let count = try call.present(count, "count")
    let view = try call.value(value, .dictionary, items: COREML_STRING).view
    (keys.pointee, numbers.pointee, count.pointee) = (view.texts, view.numbers, view.count)
  }
}

@c @implementation
public func coreml_value_get_int64_dictionary(
  _ value: OpaquePointer?, _ keys: UnsafeMutablePointer<UnsafePointer<Int64>?>?,
  _ numbers: UnsafeMutablePointer<UnsafePointer<Double>?>?, _ count: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  keys?.pointee = nil
  numbers?.pointee = nil
  count?.pointee = 0
  return Call("coreml_value_get_int64_dictionary", error).run { call in
    let (keys, numbers) = (try call.present(keys, "keys"), try call.present(numbers, "numbers"))
    let count = try call.present(count, "count")
    let view = try call.value(value, .dictionary, items: COREML_INT64).view
    (keys.pointee, numbers.pointee, count.pointee) = (view.integers, view.numbers, view.count)
  }
}

@c @implementation
public func coreml_value_get_string_sequence(
  _ value: OpaquePointer?, _ items: UnsafeMutablePointer<UnsafePointer<UnsafePointer<CChar>?>?>?,
  _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  items?.pointee = nil
  count?.pointee = 0
  return Call("coreml_value_get_string_sequence", error).run { call in
    let (items, count) = (try call.present(items, "items"), try call.present(count, "count"))
    let view = try call.value(value, .sequence, items: COREML_STRING).view
    (items.pointee, count.pointee) = (view.texts, view.count)
  }
}

@c @implementation
public func coreml_value_get_int64_sequence(
  _ value: OpaquePointer?, _ items: UnsafeMutablePointer<UnsafePointer<Int64>?>?, _ count: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  items?.pointee = nil
  count?.pointee = 0
  return Call("coreml_value_get_int64_sequence", error).run { call in
    let (items, count) = (try call.present(items, "items"), try call.present(count, "count"))
    let view = try call.value(value, .sequence, items: COREML_INT64).view
    (items.pointee, count.pointee) = (view.integers, view.count)
  }
}
