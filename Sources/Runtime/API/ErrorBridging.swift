import CoreMLBase
import CoreMLKernels
import CoreMLSpec
import Foundation
import MIL

// Bridges the errors of lower modules that an `MLModelError` wraps, so that `error.userInfo[NSUnderlyingErrorKey] as?
// NSError` finds them.

extension SpecError: CodedError {
  /// Creates the error from the parts that its `NSError` carries.
  public init(word: String, message: String, file: String?, cause: (any Error)?) {
    self.init(Code(rawValue: word), message, file: file)
  }
}

extension MILError: CodedError {
  /// Creates the error from the parts that its `NSError` carries.
  public init(word: String, message: String, file: String?, cause: (any Error)?) {
    self.init(Code(rawValue: word), message)
  }
}

extension KernelError: CodedError {
  /// Creates the error from the parts that its `NSError` carries.
  public init(word: String, message: String, file: String?, cause: (any Error)?) {
    self.init(Code(rawValue: word), message)
  }
}

extension MLModelError: BridgedError {
  /// Creates the error from an `NSError` of the domain `MLModelErrorDomain`; nil if its code is not one of Core ML's.
  public init?(bridging error: NSError) {
    guard error.domain == MLModelErrorDomain, let code = Code(rawValue: error.code) else { return nil }
    self.init(code, userInfo: error.userInfo)
  }
}
