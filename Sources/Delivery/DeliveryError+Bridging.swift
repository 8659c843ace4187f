import CoreMLBase

extension DeliveryError: CodedError {
  /// An error as its `NSError` describes it.
  public init(word: String, message: String, file: String?, cause: (any Error)?) {
    self.init(Code(rawValue: word), message, file: file)
  }
}
