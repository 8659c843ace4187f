import CoreMLBase
import CoreMLKernels
import CoreMLSpec
import Foundation
import MIL

/// The domain of `MLModelError` as an `NSError`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let MLModelErrorDomain = "com.apple.CoreML"

/// The error type of the API. It has one of Core ML's codes and wraps this project's error. The wrapped error has a
/// stable code and names the file, feature, layer or operation.
///
/// `catch MLModelError.io` catches by code, as on Apple's systems.
// Sendable: immutable; the user info of errors created here holds strings and errors
public struct MLModelError: Error, CustomNSError, LocalizedError, CustomStringConvertible, Hashable, @unchecked Sendable
{
  /// Core ML's codes.
  public enum Code: Int, Sendable {
    /// An error that no other code covers.
    case generic = 0
    /// A feature is missing or does not match the model's description.
    case featureType = 1
    /// A file cannot be read or written, or is not a model.
    case io = 3
    /// A custom layer is missing or failed.
    case customLayer = 4
    /// A custom model is missing or failed.
    case customModel = 5
    /// Training failed.
    case update = 6
    /// The model does not have the parameter, or does not allow its value.
    case parameters = 7
    /// The key of an encrypted model cannot be fetched.
    case modelDecryptionKeyFetch = 8
    /// An encrypted model cannot be decrypted.
    case modelDecryption = 9
    /// A model collection cannot be accessed.
    case modelCollection = 10
    /// The prediction was cancelled or exceeded its time limit.
    case predictionCancelled = 11

    /// Whether an error is an `MLModelError` or an `NSError` of its domain with this code. `catch MLModelError.io` uses
    /// this operator.
    public static func ~= (code: Code, error: any Error) -> Bool {
      let error = error as NSError
      return error.domain == MLModelErrorDomain && error.code == code.rawValue
    }
  }

  /// The code of the error.
  public let code: Code
  /// The user info of the error as an `NSError`: the description and the underlying error.
  public let userInfo: [String: Any]
  /// One sentence that describes the error.
  public let message: String
  /// The stable code of the cause, for example `runtime.unsupported`.
  public let underlyingCode: String
  /// The wrapped error.
  public var underlyingError: (any Error)? { userInfo[NSUnderlyingErrorKey] as? any Error }

  /// Creates an error with a message and a cause.
  ///
  /// - Parameter phrase: Core ML's wording for this case, which precedes the message in `localizedDescription`.
  public init(
    _ code: Code, _ message: String, underlyingCode: String = "runtime.generic", underlying: (any Error)? = nil,
    phrase: String? = nil
  ) {
    self.code = code
    self.message = message
    self.underlyingCode = underlyingCode
    var info: [String: Any] = [NSLocalizedDescriptionKey: phrase.map { "\($0): \(message)" } ?? message]
    if let underlying {
      info[NSUnderlyingErrorKey] = underlying
    } else if underlyingCode != Self.noUnderlyingCode {
      // Keeps the stable code when the error is converted to an `NSError`.
      info[NSUnderlyingErrorKey] = RuntimeError(RuntimeError.Code(rawValue: underlyingCode), message)
    }
    userInfo = info
  }

  private static let noUnderlyingCode = "runtime.generic"

