import CoreVideo
import Foundation

/// An error of Vision's Swift interface: a kind and one sentence.
///
/// The sentence names the file, the property or the feature at fault. The older interface throws ``VNFailure``, which
/// also has the underlying error.
public enum VisionError: Error {
  /// Data that the request needs is missing. Never thrown here.
  case dataUnavailable(String)
  /// An internal error of Vision.
  case internalError(String)
  /// A property of the request has an invalid value.
  case invalidArgument(String)
  /// Data has a format that is not accepted. Never thrown here.
  case invalidFormat(String)
  /// The image is damaged, or its format is not supported.
  case invalidImage(String)
  /// The model does not accept an image in the given input.
  case invalidModel(String)
  /// The operation is not possible in this state. Never thrown here.
  case invalidOperation(String)
  /// A file cannot be read.
  case ioError(String)
  /// The model failed.
  case operationFailed(String)
  /// An index is out of bounds. Never thrown here.
  case outOfBoundsError(String)
  /// The image does not fit into memory.
  case outOfMemory(String)
  /// A pixel buffer cannot be created. Never thrown here.
  case pixelBufferCreationFailed(CVReturn)
  /// The task that performs the request was cancelled.
  case requestCancelled(String)
  /// The model took longer than a limit allows.
  case timeout(String)
  /// A video frame has no time stamp. Never thrown here.
  case timeStampNotFound(String)
  /// The request cannot run on the device that was set.
  case unsupportedComputeDevice(String)
  /// The request has no such stage. Never thrown here.
  case unsupportedComputeStage(String)
  /// The type of the request is not supported.
  case unsupportedRequest(String)
  /// The request has no such revision.
  case unsupportedRevision(String)
}

extension VisionError: LocalizedError, CustomStringConvertible {
  /// The message.
  public var errorDescription: String? { description }
  /// The message.
  public var description: String { parts.text }
}

extension VisionError {
  /// Converts an error of the older interface.
  init(_ failure: VNFailure) {
    let text = failure.message
    self =
      switch failure.code {
      case .requestCancelled: .requestCancelled(text)
      case .invalidFormat: .invalidFormat(text)
      case .operationFailed: .operationFailed(text)
      case .outOfBoundsError: .outOfBoundsError(text)
      case .ioError: .ioError(text)
      case .outOfMemory: .outOfMemory(text)
      case .invalidOperation: .invalidOperation(text)
      case .invalidImage: .invalidImage(text)
      case .invalidArgument, .invalidOption, .missingOption: .invalidArgument(text)
      case .invalidModel: .invalidModel(text)
      case .unsupportedRevision: .unsupportedRevision(text)
      case .dataUnavailable: .dataUnavailable(text)
      case .timeStampNotFound: .timeStampNotFound(text)
      case .unsupportedRequest: .unsupportedRequest(text)
      case .timeout: .timeout(text)
      case .turiCore, .ok, .notImplemented, .internalError, .unknownError: .internalError(text)
      }
  }

  /// Runs code of the older interface and converts its errors.
  static func renaming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let failure as VNFailure {
      throw VisionError(failure)
    }
  }
}
