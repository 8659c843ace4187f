import CoreMLBase
import CoreVideo
import Foundation

/// Conversion between `VisionError` and `NSError`. The codes number the cases in the order of their declaration.
extension VisionError: BridgedError {
  /// The key of a `CVReturn` in the user info of `pixelBufferCreationFailed`.
  private static let returnKey = "CVReturn"

  /// `Vision.VisionError`, the domain of a Swift error with this name.
  public static var errorDomain: String { "Vision.VisionError" }
  /// The index of the case, from 0.
  public var errorCode: Int { parts.code }

  /// The user info of the error as an `NSError`.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: description]
    if case .pixelBufferCreationFailed(let code) = self { info[Self.returnKey] = Int(code) }
    return info
  }

  /// Converts an `NSError` of the domain `Vision.VisionError`; nil for an unknown code.
  public init?(bridging error: NSError) {
    guard error.domain == Self.errorDomain else { return nil }
    let text = error.localizedDescription
    switch error.code {
    case 0: self = .dataUnavailable(text)
    case 1: self = .internalError(text)
    case 2: self = .invalidArgument(text)
    case 3: self = .invalidFormat(text)
    case 4: self = .invalidImage(text)
    case 5: self = .invalidModel(text)
    case 6: self = .invalidOperation(text)
    case 7: self = .ioError(text)
    case 8: self = .operationFailed(text)
    case 9: self = .outOfBoundsError(text)
    case 10: self = .outOfMemory(text)
    case 11:
      guard let code = (error.userInfo[Self.returnKey] as? Int).flatMap(CVReturn.init(exactly:)) else { return nil }
      self = .pixelBufferCreationFailed(code)
    case 12: self = .requestCancelled(text)
    case 13: self = .timeout(text)
    case 14: self = .timeStampNotFound(text)
    case 15: self = .unsupportedComputeDevice(text)
    case 16: self = .unsupportedComputeStage(text)
    case 17: self = .unsupportedRequest(text)
    case 18: self = .unsupportedRevision(text)
    default: return nil
    }
  }

  /// The code and the message.
  var parts: (code: Int, text: String) {
    switch self {
    case .dataUnavailable(let text): (0, text)
    case .internalError(let text): (1, text)
    case .invalidArgument(let text): (2, text)
    case .invalidFormat(let text): (3, text)
    case .invalidImage(let text): (4, text)
    case .invalidModel(let text): (5, text)
    case .invalidOperation(let text): (6, text)
    case .ioError(let text): (7, text)
    case .operationFailed(let text): (8, text)
    case .outOfBoundsError(let text): (9, text)
    case .outOfMemory(let text): (10, text)
    case .pixelBufferCreationFailed(let code): (11, "the pixel buffer cannot be created (CVReturn \(code))")
    case .requestCancelled(let text): (12, text)
    case .timeout(let text): (13, text)
    case .timeStampNotFound(let text): (14, text)
    case .unsupportedComputeDevice(let text): (15, text)
    case .unsupportedComputeStage(let text): (16, text)
    case .unsupportedRequest(let text): (17, text)
    case .unsupportedRevision(let text): (18, text)
    }
  }
}
