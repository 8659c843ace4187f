import CoreMLBase
import CoreMLImages
import CoreMLRuntime
import CoreMLServingInterface
import FeatureFiles
import MIL

extension ServingError {
  /// Runs `body` and converts its errors.
  static func converting<Value>(_ body: () throws -> Value) throws(ServingError) -> Value {
    do { return try body() } catch { throw ServingError(describing: error) }
  }

  /// The error of a prediction, with the code that tells whether the request is at fault.
  init(describing error: any Error) {
    switch error {
    case let error as ServingError: self = error
    case let error as MLModelError: self.init(Self.code(error), Self.sentence(error.message))
    case let error as FeatureFileError: self.init(.invalidArgument, Self.sentence(error.message))
    case let error as ImageError:
      self.init(error.code == .outOfMemory ? .exhausted : .invalidArgument, Self.sentence(error.message))
    case is CancellationError: self.init(.cancelled, "The request was cancelled.")
    default: self.init(.failed, Self.sentence("\(error)"))
    }
  }

  private static func code(_ error: MLModelError) -> Code {
    switch error.cause {
    case .inputs: .invalidArgument
    case .memory: .exhausted
    case .cancelled: .cancelled
    case .device, .overTime, .unsupported, .model, .files: .failed
    case .other: error.code == .featureType ? .invalidArgument : .failed
    }
  }

  /// Sentences of the runtime begin in lower case and have no full stop.
  private static func sentence(_ text: String) -> String {
    let text = text.prefix(1).uppercased() + text.dropFirst()
    return text.hasSuffix(".") ? text : text + "."
  }
}
