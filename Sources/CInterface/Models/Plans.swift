// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime

@c @implementation
public func coreml_model_plan(
  _ model: OpaquePointer?, _ inputs: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  json?.pointee = nil
  return Call("coreml_model_plan", error).run { call in
    let json = try call.present(json, "json")
    let model: ModelHandle = try call.handle(model, "model")
    let inputs = try call.optional(inputs, "inputs", as: FeaturesHandle.self).map { FeatureRow($0.set) }
    json.pointee = try call.json(model.model.plan(for: inputs))
  }
}

@c @implementation
public func coreml_model_profile(
  _ model: OpaquePointer?, _ inputs: OpaquePointer?, _ iterations: Int,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  json?.pointee = nil
  return Call("coreml_model_profile", error).run { call in
    let json = try call.present(json, "json")
    let model: ModelHandle = try call.handle(model, "model")
    let inputs = FeatureRow(try call.handle(inputs, "inputs", as: FeaturesHandle.self).set)
    guard iterations >= 0, iterations <= 1_000_000 else {
      throw call.failure(.value, "\(UInt(bitPattern: iterations)) iterations are more than 1000000")
    }
    json.pointee = try call.json(StepProfile(model.model, input: inputs, iterations: iterations))
  }
}

@c @implementation
public func coreml_structure(
  _ path: UnsafePointer<CChar>?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  json?.pointee = nil
  return Call("coreml_structure", error).run { call in
    let json = try call.present(json, "json")
    let path = try call.path(path, "path")
    json.pointee = try call.json(ModelInspection(modelAt: path, configuration: MLModelConfiguration()).structure())
  }
}

@c @implementation
public func coreml_devices(
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  json?.pointee = nil
  return Call("coreml_devices", error).run { call in
    let json = try call.present(json, "json")
    json.pointee = try call.json(DeviceListing())
  }
}
