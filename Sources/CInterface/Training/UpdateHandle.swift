import CCoreMLRuntime
import CoreMLRuntime
import CoreMLSpec
import Foundation
import Synchronization

/// A training of a model.
// Sendable: what changes is behind locks
final class UpdateHandle: Handle, @unchecked Sendable {
  override class var typeName: String { "coreml_update" }

  private let relay = Relay()
  private let task: MLUpdateTask
  /// Parameters that were set before the training began; nil once it has.
  private let waiting = Mutex<[MLParameterKey: Double]?>([:])
  /// The compiled model, where a source was given: the training reads it while it lasts.
  private let folder: TemporaryFolder?

  init(
    _ path: URL, _ examples: BatchHandle, _ configuration: MLModelConfiguration, _ events: MLUpdateProgressEvent
  ) throws {
    var (compiled, folder) = (path, TemporaryFolder?.none)
    // A path where nothing stands is refused by the training, in its own words.
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
      // Of the file that the caller knows.
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

  /// The model as the training has made it.
  func model(_ call: Call) throws -> any MLModel & MLWritable {
    guard let context = relay.context else {
      throw call.failure(
        .order, "there is no model: the training has not ended well, and this is none of its callbacks")
    }
    return context.model
  }
}

extension ModelLocation {
  fileprivate var isCompiled: Bool {
    if case .compiled = self { true } else { false }
  }
}
