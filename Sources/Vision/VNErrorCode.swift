// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The domain of Vision's errors as `NSError`s.
public let VNErrorDomain = "com.apple.vis"

/// Vision's codes.
public enum VNErrorCode: Int, Sendable {
  /// Something in Turi Create failed; not used here.
  case turiCore = -1
  /// There is no error.
  case ok = 0
  /// The request was cancelled.
  case requestCancelled = 1
  /// Data has a format that is not accepted; not used here.
  case invalidFormat = 2
  /// A model could not be run.
  case operationFailed = 3
  /// An index or a place lies outside its bounds; not used here.
  case outOfBoundsError = 4
  /// An option has a value that it cannot have; not used here.
  case invalidOption = 5
  /// A file could not be read.
  case ioError = 6
  /// An option that is needed is not there; not used here.
  case missingOption = 7
  /// A method does nothing yet; not used here.
  case notImplemented = 8
  /// Vision itself is at fault; not used here.
  case internalError = 9
  /// There is no memory for it.
  case outOfMemory = 10
  /// Nothing is known of what went wrong; not used here.
  case unknownError = 11
  /// What was asked cannot be done in this state; not used here.
  case invalidOperation = 12
  /// The picture is damaged, or in a form that is not known here.
  case invalidImage = 13
  /// A property of the request has a value that it cannot have.
  case invalidArgument = 14
  /// The model is none that a request can be made of.
  case invalidModel = 15
  /// There is no such revision of the request.
  case unsupportedRevision = 16
  /// Data that the request needs is not there; not used here.
  case dataUnavailable = 17
  /// A frame of a video has no time; not used here.
  case timeStampNotFound = 18
  /// There is no such request here.
  case unsupportedRequest = 19
  /// A model took longer than a limit allows.
  case timeout = 20
}
