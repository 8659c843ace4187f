// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime

@c @implementation
public func coreml_update_create(
  _ path: UnsafePointer<CChar>?, _ examples: OpaquePointer?, _ options: OpaquePointer?,
  _ events: Int32, _ update: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_update_create", error).make(update, "update") { call in
    let path = try call.path(path, "path")
    let examples: BatchHandle = try call.handle(examples, "examples")
    guard (0...7).contains(events) else {
      throw call.failure(
        .value,
        "the events are \(events), expected a sum of COREML_TRAINING_BEGIN, COREML_EPOCH_END and COREML_MINI_BATCH_END")
    }
    let moments = MLUpdateProgressEvent(rawValue: Int(events))
    return try UpdateHandle(path, examples, try call.configuration(options), moments)
  }
}

@c @implementation
public func coreml_update_run(
  _ update: OpaquePointer?, _ progress: coreml_progress_callback?, _ context: UnsafeMutableRawPointer?,
  _ cancellation: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_update_run", error).run { call in
    let handle: UpdateHandle = try call.handle(update, "update")
    let cancellation: CancellationHandle? = try call.optional(cancellation, "cancellation")
    try handle.run(cancellation, call) { moment in
      guard let progress else { return true }
      var told = coreml_progress(moment)
      return progress(context, update, &told) == 0
    }
  }
}

@c @implementation
public func coreml_update_set_parameter(
  _ update: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ scope: UnsafePointer<CChar>?, _ value: Double,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_update_set_parameter", error).run { call in
    let handle: UpdateHandle = try call.handle(update, "update")
    handle.set(try ParameterKeys.key(name, scope, call), value)
  }
}

@c @implementation
public func coreml_update_model(
  _ update: OpaquePointer?, _ model: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_update_model", error).make(model, "model") { call in
    try ModelHandle(call.handle(update, "update", as: UpdateHandle.self).model(call))
  }
}

@c @implementation
public func coreml_update_write(
  _ update: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_update_write", error).run { call in
    let handle: UpdateHandle = try call.handle(update, "update")
    try handle.model(call).write(to: try call.path(path, "path"))
  }
}

extension coreml_progress {
  fileprivate init(_ context: MLUpdateContext) {
    self.init(
      event: coreml_update_event(context.event.rawValue), epoch: Self.number(context.metrics[.epochIndex]),
      mini_batch: Self.number(context.metrics[.miniBatchIndex]),
      loss: context.metrics[.lossValue] as? Double ?? .nan)
  }

  private static func number(_ metric: Any?) -> Int64 { (metric as? Int).map(Int64.init) ?? -1 }
}
