import Foundation

/// The handlers of an update task. The task calls them on its own thread.
// Sendable: immutable; the task calls the handlers one at a time
open class MLUpdateProgressHandlers: NSObject, @unchecked Sendable {
  let events: MLUpdateProgressEvent
  let progress: ((MLUpdateContext) -> Void)?
  let completion: (MLUpdateContext) -> Void

  /// Creates handlers for some events of a training and for its end.
  ///
  /// - Parameters:
  ///   - interestedEvents: the events for which `progressHandler` is called.
  ///   - progressHandler: may change parameters with `context.task.resume(withParameters:)`. They take effect from the
  ///     next mini-batch on.
  ///   - completionHandler: called once, when the task has completed or failed. `context.task.error` tells which.
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
