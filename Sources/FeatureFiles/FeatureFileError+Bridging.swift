import CoreMLBase

extension FeatureFileError: CodedError {
  /// Creates the error from its representation as an `NSError`.
  public init(word: String, message: String, file: String?, cause: (any Error)?) {
    self.init(Code(rawValue: word), message)
  }
}
