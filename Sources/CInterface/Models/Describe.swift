// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime

@c @implementation
public func coreml_model_feature_count(
  _ model: OpaquePointer?, _ role: coreml_role, _ count: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  count?.pointee = 0
  return Call("coreml_model_feature_count", error).run { call in
    let count = try call.present(count, "count")
    count.pointee = try call.handle(model, "model", as: ModelHandle.self).view.features(role, call).count
  }
}

@c @implementation
public func coreml_model_feature(
  _ model: OpaquePointer?, _ role: coreml_role, _ index: Int, _ feature: UnsafeMutablePointer<coreml_feature>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_model_feature", error).run { call in
    let feature = try call.present(feature, "feature")
    try Sized.write(coreml_feature(), to: feature, call)
    let features = try call.handle(model, "model", as: ModelHandle.self).view.features(role, call)
    try Sized.write(features[try call.index(index, features.count)], to: feature, call)
  }
}

@c @implementation
public func coreml_model_describe(
  _ model: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  json?.pointee = nil
  return Call("coreml_model_describe", error).run { call in
    let json = try call.present(json, "json")
    let model: ModelHandle = try call.handle(model, "model")
    json.pointee = try model.view.text(of: model.model)
  }
}

@c @implementation
public func coreml_model_metadata(
  _ model: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ text: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  text?.pointee = nil
  return Call("coreml_model_metadata", error).run { call in
    let text = try call.present(text, "text")
    let model: ModelHandle = try call.handle(model, "model")
    text.pointee = model.view.metadata[try call.text(key, "key")]
  }
}

@c @implementation
public func coreml_model_class_labels(
  _ model: OpaquePointer?, _ labels: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  labels?.pointee = nil
  return Call("coreml_model_class_labels", error).run { call in
    let labels = try call.present(labels, "labels")
    labels.pointee = try call.handle(model, "model", as: ModelHandle.self).view.classLabels?.reference
  }
}

@c @implementation
public func coreml_model_predicted(
  _ model: OpaquePointer?, _ feature: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
  _ probabilities: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  feature?.pointee = nil
  probabilities?.pointee = nil
  return Call("coreml_model_predicted", error).run { call in
    let (feature, probabilities) = (
      try call.present(feature, "feature"), try call.present(probabilities, "probabilities")
    )
    let view = try call.handle(model, "model", as: ModelHandle.self).view
    (feature.pointee, probabilities.pointee) = (view.predictedFeature, view.predictedProbabilities)
  }
}
