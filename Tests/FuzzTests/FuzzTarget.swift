import CoreMLBase
import CoreMLImages
import CoreMLKernels
import CoreMLRuntime
import CoreMLServingInterface
import CoreMLSpec
import FeatureFiles
import MIL

/// A parser of untrusted bytes, which a fuzzer and a test call.
///
/// Any bytes must be accepted or refused. A refusal is an error of this project with a stable code and a message.
/// Everything else is a finding: an error of another type, a `Finding`, a trap, a leak, or more memory or time than the
/// fuzzer allows.
struct FuzzTarget: Sendable {
  /// The name on the command line, and of the corpus folder.
  let name: String
  /// The maximum length of an input in bytes.
  let longest: Int
  private let read: @Sendable (UnsafeRawBufferPointer) throws -> Void

  init(_ name: String, longest: Int = 8192, _ read: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void) {
    self.name = name
    self.longest = longest
    self.read = read
  }

  static let all = [
    spec, text, blob, network, program, classical, espresso, bundle, plan, npz, npy, json, picture, table,
    lines, request, compressed, inference,
  ]

  enum Outcome {
    case read
    /// Refused with an error of this project.
    case refused(any Error)
    /// The description of a problem.
    case finding(String)
  }

  func outcome(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    do {
      try read(bytes)
      return .read
    } catch let error
      where error is SpecError || error is MILError || error is KernelError || error is RuntimeError
      || error is MLModelError || error is ImageError || error is FeatureFileError || error is ServingError
    {
      return .refused(error)
    } catch let finding as Finding {
      return .finding(finding.sentence)
    } catch {
      return .finding("an error of another kind: \(type(of: error)): \(error)")
    }
  }

  /// nil if the bytes were accepted or properly refused, otherwise a description of the problem.
  func finding(_ bytes: UnsafeRawBufferPointer) -> String? {
    if case .finding(let sentence) = outcome(bytes) { return sentence }
    return nil
  }
}

/// A violated invariant. Every input must satisfy it, and this one does not.
struct Finding: Error {
  let sentence: String
  init(_ sentence: String) { self.sentence = sentence }
}
