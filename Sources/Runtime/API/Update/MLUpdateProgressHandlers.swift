import Foundation

/// What an update task calls, on its own thread.
// Sendable: immutable; the task calls the handlers one at a time
open class MLUpdateProgressHandlers: NSObject, @unchecked Sendable {
  let events: MLUpdateProgressEvent
  let progress: ((MLUpdateContext) -> Void)?
  let completion: (MLUpdateContext) -> Void

  /// Handlers for some moments of a training, and for its end.
  ///
  /// - Parameters:
  ///   - interestedEvents: the moments at which `progressHandler` is called.
  ///   - progressHandler: may change parameters with `context.task.resume(withParameters:)`; they hold from the next mini-batch on.
  ///   - completionHandler: called once, when the task has completed or failed: `context.task.error` tells.
  public init(
    forEvents interestedEvents: MLUpdateProgressEvent, progressHandler: ((MLUpdateContext) -> Void)?,
    completionHandler: @escaping (MLUpdateContext) -> Void
  ) {
    events = interestedEvents
    progress = progressHandler
    completion = completionHandler
    super.init()
  }
}
