import CCoreMLRuntime

/// The object behind a C handle. C holds counted references; the last release frees the object.
class Handle {
  /// The name of the C handle type.
  class var typeName: String { "handle" }

  /// A new reference, which the caller owns.
  final var reference: OpaquePointer { OpaquePointer(Unmanaged<Handle>.passRetained(self).toOpaque()) }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
@c @implementation
public func coreml_retain(_ handle: UnsafeRawPointer?) {
  if let handle { _ = Unmanaged<Handle>.fromOpaque(handle).retain() }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
@c @implementation
public func coreml_release(_ handle: UnsafeRawPointer?) {
  if let handle { Unmanaged<Handle>.fromOpaque(handle).release() }
}
