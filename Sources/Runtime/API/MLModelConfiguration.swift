import CoreMLBase
import CoreMLKernels
import Foundation
import MIL

/// How a model is loaded and run.
///
/// `computeUnits` selects the devices. `.cpuOnly` and `.cpuAndNeuralEngine` use the CPU, because this system has no
/// Neural Engine. `.all` and `.cpuAndGPU` add the first OpenCL GPU. An OpenCL device that is itself a CPU is used only
/// if `preferredOpenCLDevice` names it.
// Sendable: a model copies the configuration when it loads
open class MLModelConfiguration: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The devices that may be used.
  open var computeUnits: MLComputeUnits = .all
  /// Whether GPUs may compute with lower precision. GPUs always accumulate in fp32. If this property is true, matrix
  /// units round the inputs of a matrix multiplication to TF32 (11 bits of significand) where they support it.
  open var allowLowPrecisionAccumulationOnGPU = false
  /// The `id` of an OpenCL device, as listed by `runtime devices`. It replaces Apple's `preferredMetalDevice`.
  /// Operations that have a kernel for the device run there, whatever their cost.
  open var preferredOpenCLDevice: String?
  /// Values for parameters of the model or its training, which override the model's own.
  open var parameters: [MLParameterKey: Any]?
  /// The function of a multifunction model; nil for its default one.
  open var functionName: String?
  /// The text of the model's `description`.
  open var modelDisplayName: String?
  /// Hints about how the model will be used.
  open var optimizationHints = MLOptimizationHints()
  /// The number of threads of one prediction; nil for one thread per core.
  public var threads: Int?
  /// Whether operations are fused. Turned off only to test the fusions.
  public var allowsFusion = true
  /// Selects the CPU kernel of each operation, for tests of all kernels. The value is an index into the matching
  /// kernels, cheapest first, modulo their count. Nil selects the cheapest.
  package var forcedKernel: Int?

  /// The bytes that the model may use at one time for its predictions, unpacked weights included. Nil means the limit
  /// of the machine and of `COREML_MEMORY_LIMIT`. A prediction that needs more throws.
  public var memoryLimit: Int?

  /// Limits of the model's size, memory and time; nil for the limits in force in the process when the model is loaded.
  /// `memoryLimit` overrides `limits.modelMemory`.
  public var limits: RuntimeLimits?

  /// Creates a configuration with all devices, the default function and no parameters.
  override public init() { super.init() }

  /// Returns an independent copy. A model copies its configuration when it loads.
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
    copy.forcedKernel = forcedKernel
    copy.memoryLimit = memoryLimit
    copy.limits = limits
    return copy
  }

  // MARK: archives

  /// Configurations support secure coding (decoding with an expected class).
  open class var supportsSecureCoding: Bool { true }

  /// Encodes the configuration. Of the parameters it encodes the types that models can have: numbers, texts and
  /// multi-arrays.
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

  /// Decodes a configuration; nil if the archive holds something else.
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

  /// A private copy.
  var copied: MLModelConfiguration { (copy() as? MLModelConfiguration) ?? self }
}
