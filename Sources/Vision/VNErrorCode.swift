// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The domain of Vision's errors as `NSError`s.
public let VNErrorDomain = "com.apple.vis"

/// Vision's codes.
public enum VNErrorCode: Int, Sendable {
  case turiCore = -1
  case ok = 0
  /// The request was cancelled.
  case requestCancelled = 1
  case invalidFormat = 2
  /// A model could not be run.
  case operationFailed = 3
  case outOfBoundsError = 4
  case invalidOption = 5
  /// A file could not be read.
  case ioError = 6
  case missingOption = 7
  case notImplemented = 8
  case internalError = 9
  /// There is no memory for it.
  case outOfMemory = 10
  case unknownError = 11
  case invalidOperation = 12
  /// The picture is damaged, or in a form that is not known here.
  case invalidImage = 13
  /// A property of the request has a value that it cannot have.
  case invalidArgument = 14
  /// The model is none that a request can be made of.
  case invalidModel = 15
  case unsupportedRevision = 16
  case dataUnavailable = 17
  case timeStampNotFound = 18
  /// There is no such request here.
  case unsupportedRequest = 19
  /// A model took longer than a limit allows.
  case timeout = 20
}
