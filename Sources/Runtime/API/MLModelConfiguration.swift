import CoreMLKernels
import Foundation
import MIL

/// How a model is loaded and run.
///
/// `computeUnits` gives the list of devices: `.cpuOnly` and `.cpuAndNeuralEngine` are the CPU (there is no such engine here), `.all` and
/// `.cpuAndGPU` add the first OpenCL GPU. An OpenCL device that is itself a CPU is used only when `preferredOpenCLDevice` names it.
// Sendable: a model takes a copy when it loads
open class MLModelConfiguration: NSObject, NSCopying, @unchecked Sendable {
  public var computeUnits: MLComputeUnits = .all
  public var allowLowPrecisionAccumulationOnGPU = false
  /// The `id` of an OpenCL device, as `runtime devices` lists them: in place of Apple's `preferredMetalDevice`. Operations that have a
  /// kernel there run there, whatever they cost.
  public var preferredOpenCLDevice: String?
  public var parameters: [MLParameterKey: Any]?
  /// The function of a multifunction model; nil for its default one.
  public var functionName: String?
  public var modelDisplayName: String?
  public var optimizationHints = MLOptimizationHints()
  /// Threads of one prediction; nil for one a core.
  public var threads: Int?
  /// Whether operations are fused for the device; off only to check the fusions.
  public var allowsFusion = true

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
    copy.memoryLimit = memoryLimit
    copy.limits = limits
    return copy
  }

  /// A copy that nobody else changes.
  var copied: MLModelConfiguration { (copy() as? MLModelConfiguration) ?? self }
}
