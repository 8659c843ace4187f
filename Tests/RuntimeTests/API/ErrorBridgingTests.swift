import CoreMLBase
import CoreMLImages
import CoreMLKernels
import CoreMLSpec
import FeatureFiles
import Foundation
import MIL
import Testing

@testable import CoreMLRuntime

/// Errors of all modules cast to `NSError` and back, also in casts that the compiler resolves at run time.
@Suite struct ErrorBridgingTests {
  private static let errors: [any CodedError] = [
    RuntimeError(.io, "it cannot be read", file: "/a: b/c"),
    RuntimeError(.customLayer, "no", cause: CocoaError(.featureUnsupported)),
    SpecError(.truncated, "it ends too early", file: "/model"), SpecError(.unreadable, "no file"),
    MILError(.syntax, "a word is missing", operation: "conv 'c'"), KernelError(.device, "the device is gone"),
    ImageError(.invalid, "no picture"), FeatureFileError(.unwritable, "no room"),
  ]

  /// The cast that `catch let error as NSError` performs.
  private func bridged(_ error: Any) -> NSError? { error as? NSError }
  private func cast<Value>(_ error: Any, as type: Value.Type) -> Value? { error as? Value }

  private func expectRoundTrip<Failure: CodedError>(_ error: Failure) throws {
    // Through the bridge, and through the conversion of any error.
    for object in [bridged(error), (error as any Error) as NSError] {
      let object = try #require(object)
      #expect(object.domain == Failure.errorDomain && object.code == 1, "\(error)")
      #expect(object.localizedDescription == error.description, "\(object)")
      #expect(object.userInfo[CodedErrorKey.code] as? String == error.code.rawValue)
      let back = try #require(cast(object, as: Failure.self), "\(error)")
      #expect(back.code.rawValue == error.code.rawValue && back.description == error.description)
      #expect(back.file == error.file && (back.cause == nil) == (error.cause == nil))
    }
    #expect(cast(NSError(domain: Failure.errorDomain, code: 1), as: Failure.self) == nil)
    #expect(cast(NSError(domain: "other", code: 1), as: Failure.self) == nil)
  }

  @Test func errorsCastThereAndBack() throws {
    for error in Self.errors { try expectRoundTrip(error) }
    // An error of one type does not cast to another type.
    let object = try #require(bridged(Self.errors[0]))
    #expect(cast(object, as: SpecError.self) == nil && cast(object, as: MLModelError.self) == nil)
  }

  @Test func wordsAndSentencesOfModelErrorsComeBack() throws {
    let errors = try Self.errors.map { error in
      try #require(
        #expect(throws: MLModelError.self) {
          try MLModelError.wrapping(.generic, phrases: [.io: "Core ML says"]) { throw error }
        })
    }
    let plain = [
      MLModelError(.update), MLModelError(.parameters, "no rate", underlyingCode: "runtime.invalid-input"),
      MLModelError(.io, "no file", phrase: "Core ML says"),
    ]
    for error in errors + plain {
      let object = try #require(bridged(error))
      #expect(object.domain == MLModelErrorDomain && object.code == error.code.rawValue)
      #expect(object.localizedDescription == error.localizedDescription)
      let back = try #require(cast(object, as: MLModelError.self))
      #expect(back == error && back.underlyingCode == error.underlyingCode && "\(back)" == "\(error)")
    }
    #expect(cast(NSError(domain: MLModelErrorDomain, code: 77), as: MLModelError.self) == nil)
    #expect(errors[0].localizedDescription.hasPrefix("Core ML says: /a: b/c: "))
    #expect(cast(try #require(bridged(errors[0])), as: MLModelError.self)?.message == errors[0].message)
  }
}
