import CoreMLBase

extension DeliveryError: CodedError {
  /// Recreates an error from its `NSError`.
  public init(word: String, message: String, file: String?, cause: (any Error)?) {
    self.init(Code(rawValue: word), message, file: file)
  }
}
