import CoreMLBase
import CoreMLKernels
import CoreMLSpec
import Foundation
import MIL

// Errors of the modules below, which an `MLModelError` has beneath: `error.userInfo[NSUnderlyingErrorKey] as? NSError` finds them.

extension SpecError: CodedError {
  /// An error as its `NSError` describes it.
  public init(word: String, message: String, file: String?, cause: (any Error)?) {
    self.init(Code(rawValue: word), message, file: file)
  }
}

extension MILError: CodedError {
  /// An error as its `NSError` describes it.
  public init(word: String, message: String, file: String?, cause: (any Error)?) {
    self.init(Code(rawValue: word), message)
  }
}

extension KernelError: CodedError {
  /// An error as its `NSError` describes it.
  public init(word: String, message: String, file: String?, cause: (any Error)?) {
    self.init(Code(rawValue: word), message)
  }
}

extension MLModelError: BridgedError {
  /// The error that an `NSError` of the domain `MLModelErrorDomain` stands for; nil for a code that is not one of Core ML's.
  public init?(bridging error: NSError) {
    guard error.domain == MLModelErrorDomain, let code = Code(rawValue: error.code) else { return nil }
    self.init(code, userInfo: error.userInfo)
  }
}
