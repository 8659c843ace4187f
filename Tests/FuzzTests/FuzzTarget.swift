import CoreMLBase
import CoreMLImages
import CoreMLKernels
import CoreMLRuntime
import CoreMLSpec
import FeatureFiles
import MIL

/// A reader of hostile bytes, as a fuzzer and a test call it.
///
/// Any bytes must be read or refused: by an error of ours, which has a stable code and a sentence. Everything else is a finding: an error
/// of another kind, a `Finding`, a trap, a leak, more memory or time than the fuzzer allows.
struct FuzzTarget: Sendable {
  /// What the command line and the folder of the corpus call it.
  let name: String
  /// Inputs are not made longer than so many bytes.
  let longest: Int
  private let read: @Sendable (UnsafeRawBufferPointer) throws -> Void

  init(_ name: String, longest: Int = 8192, _ read: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void) {
    self.name = name
    self.longest = longest
    self.read = read
  }

  static let all = [
    spec, text, blob, network, program, classical, espresso, bundle, plan, npz, npy, json, picture, table,
    lines,
  ]

  enum Outcome {
    case read
    /// By an error of ours.
    case refused(any Error)
    /// What is wrong, as a sentence.
    case finding(String)
  }

  func outcome(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    do {
      try read(bytes)
      return .read
    } catch let error
      where error is SpecError || error is MILError || error is KernelError || error is RuntimeError
      || error is MLModelError || error is ImageError || error is FeatureFileError
    {
      return .refused(error)
    } catch let finding as Finding {
      return .finding(finding.sentence)
    } catch {
      return .finding("an error of another kind: \(type(of: error)): \(error)")
    }
  }

  /// Nil when the bytes were read or refused as they should be; otherwise what is wrong, as a sentence.
  func finding(_ bytes: UnsafeRawBufferPointer) -> String? {
    if case .finding(let sentence) = outcome(bytes) { return sentence }
    return nil
  }
}

/// What holds of every input and does not hold of this one.
struct Finding: Error {
  let sentence: String
  init(_ sentence: String) { self.sentence = sentence }
}
