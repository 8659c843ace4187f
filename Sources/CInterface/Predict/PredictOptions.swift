import CCoreMLRuntime
import CoreMLRuntime

/// `coreml_predict_options`. Only the members that the caller's version of the header has are read.
struct PredictOptions {
  let state: StateHandle?
  let backings: FeatureSet?
  let cancellation: CancellationHandle?

  init(_ pointer: UnsafePointer<coreml_predict_options>?, _ call: Call) throws {
    let options = try Sized.read(pointer, coreml_predict_options(), call)
    state = try call.optional(options.state, "options->state")
    backings = try call.optional(options.backings, "options->backings", as: FeaturesHandle.self)?.set
    cancellation = try call.optional(options.cancellation, "options->cancellation")
  }

  /// One prediction, cancellable, with the state if there is one. A stateful model without a state throws.
  func predict(
    _ model: ModelHandle, _ inputs: any MLFeatureProvider, _ prediction: MLPredictionOptions, _ call: Call
  ) throws -> any MLFeatureProvider {
    func run() throws -> any MLFeatureProvider {
      guard let state else { return try model.model.prediction(from: inputs, options: prediction) }
      return try model.model.prediction(from: inputs, using: state.state, options: prediction)
    }
    return try cancellation?.during(call, run) ?? run()
  }

  /// Predicts rows in one batch, cancellable.
  /// - Returns: How many of the first rows were predicted.
  func rows(
    _ model: ModelHandle, _ rows: Range<Int>, _ inputs: [BatchColumn], _ outputs: [BatchColumn], _ call: Call
  ) throws -> Int {
    let inputs = Dictionary(uniqueKeysWithValues: inputs.map { ($0.feature, $0) })
    func run() throws -> Int { try model.model.predict(rows: rows, from: inputs, into: outputs) }
    return try cancellation?.during(call, run) ?? run()
  }

  /// The memory that outputs are written to.
  func forPrediction(of model: MLModel, _ call: Call) throws -> MLPredictionOptions {
    let options = MLPredictionOptions()
    guard let backings else { return options }
    for (name, handle) in backings.values {
      guard model.modelDescription.outputDescriptionsByName[name] != nil else {
        throw call.failure(.missing, "a backing is given for '\(name)', and the model has no such output")
      }
      guard let backing: Any = handle.value.multiArrayValue ?? handle.value.imageBufferValue else {
        throw call.failure(
          .kind, "the backing of '\(name)' is of kind \(handle.value.type.word), expected tensor or image")
      }
      options.outputBackings[name] = backing
    }
    return options
  }
}

/// Structures whose first member is their size. The caller's structure may come from an earlier or later version of the
/// header.
enum Sized {
  /// `ours`, overwritten with the members that the caller's structure has. Members that this version does not know must
  /// be zero, as it would ignore them.
  static func read<Structure: BitwiseCopyable>(
    _ pointer: UnsafePointer<Structure>?, _ ours: Structure, _ call: Call
  ) throws -> Structure {
    guard let pointer else { return ours }
    let size = try self.size(pointer, call)
    let bytes = UnsafeRawBufferPointer(start: pointer, count: size)
    guard bytes.dropFirst(MemoryLayout<Structure>.size).allSatisfy({ $0 == 0 }) else {
      throw call.failure(
        .value, "a structure of \(size) bytes uses members that this version of the library does not have")
    }
    var result = ours
    withUnsafeMutableBytes(of: &result) { target in
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(target.count)))
    }
    return result
  }

  /// Fills the members that the caller's structure has, except its size.
  static func write<Structure: BitwiseCopyable>(
    _ value: Structure, to pointer: UnsafeMutablePointer<Structure>, _ call: Call
  ) throws {
    let size = try self.size(UnsafePointer(pointer), call)
    let target = UnsafeMutableRawBufferPointer(start: pointer, count: size)
    withUnsafeBytes(of: value) { bytes in
      let count = min(size, bytes.count)
      UnsafeMutableRawBufferPointer(rebasing: target[firstMember..<count])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[firstMember..<count]))
    }
    if size > MemoryLayout<Structure>.size { for index in MemoryLayout<Structure>.size..<size { target[index] = 0 } }
  }

  private static let firstMember = MemoryLayout<Int>.size
  private static let largest = 4096

  /// Reads only the first member: the caller's structure may be shorter than ours.
  private static func size<Structure>(_ pointer: UnsafePointer<Structure>, _ call: Call) throws -> Int {
    let size = UnsafeRawPointer(pointer).load(as: Int.self)
    guard size > firstMember, size <= largest, size % MemoryLayout<Int>.alignment == 0 else {
      throw call.failure(
        .size, "the structure's member 'size' is \(UInt(bitPattern: size)), expected \(MemoryLayout<Structure>.size)")
    }
    return size
  }
}
