import CoreMLBase

extension ImageError: CodedError {
  /// Creates an error from the parts of an `NSError`.
  public init(word: String, message: String, file: String?, cause: (any Error)?) {
    self.init(Code(rawValue: word), message)
  }
}
