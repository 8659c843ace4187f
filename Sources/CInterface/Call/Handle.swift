import CCoreMLRuntime

/// What a handle of the interface refers to. C holds references; the last one that is released ends the object.
class Handle {
  /// What C calls a handle of the class.
  class var typeName: String { "handle" }

  /// A new reference, for the caller.
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
