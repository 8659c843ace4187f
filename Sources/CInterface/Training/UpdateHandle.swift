import CCoreMLRuntime
import CoreMLRuntime
import CoreMLSpec
import Foundation
import Synchronization

/// A training of a model.
// Sendable: the mutable state is behind locks
final class UpdateHandle: Handle, @unchecked Sendable {
  override class var typeName: String { "coreml_update" }

  private let relay = Relay()
  private let task: MLUpdateTask
  /// Parameters that were set before the training started; nil once it has started.
  private let waiting = Mutex<[MLParameterKey: Double]?>([:])
  /// The compiled model if the path is a source. The training reads it until it ends.
  private let folder: TemporaryFolder?

  init(
    _ path: URL, _ examples: BatchHandle, _ configuration: MLModelConfiguration, _ events: MLUpdateProgressEvent
  ) throws {
    var (compiled, folder) = (path, TemporaryFolder?.none)
    // A missing path is reported by the training task, in its own words.
    if let location = try? ModelLocation.open(path.path), !location.isCompiled {
      let made = try TemporaryFolder()
      compiled = try MLModel.compileModel(at: path, into: made.url)
      folder = made
    }
    self.folder = folder
    let relay = self.relay
    do {
      task = try MLUpdateTask(
        forModelAt: compiled, trainingData: examples.provider, configuration: configuration,
        progressHandlers: MLUpdateProgressHandlers(
          forEvents: events, progressHandler: { relay.tell($0) }, completionHandler: { relay.end($0) }))
    } catch let error as MLModelError {
      // The message names the caller's file, not the compiled copy.
      let message = error.message.replacingOccurrences(of: compiled.path, with: path.path)
      throw MLModelError(error.code, message, underlyingCode: error.underlyingCode, underlying: error.underlyingError)
    }
  }

  func set(_ key: MLParameterKey, _ value: Double) {
    let runs = waiting.withLock { waiting in
      waiting?[key] = value
      return waiting == nil
    }
    if runs { task.resume(withParameters: [key: ParameterKeys.number(value)]) }
  }

  func run(_ cancellation: CancellationHandle?, _ call: Call, _ look: (MLUpdateContext) -> Bool) throws {
    let parameters = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    guard let parameters else { throw call.failure(.order, "the training was run before: make another") }
    let task = self.task
    func train() -> MLUpdateContext {
      task.resume(withParameters: parameters.mapValues(ParameterKeys.number))
      return relay.wait { context in if !look(context) { task.cancel() } }
    }
    let end = cancellation?.telling({ task.cancel() }, train) ?? train()
    if let error = end.task.error { throw error }
  }

  /// The model in its current state of training.
  func model(_ call: Call) throws -> any MLModel & MLWritable {
    guard let context = relay.context else {
      throw call.failure(
        .order, "there is no model: the training has not succeeded, and this is not one of its callbacks")
    }
    return context.model
  }
}

extension ModelLocation {
  fileprivate var isCompiled: Bool {
    if case .compiled = self { true } else { false }
  }
}
