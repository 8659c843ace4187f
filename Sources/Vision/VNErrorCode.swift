// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The domain of Vision's errors as `NSError`s.
public let VNErrorDomain = "com.apple.vis"

/// Vision's codes.
public enum VNErrorCode: Int, Sendable {
  /// Something in Turi Create failed. Not used here.
  case turiCore = -1
  /// No error.
  case ok = 0
  /// The request was cancelled.
  case requestCancelled = 1
  /// Data has a format that is not accepted. Not used here.
  case invalidFormat = 2
  /// A model could not run.
  case operationFailed = 3
  /// An index is out of bounds. Not used here.
  case outOfBoundsError = 4
  /// An option has an invalid value. Not used here.
  case invalidOption = 5
  /// A file could not be read.
  case ioError = 6
  /// A required option is missing. Not used here.
  case missingOption = 7
  /// A method is not implemented. Not used here.
  case notImplemented = 8
  /// An internal error of Vision. Not used here.
  case internalError = 9
  /// Memory is insufficient.
  case outOfMemory = 10
  /// An unknown error. Not used here.
  case unknownError = 11
  /// The operation is not possible in this state. Not used here.
  case invalidOperation = 12
  /// The image is damaged, or its format is not supported.
  case invalidImage = 13
  /// A property of the request has an invalid value.
  case invalidArgument = 14
  /// The model cannot be used for a request.
  case invalidModel = 15
  /// The request has no such revision.
  case unsupportedRevision = 16
  /// Data that the request needs is missing. Not used here.
  case dataUnavailable = 17
  /// A video frame has no time stamp. Not used here.
  case timeStampNotFound = 18
  /// The request is not supported.
  case unsupportedRequest = 19
  /// A model took longer than a limit allows.
  case timeout = 20
}
