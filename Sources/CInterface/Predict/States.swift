// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime

/// The states of a model between predictions.
// Sendable: a state does its own locking
final class StateHandle: Handle, @unchecked Sendable {
  override class var typeName: String { "coreml_state" }

  let state: MLState

  init(_ model: ModelHandle) { state = model.model.makeState() }
}

@c @implementation
public func coreml_state_create(
  _ model: OpaquePointer?, _ state: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_state_create", error).make(state, "state") { call in StateHandle(try call.handle(model, "model")) }
}

@c @implementation
public func coreml_state_read(
  _ state: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ tensor: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_state_read", error).make(tensor, "tensor") { call in
    let (handle, name) = try call.state(state, name)
    return ValueHandle(MLFeatureValue(multiArray: try handle.state.read(name)))
  }
}

@c @implementation
public func coreml_state_write(
  _ state: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ tensor: OpaquePointer?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_state_write", error).run { call in
    let (handle, name) = try call.state(state, name)
    let array = try call.value(tensor, .multiArray).value.multiArrayValue
    try handle.state.write(name, from: try call.present(array, "tensor"))
  }
}

extension Call {
  fileprivate func state(_ pointer: OpaquePointer?, _ name: UnsafePointer<CChar>?) throws -> (StateHandle, String) {
    let handle: StateHandle = try handle(pointer, "state")
    let name = try text(name, "name")
    let known = handle.state.stateNames
    guard known.contains(name) else {
      throw failure(
        .missing, "the model has no state '\(name)'; it has \(known.isEmpty ? "none" : known.joined(separator: ", "))")
    }
    return (handle, name)
  }
}
