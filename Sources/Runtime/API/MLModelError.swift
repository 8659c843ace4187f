import CoreMLKernels
import CoreMLSpec
import Foundation
import MIL

/// The domain of `MLModelError` as an `NSError`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let MLModelErrorDomain = "com.apple.CoreML"

/// What the API throws: Core ML's code, and beneath it this project's error with a stable code and a sentence that names the file,
/// feature, layer or operation.
public struct MLModelError: Error, CustomNSError, LocalizedError, Sendable {
  public enum Code: Int, Sendable {
    case generic = 0
    case featureType = 1
    case io = 3
    case customLayer = 4
    case customModel = 5
    case update = 6
    case parameters = 7
    case modelDecryptionKeyFetch = 8
    case modelDecryption = 9
    case modelCollection = 10
    case predictionCancelled = 11
  }

  public let code: Code
  /// One sentence.
  public let message: String
  /// A stable word for the cause, such as `runtime.unsupported`.
  public let underlyingCode: String
  public let underlyingError: (any Error)?

  public init(
    _ code: Code, _ message: String, underlyingCode: String = "runtime.generic", underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.underlyingCode = underlyingCode
    underlyingError = underlying
  }

  public static var errorDomain: String { MLModelErrorDomain }
  public var errorCode: Int { code.rawValue }
  public var errorDescription: String? { message }
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: message]
    if let underlyingError { info[NSUnderlyingErrorKey] = underlyingError }
    return info
  }

  /// An error within a training: whatever an example is guilty of is the update's failure.
  static func ofTraining(_ error: any Error) -> any Error {
    guard let error = error as? MLModelError, error.code == .featureType else { return error }
    return MLModelError(.update, error.message, underlyingCode: error.underlyingCode, underlying: error.underlyingError)
  }

  /// Runs `body`; what it throws comes out as an `MLModelError`.
  static func wrapping<Result>(_ fallback: Code, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as MLModelError {
      throw error
    } catch let error as RuntimeError {
      let code: Code
      switch error.code {
      case .invalidInput: code = .featureType
      case .io: code = .io
      case .cancelled: code = .predictionCancelled
      case .closedModelType: code = .generic
      case .customLayer: code = .customLayer
      case .customModel: code = .customModel
      default: code = fallback
      }
      throw MLModelError(code, "\(error)", underlyingCode: error.code.rawValue, underlying: error)
    } catch let error as SpecError {
      let code: Code = error.code == .encrypted ? .modelDecryption : .io
      throw MLModelError(code, "\(error)", underlyingCode: error.code.rawValue, underlying: error)
    } catch let error as MILError {
      let code = error.code == .cancelled ? Code.predictionCancelled : fallback
      throw MLModelError(code, "\(error)", underlyingCode: error.code.rawValue, underlying: error)
    } catch let error as KernelError {
      throw MLModelError(fallback, "\(error)", underlyingCode: error.code.rawValue, underlying: error)
    } catch {
      throw MLModelError(fallback, "\(error.localizedDescription)", underlying: error)
    }
  }
}
