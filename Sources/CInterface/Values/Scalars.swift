// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime

@c @implementation
public func coreml_value_int64(
  _ number: Int64, _ value: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_int64", error).make(value, "value") { _ in ValueHandle(MLFeatureValue(int64: number)) }
}

@c @implementation
public func coreml_value_double(
  _ number: Double, _ value: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_double", error).make(value, "value") { _ in ValueHandle(MLFeatureValue(double: number)) }
}

@c @implementation
public func coreml_value_string(
  _ text: UnsafePointer<CChar>?, _ length: Int, _ value: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_value_string", error).make(value, "value") { call in
    ValueHandle(MLFeatureValue(string: try call.text(text, count: length, "text")))
  }
}

@c @implementation
public func coreml_value_get_int64(
  _ value: OpaquePointer?, _ number: UnsafeMutablePointer<Int64>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  number?.pointee = 0
  return Call("coreml_value_get_int64", error).run { call in
    try call.present(number, "number").pointee = try call.value(value, .int64).value.int64Value
  }
}

@c @implementation
public func coreml_value_get_double(
  _ value: OpaquePointer?, _ number: UnsafeMutablePointer<Double>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  number?.pointee = 0
  return Call("coreml_value_get_double", error).run { call in
    try call.present(number, "number").pointee = try call.value(value, .double).value.doubleValue
  }
}

@c @implementation
public func coreml_value_get_string(
  _ value: OpaquePointer?, _ text: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ length: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  text?.pointee = nil
  length?.pointee = 0
  return Call("coreml_value_get_string", error).run { call in
    let text = try call.present(text, "text")
    let view = try call.value(value, .string).view
    text.pointee = view.texts?.pointee
    length?.pointee = view.count
  }
}
