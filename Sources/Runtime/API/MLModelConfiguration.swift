import CoreMLBase
import CoreMLKernels
import Foundation
import MIL

/// How a model is loaded and run.
///
/// `computeUnits` gives the list of devices: `.cpuOnly` and `.cpuAndNeuralEngine` are the CPU (there is no such engine here), `.all` and
/// `.cpuAndGPU` add the first OpenCL GPU. An OpenCL device that is itself a CPU is used only when `preferredOpenCLDevice` names it.
// Sendable: a model takes a copy when it loads
open class MLModelConfiguration: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The devices that may be used.
  open var computeUnits: MLComputeUnits = .all
  /// Whether GPUs may calculate less exactly. They add up in single precision either way; where their units for matrices take it, factors of
  /// products are rounded to eleven bits (TF32) first.
  open var allowLowPrecisionAccumulationOnGPU = false
  /// The `id` of an OpenCL device, as `runtime devices` lists them: in place of Apple's `preferredMetalDevice`. Operations that have a
  /// kernel there run there, whatever they cost.
  open var preferredOpenCLDevice: String?
  /// Values of parameters of the model, or of its training, in the place of its own.
  open var parameters: [MLParameterKey: Any]?
  /// The function of a multifunction model; nil for its default one.
  open var functionName: String?
  /// The name that the model's `description` says.
  open var modelDisplayName: String?
  /// What is known of how the model will be used.
  open var optimizationHints = MLOptimizationHints()
  /// Threads of one prediction; nil for one a core.
  public var threads: Int?
  /// Whether operations are fused for the device; off only to check the fusions.
  public var allowsFusion = true
  /// The place, among the CPU's kernels that take an operation, cheapest first and counted round, of the one that runs it; nil for the
  /// cheapest. Said only to check them all.
  package var favouredKernel: Int?

  /// Bytes that the model may hold at one time for its predictions, unpacked weights included; nil for what the machine and
  /// `COREML_MEMORY_LIMIT` allow. What would need more is refused with an error.
  public var memoryLimit: Int?

  /// What the model may take of memory and time, and how large it may be; nil for the limits in force in the process when it is loaded.
  /// `memoryLimit` stands above `limits.modelMemory`.
  public var limits: RuntimeLimits?

  /// Every device, the default function, no parameters.
  override public init() { super.init() }

  /// The configuration as it is now; a model takes one when it is loaded.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = MLModelConfiguration()
    copy.computeUnits = computeUnits
    copy.allowLowPrecisionAccumulationOnGPU = allowLowPrecisionAccumulationOnGPU
    copy.preferredOpenCLDevice = preferredOpenCLDevice
    copy.parameters = parameters
    copy.functionName = functionName
    copy.modelDisplayName = modelDisplayName
    copy.optimizationHints = optimizationHints
    copy.threads = threads
    copy.allowsFusion = allowsFusion
    copy.favouredKernel = favouredKernel
    copy.memoryLimit = memoryLimit
    copy.limits = limits
    return copy
  }

  // MARK: archives

  /// Archives of configurations may be read where classes are asked for.
  open class var supportsSecureCoding: Bool { true }

  /// Writes the configuration; of its parameters those that models can have: numbers, texts and multi-arrays.
  open func encode(with coder: NSCoder) {
    coder.encode(computeUnits.rawValue, forKey: "computeUnits")
    coder.encode(allowLowPrecisionAccumulationOnGPU, forKey: "allowLowPrecisionAccumulationOnGPU")
    coder.encode(text: preferredOpenCLDevice, forKey: "preferredOpenCLDevice")
    coder.encode(text: functionName, forKey: "functionName")
    coder.encode(text: modelDisplayName, forKey: "modelDisplayName")
    let hints = optimizationHints
    coder.encode(
      integers: [hints.reshapeFrequency.rawValue, hints.specializationStrategy.rawValue, hints.precision.rawValue],
      forKey: "optimizationHints")
    if let threads { coder.encode(threads, forKey: "threads") }
    coder.encode(allowsFusion, forKey: "allowsFusion")
    if let memoryLimit { coder.encode(memoryLimit, forKey: "memoryLimit") }
    if let limits, let data = try? JSONEncoder().encode(limits) { coder.encode(data as NSData, forKey: "limits") }
    guard let parameters else { return }
    let values = parameters.compactMapValues { value -> NSObject? in
      (value as? MLMultiArray) ?? (value as? String).map { $0 as NSString } ?? (value as? NSNumber)
    }
    coder.encode(Array(values.keys) as NSArray, forKey: "parameterKeys")
    coder.encode(Array(values.values) as NSArray, forKey: "parameterValues")
  }

  /// A configuration from an archive; nil for an archive of something else.
  public required init?(coder: NSCoder) {
    guard let units = coder.choice(MLComputeUnits.self, forKey: "computeUnits"),
      let hints = coder.integers(forKey: "optimizationHints"), hints.count == 3,
      let reshapes = MLOptimizationHints.ReshapeFrequency(rawValue: hints[0]),
      let strategy = MLOptimizationHints.SpecializationStrategy(rawValue: hints[1]),
      let precision = MLOptimizationHints.Precision(rawValue: hints[2])
    else { return nil }
    computeUnits = units
    allowLowPrecisionAccumulationOnGPU = coder.decodeBool(forKey: "allowLowPrecisionAccumulationOnGPU")
    preferredOpenCLDevice = coder.text(forKey: "preferredOpenCLDevice")
    functionName = coder.text(forKey: "functionName")
    modelDisplayName = coder.text(forKey: "modelDisplayName")
    (optimizationHints.reshapeFrequency, optimizationHints.specializationStrategy) = (reshapes, strategy)
    optimizationHints.precision = precision
    threads = coder.containsValue(forKey: "threads") ? coder.decodeInteger(forKey: "threads") : nil
    allowsFusion = coder.decodeBool(forKey: "allowsFusion")
    memoryLimit = coder.containsValue(forKey: "memoryLimit") ? coder.decodeInteger(forKey: "memoryLimit") : nil
    if let data = coder.object(of: NSData.self, forKey: "limits") {
      guard let limits = try? JSONDecoder().decode(RuntimeLimits.self, from: Data(referencing: data)) else {
        return nil
      }
      self.limits = limits
    }
    if coder.containsValue(forKey: "parameterKeys") {
      let kinds = [NSArray.self, NSNumber.self, NSString.self, MLMultiArray.self]
      guard let keys = coder.objects(of: MLParameterKey.self, forKey: "parameterKeys"),
        let values = coder.object(of: kinds, forKey: "parameterValues") as? [Any], keys.count == values.count
      else { return nil }
      parameters = Dictionary(zip(keys, values)) { first, _ in first }
    }
    super.init()
  }

  /// A copy that nobody else changes.
  var copied: MLModelConfiguration { (copy() as? MLModelConfiguration) ?? self }
}
