import CoreML
import CoreMLImages
import Foundation
import Testing

@testable import Vision

/// Predictions through the Swift API, compared with the older API, which has its own tests.
@Suite struct SwiftRequestTests {
  /// 12 x 8 pixels with different red values.
  static func ramp() throws -> PixelBuffer {
    try PictureCases.picture((0..<96 as Range<UInt8>).flatMap { [$0, 0, 0] as [UInt8] }, 12, 8)
  }

  static func negative() throws -> CoreMLRequest {
    CoreMLRequest(model: try CoreMLModelContainer(model: PictureModels.negative()))
  }

  /// The image that the model of negatives received.
  private static func shown(_ found: [any VisionObservation]) throws -> [UInt8] {
    let observation = try #require(found.first as? PixelBufferObservation)
    return try PictureCases.rgb(observation.pixelBuffer).map { 255 - $0 }
  }

  private static func shown(
    _ handler: VNImageRequestHandler, _ change: (VNCoreMLRequest) -> Void
  ) throws -> [UInt8] {
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: PictureModels.negative()))
    change(request)
    try handler.perform([request])
    let observation = try #require(request.results?.first as? VNPixelBufferObservation)
    return try PictureCases.rgb(observation.pixelBuffer).map { 255 - $0 }
  }

  static func kind(_ error: VisionError?) -> String? {
    error.flatMap { Mirror(reflecting: $0).children.first?.label }
  }

  // MARK: kinds of models

  @Test func classesAreThoseOfTheOlderInterface() async throws {
    let digits = try PictureModels.digits()
    let url = PictureCases.folder.appending(path: "examples/digits/seven.png")
    let older = VNCoreMLRequest(model: try VNCoreMLModel(for: digits))
    older.imageCropAndScaleOption = .scaleFill
    try VNImageRequestHandler(url: url).perform([older])
    let expected = try #require(older.results as? [VNClassificationObservation])

    let request = CoreMLRequest(model: try CoreMLModelContainer(model: digits))
    #expect(request.supportedIdentifiers?.sorted() == expected.map(\.identifier).sorted())
    let source = try #require(CGImageSourceCreateWithURL(url as CFURL, nil))
    let image = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
    for found in [
      try await request.perform(on: url), try await request.perform(on: Data(contentsOf: url)),
      try await request.perform(on: image), try await request.perform(on: image.pixelBuffer),
    ] {
      let classes = try #require(found as? [ClassificationObservation])
      #expect(classes.map(\.identifier) == expected.map(\.identifier) && classes[0].identifier == "seven")
      #expect(classes.map(\.confidence) == expected.map(\.confidence))
      #expect(classes.allSatisfy { $0.originatingRequestDescriptor == .coreMLRequest(.revision1) })
      #expect(Set(classes).count == 10 && !classes[0].hasPrecisionRecallCurve)
    }
  }

  @Test func objectsHaveBoxesAndLabels() async throws {
    let dark = try PixelBuffer(width: 6, height: 4, pixelFormatType: kCVPixelFormatType_32BGRA)
    let model = try PictureModels.detector()
    let older = VNCoreMLRequest(model: try VNCoreMLModel(for: model))
    older.imageCropAndScaleOption = .scaleFill
    try VNImageRequestHandler(cvPixelBuffer: dark).perform([older])
    let expected = try #require(older.results as? [VNRecognizedObjectObservation])

    let request = CoreMLRequest(model: try CoreMLModelContainer(model: model))
    #expect(request.supportedIdentifiers.map(Set.init) == ["cat", "dog"])
    let found = try #require(try await request.perform(on: dark) as? [RecognizedObjectObservation])
    try #require(found.count == 2 && expected.count == 2)
    #expect(found.map { $0.labels.map(\.identifier) } == [["dog", "cat"], ["cat", "dog"]])
    #expect(found.map(\.confidence) == expected.map(\.confidence))
    #expect(found.map(\.boundingBox.cgRect) == expected.map(\.boundingBox))
    #expect((found as [any BoundingBoxProviding])[0].boundingBox == found[0].boundingBox)
  }

  /// A container is a value: a request keeps the thresholds that it was created with.
  @Test func aProviderGivesThresholds() async throws {
    let dark = try PixelBuffer(width: 6, height: 4, pixelFormatType: kCVPixelFormatType_32BGRA)
    var container = try CoreMLModelContainer(
      model: PictureModels.detector(),
      featureProvider: MLDictionaryFeatureProvider(dictionary: ["confidenceThreshold": 0.85]))
    #expect(container.inputImageFeatureName == "picture")
    let strict = CoreMLRequest(model: container)
    container.featureProvider = nil
    let mild = CoreMLRequest(model: container)
    #expect(strict != mild && strict.modelContainer != container && mild == CoreMLRequest(model: container))
    #expect(try await strict.perform(on: dark).count == 1)
    #expect(try await mild.perform(on: dark).count == 2)
  }

  @Test func imagesAndArraysAreGivenAsTheyAre() async throws {
    let image = try #require(try await Self.negative().perform(on: Self.ramp()).first as? PixelBufferObservation)
    #expect(image.size == CGSize(width: 6, height: 4) && image.confidence == 1)
    let picture = try image.cgImage
    #expect(try PictureCases.rgb(picture.pixelBuffer) == PictureCases.rgb(image.pixelBuffer))
    let first = image.withUnsafePointer { $0.loadUnaligned(as: UInt32.self) }
    #expect(first == image.pixelBuffer.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })

    let model = try PictureModels.load("Tests/Cases/models/pictureProgramPipeline.mlmodel")
    let request = CoreMLRequest(model: try CoreMLModelContainer(model: model))
    let found = try #require(try await request.perform(on: Self.ramp()) as? [CoreMLFeatureValueObservation])
    #expect(found.map(\.featureName).contains("means") && request.supportedIdentifiers == nil)
    #expect(
      found.allSatisfy { $0.featureValue.isShapedArray && MLFeatureValue($0.featureValue).multiArrayValue?.count == 3 })
  }

  // MARK: images as the model receives them

  @Test(arguments: ImageCropAndScaleAction.allCases)
  func anActionDoesWhatTheOptionDoes(action: ImageCropAndScaleAction) async throws {
    let source = try PictureCases.read().source()
    var request = try Self.negative()
    #expect(request.cropAndScaleAction == .scaleToFill)
    request.cropAndScaleAction = action
    let found = try Self.shown(try await request.perform(on: source))
    let expected = try Self.shown(VNImageRequestHandler(cvPixelBuffer: source)) {
      $0.imageCropAndScaleOption = action.option
    }
    #expect(found == expected)
  }

  @Test func actionsHaveTheOptionsOfTheirNames() {
    #expect(
      ImageCropAndScaleAction.allCases.map(\.option) == [
        .centerCrop, .scaleFit, .scaleFill, .scaleFitRotate90CCW, .scaleFillRotate90CCW,
      ])
  }

  @Test(arguments: CGImagePropertyOrientation.allCases)
  func regionsAreThoseOfTheUprightImage(orientation: CGImagePropertyOrientation) async throws {
    let (stored, part) = (try Self.ramp(), CGRect(x: 0, y: 0, width: 0.5, height: 0.5))
    var request = try Self.negative()
    request.regionOfInterest = NormalizedRect(normalizedRect: part)
    let expected = try Self.shown(VNImageRequestHandler(cvPixelBuffer: stored, orientation: orientation)) {
      $0.regionOfInterest = part
      $0.imageCropAndScaleOption = .scaleFill
    }
    #expect(try Self.shown(try await request.perform(on: stored, orientation: orientation)) == expected)
    let file = Data(try ImageEncoder.png(stored))
    #expect(try Self.shown(try await request.perform(on: file, orientation: orientation)) == expected)
    #expect(try Self.shown(try await request.perform(on: CGImage(stored), orientation: orientation)) == expected)
  }

  // MARK: errors

  @Test func aModelWithoutImagesIsRefused() async throws {
    let error = #expect(throws: VisionError.self) {
      try CoreMLModelContainer(model: PictureModels.load("Tests/Cases/models/optionalInput.mlmodel"))
    }
    #expect(Self.kind(error) == "invalidModel")
    var container = try CoreMLModelContainer(model: PictureModels.negative())
    container.inputImageFeatureName = "other"
    let request = CoreMLRequest(model: container)
    let wrong = await #expect(throws: VisionError.self) { try await request.perform(on: Self.ramp()) }
    #expect(Self.kind(wrong) == "invalidModel" && wrong?.localizedDescription.contains("'other'") == true)
  }

  @Test func whatCannotBePerformedSaysWhy() async throws {
    var request = try Self.negative()
    let asked = request
    let noFile = await #expect(throws: VisionError.self) { try await asked.perform(on: URL(filePath: "/nowhere.png")) }
    let noImage = await #expect(throws: VisionError.self) { try await asked.perform(on: Data("GIF89a".utf8)) }
    request.regionOfInterest = NormalizedRect(x: 0.5, y: 0, width: 1, height: 1)
    let outside = request
    let noRegion = await #expect(throws: VisionError.self) { try await outside.perform(on: Self.ramp()) }
    let high = try CoreMLModelContainer(
      model: PictureModels.detector(),
      featureProvider: MLDictionaryFeatureProvider(dictionary: ["confidenceThreshold": "high"]))
    let failed = await #expect(throws: VisionError.self) {
      try await CoreMLRequest(model: high).perform(on: Self.ramp())
    }
    #expect(
      [noFile, noImage, noRegion, failed].map(Self.kind) == [
        "ioError", "invalidImage", "invalidArgument", "operationFailed",
      ])
  }

  @Test func aDeviceIsChosenForAStage() async throws {
    let cpu = try #require(MLComputeDevice.allComputeDevices.first)
    var request = try Self.negative()
    #expect(request.supportedComputeStageDevices[.main]?.first == cpu)
    #expect(request.supportedComputeStageDevices[.postProcessing] == [cpu])
    let plain = request
    request.setComputeDevice(cpu, for: .main)
    request.setComputeDevice(cpu, for: .postProcessing)
    #expect(
      request.computeDevice(for: .main) == cpu && request != plain && request.description == "CoreMLRequest revision1")
    let (prepared, other) = (try request.prepared(), try plain.prepared())
    #expect(prepared.usesCPUOnly && !other.usesCPUOnly)
    let found = try Self.shown(try await request.perform(on: Self.ramp()))
    #expect(try Self.shown(try await plain.perform(on: Self.ramp())) == found)
    request.setComputeDevice(nil, for: .main)
    request.setComputeDevice(nil, for: .postProcessing)
    #expect(request == plain && request.computeDevice(for: .main) == nil)
  }
}
