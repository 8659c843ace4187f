import CoreML
import CoreMLImport
import Foundation

/// Runs a model on an image.
///
/// The request rotates the image upright and crops it to the region of interest. It scales the region to the model's
/// size according to ``cropAndScaleAction``, and converts the pixels to the model's format. The kind of the model
/// decides the observations:
///
/// | model | observations |
/// | --- | --- |
/// | a classifier with probabilities | ``ClassificationObservation`` for each class, the most probable one first |
/// | a detector: a pipeline with a non-maximum suppression that names its classes | ``RecognizedObjectObservation`` for each box |
/// | any other | for each output ``PixelBufferObservation`` if it is an image, else ``CoreMLFeatureValueObservation`` |
///
/// The results equal those of `VNCoreMLRequest` with the same settings. The defaults differ: `centerCrop` there,
/// `scaleToFill` here.
public struct CoreMLRequest: ImageProcessingRequest {
  /// Observations, of the types that fit the model.
  public typealias Result = [any VisionObservation]

  /// A version of the request's algorithm.
  public enum Revision: Codable, Comparable, Hashable, Sendable {
    /// The only revision.
    case revision1
  }

  /// All revisions.
  public static let supportedRevisions: [Revision] = [.revision1]

  /// The model with its settings.
  public let modelContainer: CoreMLModelContainer
  /// The revision.
  public let revision: Revision
  /// How the region of interest is fitted to the model's size.
  public var cropAndScaleAction = ImageCropAndScaleAction.scaleToFill
  /// The part of the upright image that the model sees. The default is the whole image.
  ///
  /// Performing the request throws `VisionError.invalidArgument` if the region exceeds the image.
  public var regionOfInterest = NormalizedRect.fullImage
  private var chosenDevices: [ComputeStage: MLComputeDevice] = [:]

  /// A request for a model.
  ///
  /// - Parameters:
  ///   - model: The model with its settings. Later changes of the caller's copy have no effect.
  ///   - revision: The revision; nil for the newest.
  public init(model: CoreMLModelContainer, _ revision: Revision? = nil) {
    modelContainer = model
    self.revision = revision ?? .revision1
  }

  /// The type and the revision.
  public var descriptor: RequestDescriptor { .coreMLRequest(revision) }

  /// The labels of a classifier or a detector in the model's order, with integers as decimal strings. Nil for other
  /// models.
  public var supportedIdentifiers: [String]? {
    let labels = modelContainer.model.modelDescription.classLabels?.map { "\($0)" }
    return labels ?? modelContainer.model.detections?.labels
  }

  /// The devices of each stage.
  ///
  /// The model runs on the CPU, or on the GPU that its configuration allows. Postprocessing runs on the CPU.
  public var supportedComputeStageDevices: [ComputeStage: [MLComputeDevice]] {
    let configuration = modelContainer.model.configuration
    let allowsGPU = configuration.computeUnits == .all || configuration.computeUnits == .cpuAndGPU
    var (processors, gpus): ([MLComputeDevice], [MLComputeDevice]) = ([], [])
    for device in MLComputeDevice.allComputeDevices {
      switch device {
      case .cpu: processors.append(device)
      case .gpu(let gpu) where allowsGPU && gpu.id == configuration.preferredOpenCLDevice ?? gpu.id: gpus.append(device)
      default: break
      }
    }
    return [.main: processors + gpus.prefix(1), .postProcessing: processors]
  }

  /// The device that was set for a stage; nil if none was set.
  public func computeDevice(for computeStage: ComputeStage) -> MLComputeDevice? { chosenDevices[computeStage] }

  /// Sets the device of a stage. Nil leaves the choice to the model's configuration.
  ///
  /// Performing the request throws `VisionError.unsupportedComputeDevice` for a device that the stage does not support.
  public mutating func setComputeDevice(_ computeDevice: MLComputeDevice?, for computeStage: ComputeStage) {
    chosenDevices[computeStage] = computeDevice
  }

  /// The request as a `VNCoreMLRequest`.
  func prepared() throws -> VNCoreMLRequest {
    var usesCPU = false
    for (stage, device) in chosenDevices {
      if case .cpu = device {
        usesCPU = usesCPU || stage == .main
      } else if supportedComputeStageDevices[stage]?.contains(device) != true {
        throw VisionError.unsupportedComputeDevice("the stage '\(stage)' of a CoreMLRequest cannot run on \(device)")
      }
    }
    let request = VNCoreMLRequest(model: try modelContainer.prepared())
    request.imageCropAndScaleOption = cropAndScaleAction.option
    request.regionOfInterest = regionOfInterest.cgRect
    request.usesCPUOnly = usesCPU
    return request
  }

  /// Converts observations of the older interface.
  ///
  /// - Throws: `VisionError.operationFailed` for an output whose value is not `Sendable`.
  func observations(_ found: [VNObservation]) throws -> Result {
    try found.map { observation -> any VisionObservation in
      switch observation {
      case let object as VNRecognizedObjectObservation: RecognizedObjectObservation(object, descriptor)
      case let classification as VNClassificationObservation: ClassificationObservation(classification, descriptor)
      case let image as VNPixelBufferObservation: PixelBufferObservation(image, descriptor)
      case let output as VNCoreMLFeatureValueObservation: try CoreMLFeatureValueObservation(output, descriptor)
      default: throw VisionError.internalError("\(type(of: observation)) has no counterpart")
      }
    }
  }
}
