import CoreVideo
import Foundation

/// An error of Vision's Swift interface: a kind and one sentence.
///
/// The sentence names the file, the property or the feature at fault. The older interface throws ``VNFailure``, which keeps the error beneath.
public enum VisionError: Error {
  /// Data that the request needs is missing. Never thrown here.
  case dataUnavailable(String)
  /// Vision itself is at fault.
  case internalError(String)
  /// A property of the request has a value that it cannot have.
  case invalidArgument(String)
  /// Data has a format that is not accepted. Never thrown here.
  case invalidFormat(String)
  /// The image is damaged, or in a form that is not known here.
  case invalidImage(String)
  /// The model takes no image where it is given one.
  case invalidModel(String)
  /// The operation is not possible in this state. Never thrown here.
  case invalidOperation(String)
  /// A file cannot be read.
  case ioError(String)
  /// The model failed.
  case operationFailed(String)
  /// An index or a place lies outside its bounds. Never thrown here.
  case outOfBoundsError(String)
  /// The image does not fit in memory.
  case outOfMemory(String)
  /// A pixel buffer cannot be made. Never thrown here.
  case pixelBufferCreationFailed(CVReturn)
  /// The task that performs the request was cancelled.
  case requestCancelled(String)
  /// The model took longer than a limit allows.
  case timeout(String)
  /// A frame of a video has no time. Never thrown here.
  case timeStampNotFound(String)
  /// The request cannot run on the device that it was given.
  case unsupportedComputeDevice(String)
  /// The request has no such stage. Never thrown here.
  case unsupportedComputeStage(String)
  /// The type of the request is not known here.
  case unsupportedRequest(String)
  /// There is no such revision of the request.
  case unsupportedRevision(String)
}

extension VisionError: LocalizedError, CustomStringConvertible {
  /// The sentence.
  public var errorDescription: String? { description }
  /// The sentence.
  public var description: String { parts.text }
}

extension VisionError {
  /// The error of the older interface under its new name.
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

  /// Runs code of the older interface and renames its errors.
  static func renaming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let failure as VNFailure {
      throw VisionError(failure)
    }
  }
}