  /// Creates an error with a code and the user info of an `NSError`.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    self.userInfo = userInfo
    let underlying = userInfo[NSUnderlyingErrorKey].flatMap(Self.coded)
    underlyingCode = underlying?.word ?? Self.noUnderlyingCode
    let sentence =
      userInfo[NSLocalizedDescriptionKey] as? String
      ?? "The operation couldn’t be completed. (\(MLModelErrorDomain) error \(code.rawValue).)"
    // Removes the phrase of Core ML that precedes the message.
    message = underlying.flatMap { sentence.hasSuffix(": \($0.sentence)") ? $0.sentence : nil } ?? sentence
  }

  /// The stable code and the message of an error of this package, also if an `NSError` wraps it.
  private static func coded(_ error: Any) -> (word: String, sentence: String)? {
    func parts(_ error: some CodedError) -> (String, String) { (error.code.rawValue, error.description) }
    if let error = error as? any CodedError { return parts(error) }
    guard let error = error as? NSError, let word = error.userInfo[CodedErrorKey.code] as? String else { return nil }
    return (word, error.localizedDescription)
  }

  /// `MLModelErrorDomain`.
  public static var errorDomain: String { MLModelErrorDomain }
  /// The raw value of the code.
  public var errorCode: Int { code.rawValue }
  /// The text of `localizedDescription`.
  public var errorDescription: String? { userInfo[NSLocalizedDescriptionKey] as? String ?? message }
  /// The user info of the error as an `NSError`.
  public var errorUserInfo: [String: Any] { userInfo }

  /// The text that an `NSError` would print.
  public var description: String {
    "Error Domain=\(MLModelErrorDomain) Code=\(code.rawValue) \"\(errorDescription ?? message)\""
  }

  /// Whether both have the same code and equal user info. Errors in the user info are compared by domain, code and
  /// description.
  public static func == (lhs: MLModelError, rhs: MLModelError) -> Bool {
    lhs.code == rhs.code && lhs.userInfo.count == rhs.userInfo.count
      && lhs.userInfo.allSatisfy { key, value in rhs.userInfo[key].map { Self.areEqual(value, $0) } ?? false }
  }

  private static func areEqual(_ one: Any, _ other: Any) -> Bool {
    if let one = one as? any Error, let other = other as? any Error {
      let (a, b) = (one as NSError, other as NSError)
      return a.domain == b.domain && a.code == b.code && "\(one)" == "\(other)"
    }
    if let one = one as? AnyHashable, let other = other as? AnyHashable { return one == other }
    return one as AnyObject === other as AnyObject
  }

  /// Hashes only the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// Converts an error that a training example caused (`featureType`) to the code `update`.
  static func ofTraining(_ error: any Error) -> any Error {
    guard let error = error as? MLModelError, error.code == .featureType else { return error }
    return MLModelError(.update, error.message, underlyingCode: error.underlyingCode, underlying: error.underlyingError)
  }

  /// Runs `body` and converts any error that it throws to an `MLModelError`.
  ///
  /// - Parameters:
  ///   - inputs: the code for invalid inputs of the caller. When a model is loaded, the input is not a feature, so
  ///     another code applies.
  ///   - phrases: Core ML's wording for errors of a code.
  static func wrapping<Result>(
    _ fallback: Code, inputs: Code = .featureType, phrases: @autoclosure () -> [RuntimeError.Code: String] = [:],
    _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch let error as MLModelError {
      throw error
    } catch let error as RuntimeError {
      let code: Code
      switch error.code {
      case .invalidInput: code = inputs
      case .io: code = .io
      case .cancelled: code = .predictionCancelled
      case .closedModelType: code = .generic
      case .customLayer: code = .customLayer
      case .customModel: code = .customModel
      default: code = fallback
      }
      throw MLModelError(
        code, "\(error)", underlyingCode: error.code.rawValue, underlying: error,
        phrase: phrases()[error.code])
    } catch let error as SpecError {
      let code: Code = error.code == .encrypted ? .modelDecryption : .io
      throw MLModelError(code, "\(error)", underlyingCode: error.code.rawValue, underlying: error)
    } catch let error as MILError {
      let code = error.code == .cancelled ? Code.predictionCancelled : fallback
      throw MLModelError(code, "\(error)", underlyingCode: error.code.rawValue, underlying: error)
    } catch let error as KernelError {
      throw MLModelError(fallback, "\(error)", underlyingCode: error.code.rawValue, underlying: error)
    } catch {
      throw MLModelError(
        fallback, "\(error.localizedDescription)", underlyingCode: coded(error)?.word ?? noUnderlyingCode,
        underlying: error)
    }
  }
}

/// The codes as static members of the error, for `catch MLModelError.io` and `error.code == MLModelError.io`.
extension MLModelError {
  /// The code `generic`.
  public static var generic: Code { .generic }
  /// The code `featureType`.
  public static var featureType: Code { .featureType }
  /// The code `io`.
  public static var io: Code { .io }
  /// The code `customLayer`.
  public static var customLayer: Code { .customLayer }
  /// The code `customModel`.
  public static var customModel: Code { .customModel }
  /// The code `update`.
  public static var update: Code { .update }
  /// The code `parameters`.
  public static var parameters: Code { .parameters }
  /// The code `modelDecryptionKeyFetch`.
  public static var modelDecryptionKeyFetch: Code { .modelDecryptionKeyFetch }
  /// The code `modelDecryption`.
  public static var modelDecryption: Code { .modelDecryption }
  /// The code `modelCollection`.
  public static var modelCollection: Code { .modelCollection }
  /// The code `predictionCancelled`.
  public static var predictionCancelled: Code { .predictionCancelled }
}
