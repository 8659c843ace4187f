// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime

@c @implementation
public func coreml_predict(
  _ model: OpaquePointer?, _ inputs: OpaquePointer?, _ options: UnsafePointer<coreml_predict_options>?,
  _ outputs: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_predict", error).make(outputs, "outputs") { call in
    let model: ModelHandle = try call.handle(model, "model")
    let inputs = FeatureRow(try call.handle(inputs, "inputs", as: FeaturesHandle.self).set)
    let options = try PredictOptions(options, call)
    let prediction = try options.forPrediction(of: model.model, call)
    let result = try options.predict(model, inputs, prediction, call)
    return FeaturesHandle(FeatureSet(result, outputs: model.outputNames))
  }
}

@c @implementation
public func coreml_predict_batch(
  _ model: OpaquePointer?, _ inputs: OpaquePointer?, _ options: UnsafePointer<coreml_predict_options>?,
  _ outputs: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_predict_batch", error).make(outputs, "outputs") { call in
    let model: ModelHandle = try call.handle(model, "model")
    let inputs = try call.handle(inputs, "inputs", as: BatchHandle.self).provider
    let options = try PredictOptions(options, call)
    guard options.state == nil, options.backings == nil else {
      throw call.failure(.value, "a batch takes neither a state nor backings")
    }
    func run() throws -> any MLBatchProvider { try model.model.predictions(fromBatch: inputs) }
    let results = try options.cancellation?.during(call, run) ?? run()
    return BatchHandle(
      (0..<results.count).map { FeatureSet(results.features(at: $0), outputs: model.outputNames) })
  }
}
