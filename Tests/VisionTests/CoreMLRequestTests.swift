import CoreML
import CoreMLBase
import CoreMLImages
import Foundation
import Testing

@testable import Vision

/// Predictions through Vision.
@Suite struct CoreMLRequestTests {
  private static let digits = ["zero", "two", "three", "five", "seven", "nine"]

  private static func digit(_ name: String) -> URL {
    PictureCases.folder.appending(path: "examples/digits/\(name).png")
  }

  /// Vision's results for the example images equal those of a prediction bit for bit, for every way to pass the image.
  @Test func classesAreThoseOfThePrediction() throws {
    let digits = try PictureModels.digits()
    let model = try VNCoreMLModel(for: digits)
    let constraint = try #require(digits.modelDescription.inputDescriptionsByName["image"]?.imageConstraint)
    for name in Self.digits {
      let url = Self.digit(name)
      let value = try MLFeatureValue(imageAt: url, constraint: constraint)
      let predicted = try digits.prediction(from: MLDictionaryFeatureProvider(dictionary: ["image": value]))
      let shares = try #require(predicted.featureValue(for: "classLabel_probs")?.dictionaryValue as? [String: Double])
      let source = try #require(CGImageSourceCreateWithURL(url as CFURL, nil))
      let image = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
      for handler in [
        VNImageRequestHandler(url: url), VNImageRequestHandler(data: try Data(contentsOf: url)),
        VNImageRequestHandler(cgImage: image),
        VNImageRequestHandler(cvPixelBuffer: try #require(value.imageBufferValue)),
      ] {
        let request = VNCoreMLRequest(model: model)
        #expect(request.imageCropAndScaleOption == .centerCrop && request.results == nil)
        try handler.perform([request])
        let found = try #require(request.results as? [VNClassificationObservation])
        #expect(found.first?.identifier == name && found.count == 10)
        #expect(found.map(\.confidence) == found.map(\.confidence).sorted(by: >))
        #expect(
          Dictionary(uniqueKeysWithValues: found.map { ($0.identifier, $0.confidence) })
            == shares.mapValues { Float($0) })
      }
    }
  }

  /// The image that the model of negatives received.
  private static func shown(
    _ handler: VNImageRequestHandler, _ change: (VNCoreMLRequest) -> Void = { _ in }
  ) throws -> [UInt8] {
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: PictureModels.negative()))
    change(request)
    try handler.perform([request])
    let observation = try #require(request.results?.first as? VNPixelBufferObservation)
    #expect(observation.featureName == "inverted" && observation.confidence == 1 && request.results?.count == 1)
    return try PictureCases.rgb(observation.pixelBuffer).map { 255 - $0 }
  }

  @Test(
    arguments: [.centerCrop, .scaleFit, .scaleFill, .scaleFitRotate90CCW, .scaleFillRotate90CCW]
      as [VNImageCropAndScaleOption])
  func theModelIsShownWhatTheOptionSays(option: VNImageCropAndScaleOption) throws {
    let source = try PictureCases.read().source()
    let expected = try source.fitted(
      width: 6, height: 4, pixelFormatType: kCVPixelFormatType_32BGRA, option)
    let found = try Self.shown(VNImageRequestHandler(cvPixelBuffer: source)) { $0.imageCropAndScaleOption = option }
    #expect(found == (try PictureCases.rgb(expected)))
  }

  /// 12 x 8 pixels with different red values. Regions have their origin in the lower left corner.
  private static func ramp() throws -> PixelBuffer {
    try PictureCases.picture((0..<96 as Range<UInt8>).flatMap { [$0, 0, 0] as [UInt8] }, 12, 8)
  }

  private static func reds(_ rgb: [UInt8]) -> [UInt8] { stride(from: 0, to: rgb.count, by: 3).map { rgb[$0] } }

  @Test func aRegionIsCutOutFromBelow() throws {
    let handler = VNImageRequestHandler(cvPixelBuffer: try Self.ramp())
    let found = try Self.shown(handler) { $0.regionOfInterest = CGRect(x: 0.25, y: 0, width: 0.5, height: 0.5) }
    let expected = (4..<8).flatMap { y in (3..<9).map { x in UInt8(y * 12 + x) } }
    #expect(Self.reds(found) == expected)
    let above = try Self.shown(handler) { $0.regionOfInterest = CGRect(x: 0, y: 0.5, width: 0.5, height: 0.5) }
    #expect(Self.reds(above) == (0..<4).flatMap { y in (0..<6).map { x in UInt8(y * 12 + x) } })
  }

  /// 1 - 0.3 - 0.4 is slightly less than 0.3, and ten times that is slightly less than 3.
  @Test func aRegionBetweenPixelsLosesNone() throws {
    let picture = try PictureCases.picture((0..<100 as Range<UInt8>).flatMap { [$0, 0, 0] as [UInt8] }, 10, 10)
    let part = try UprightPicture(pixels: picture).part(CGRect(x: 0.3, y: 0.3, width: 0.4, height: 0.4))
    #expect((part.width, part.height) == (4, 4))
    #expect(try Self.reds(PictureCases.rgb(part)) == (3..<7).flatMap { y in (3..<7).map { x in UInt8(y * 10 + x) } })
  }

  @Test(arguments: [
    CGRect(x: -0.1, y: 0, width: 0.5, height: 0.5), CGRect(x: 0.6, y: 0, width: 0.5, height: 0.5),
    CGRect(x: 0, y: 0, width: 0, height: 1), CGRect(x: 0, y: CGFloat.nan, width: 1, height: 1),
    CGRect(x: 0, y: 0, width: 1, height: CGFloat.infinity), CGRect(x: 1, y: 1, width: -1, height: -1),
    CGRect(x: 1, y: 0, width: 1e-10, height: 1), CGRect(x: 0, y: 1, width: 1, height: 1e-10),
  ])
  func aRegionThatIsNotWithinThePictureIsRefused(region: CGRect) throws {
    let error = #expect(throws: VNFailure.self) {
      _ = try Self.shown(VNImageRequestHandler(cvPixelBuffer: try Self.ramp())) { $0.regionOfInterest = region }
    }
    #expect(error?.code == .invalidArgument)
  }

  /// The region is relative to the upright image.
  @Test(arguments: CGImagePropertyOrientation.allCases)
  func picturesAreTurnedUprightFirst(orientation: CGImagePropertyOrientation) throws {
    let stored = try Self.ramp()
    let upright = try stored.oriented(orientation)
    let handler = VNImageRequestHandler(cvPixelBuffer: stored, orientation: orientation, options: [:])
    let found = try Self.shown(handler) {
      $0.regionOfInterest = CGRect(x: 0, y: 0, width: 0.5, height: 0.5)
      $0.imageCropAndScaleOption = .scaleFill
    }
    let part = try upright.cropped(x: 0, y: 0.5, width: 0.5, height: 0.5)
    #expect(found == (try PictureCases.rgb(part.resized(width: 6, height: 4))))
    let file = Data(try ImageEncoder.png(stored))
    let fromFile = try Self.shown(VNImageRequestHandler(data: file, orientation: orientation)) {
      $0.imageCropAndScaleOption = .scaleFill
    }
    #expect(fromFile == (try PictureCases.rgb(upright.resized(width: 6, height: 4))))
  }

  /// A camera frame is converted to the color format of the model.
  @Test(arguments: [
    kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange,
    kCVPixelFormatType_32RGBA, kCVPixelFormatType_32ARGB, kCVPixelFormatType_OneComponent8,
  ])
  func everyFormatIsConverted(format: OSType) throws {
    let frame = try PictureCases.read().source().converted(to: format)
    let expected = try frame.converted(to: kCVPixelFormatType_32BGRA).resized(width: 6, height: 4, .scaleFill)
    let found = try Self.shown(VNImageRequestHandler(cvPixelBuffer: frame)) { $0.imageCropAndScaleOption = .scaleFill }
    #expect(found == (try PictureCases.rgb(expected)))
  }

  @Test func numbersAreGivenAsTheyAre() throws {
    let request = VNCoreMLRequest(
      model: try VNCoreMLModel(for: PictureModels.load("Tests/Cases/models/pictureProgramPipeline.mlmodel")))
    try VNImageRequestHandler(cvPixelBuffer: try Self.ramp()).perform([request])
    let found = try #require(request.results as? [VNCoreMLFeatureValueObservation])
    #expect(found.map(\.featureName).contains("means"))
    #expect(found.allSatisfy { $0.featureValue.multiArrayValue?.count == 3 })
  }

  // MARK: detectors

  /// A dark image gives two boxes. The third box duplicates the first. Origins are lower left corners.
  @Test func objectsHaveBoxesAndLabels() throws {
    let dark = try PixelBuffer(width: 6, height: 4, pixelFormatType: kCVPixelFormatType_32BGRA)
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: PictureModels.detector()))
    try VNImageRequestHandler(cvPixelBuffer: dark).perform([request])
    let found = try #require(request.results as? [VNRecognizedObjectObservation])
    try #require(found.count == 2)
    #expect(found.map { $0.labels.map(\.identifier) } == [["dog", "cat"], ["cat", "dog"]])
    for (object, expected) in zip(found, [(0.9, 0.2), (0.8, 0.1)] as [(Float, Float)]) {
      #expect(abs(object.confidence - expected.0) < 1e-6 && object.confidence == object.labels[0].confidence)
      #expect(abs(object.labels[1].confidence - expected.1) < 1e-6)
    }
    let boxes = [CGRect(x: 0.2, y: 0.6, width: 0.2, height: 0.3), CGRect(x: 0.6, y: 0.3, width: 0.2, height: 0.4)]
    for (object, box) in zip(found, boxes) {
      let found = object.boundingBox
      #expect(abs(found.minX - box.minX) < 1e-6 && abs(found.minY - box.minY) < 1e-6, "\(found)")
      #expect(abs(found.width - box.width) < 1e-6 && abs(found.height - box.height) < 1e-6, "\(found)")
    }
    #expect(
      VNImageRectForNormalizedRect(CGRect(x: 0.5, y: 0.25, width: 0.25, height: 0.5), 8, 4)
        == CGRect(x: 4, y: 1, width: 2, height: 2))
    #expect(
      VNImageRectForNormalizedRectUsingRegionOfInterest(
        CGRect(x: 0.5, y: 0, width: 0.5, height: 1), 8, 4, CGRect(x: 0.5, y: 0.5, width: 0.5, height: 0.5))
        == CGRect(x: 6, y: 2, width: 2, height: 2))
  }

  /// The application provides thresholds. A value that it provides for the image input is ignored.
  @Test func aProviderGivesThresholds() throws {
    let dark = try PixelBuffer(width: 6, height: 4, pixelFormatType: kCVPixelFormatType_32BGRA)
    let model = try VNCoreMLModel(for: PictureModels.detector())
    #expect(model.inputImageFeatureName == "picture" && model.featureProvider == nil)
    func labels(_ thresholds: [String: Any]?) throws -> [String] {
      model.featureProvider = try thresholds.map { try MLDictionaryFeatureProvider(dictionary: $0) }
      let request = VNCoreMLRequest(model: model)
      try VNImageRequestHandler(cvPixelBuffer: dark).perform([request])
      let found = try #require(request.results as? [VNRecognizedObjectObservation])
      return found.map { $0.labels[0].identifier }
    }
    #expect(try labels(nil) == ["dog", "cat"])
    #expect(try labels(["confidenceThreshold": 0.85, "picture": "none"]) == ["dog"])
    #expect(try labels(["confidenceThreshold": 0.95]) == [])
    #expect(try labels(["iouThreshold": 0.99]) == ["dog", "dog", "cat"])
  }

  // MARK: errors

  @Test func aModelWithoutPicturesIsRefused() throws {
    let error = #expect(throws: VNFailure.self) {
      try VNCoreMLModel(for: PictureModels.load("Tests/Cases/models/optionalInput.mlmodel"))
    }
    #expect(error?.code == .invalidModel)
    let model = try VNCoreMLModel(for: PictureModels.negative())
    model.inputImageFeatureName = "other"
    let wrong = #expect(throws: VNFailure.self) {
      try VNImageRequestHandler(cvPixelBuffer: try Self.ramp()).perform([VNCoreMLRequest(model: model)])
    }
    #expect(wrong?.code == .invalidArgument && wrong?.message.contains("'other'") == true)
  }

  /// Every request runs and its completion handler gets the error. The handler throws the first error.
  @Test func everyRequestIsToldOfItsError() throws {
    let model = try VNCoreMLModel(for: PictureModels.negative())
    var told: [String] = []
    let good = VNCoreMLRequest(model: model) { request, error in
      told.append("\(request.results?.count ?? -1) \(error == nil)")
    }
    let bad = VNCoreMLRequest(model: model) { request, error in
      told.append("\(request.results?.count ?? -1) \(error == nil)")
    }
    bad.regionOfInterest = CGRect(x: 0, y: 0, width: 2, height: 2)
    let error = #expect(throws: VNFailure.self) {
      try VNImageRequestHandler(cvPixelBuffer: try Self.ramp()).perform([bad, good])
    }
    #expect(told == ["-1 false", "1 true"])
    let asObject = try #require(error) as NSError
    #expect(asObject.domain == VNErrorDomain && asObject.code == VNErrorCode.invalidArgument.rawValue)
    #expect(asObject.localizedDescription.contains("region of interest"))
    // Results of an earlier call are cleared.
    good.regionOfInterest = bad.regionOfInterest
    #expect(throws: VNFailure.self) { try VNImageRequestHandler(cvPixelBuffer: try Self.ramp()).perform([good]) }
    #expect(good.results == nil)
  }

  @Test func whatIsNoPictureIsRefused() throws {
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: PictureModels.negative()))
    for (handler, code) in [
      (VNImageRequestHandler(url: URL(filePath: "/nowhere.png")), VNErrorCode.ioError),
      (VNImageRequestHandler(url: URL(filePath: "/dev/zero")), .ioError),
      (VNImageRequestHandler(data: Data("GIF89a".utf8)), .invalidImage),
      (VNImageRequestHandler(data: Data()), .invalidImage),
      (
        VNImageRequestHandler(
          cvPixelBuffer: try PixelBuffer(
            width: 6, height: 4, pixelFormatType: kCVPixelFormatType_OneComponent32Float)), .invalidImage
      ),
    ] {
      let error = #expect(throws: VNFailure.self) { try handler.perform([request]) }
      #expect(error?.code == code, "\(error?.message ?? "")")
    }
    let none = #expect(throws: VNFailure.self) {
      try VNImageRequestHandler(cvPixelBuffer: try Self.ramp()).perform([VNRequest()])
    }
    #expect(none?.code == .unsupportedRequest)
  }

  /// If a model cannot run, its error is the underlying error.
  @Test func aModelsErrorIsBeneath() throws {
    let model = try VNCoreMLModel(for: PictureModels.detector())
    model.featureProvider = try MLDictionaryFeatureProvider(dictionary: ["confidenceThreshold": "high"])
    let error = #expect(throws: VNFailure.self) {
      try VNImageRequestHandler(cvPixelBuffer: try Self.ramp()).perform([VNCoreMLRequest(model: model)])
    }
    #expect(error?.code == .operationFailed && error?.underlyingError is MLModelError)
  }

  @Test func aPredictionOverItsTimeSaysSo() throws {
    let configuration = MLModelConfiguration()
    var limits = RuntimeLimits()
    limits.predictionTime = 1e-9
    configuration.limits = limits
    let model = try VNCoreMLModel(
      for: PictureModels.load("Tests/Cases/models/enumeratedPicture.mlmodel", configuration))
    let error = #expect(throws: VNFailure.self) {
      try VNImageRequestHandler(cvPixelBuffer: try Self.ramp()).perform([VNCoreMLRequest(model: model)])
    }
    #expect(error?.code == .timeout && error?.underlyingError is MLModelError, "\(error?.message ?? "")")
  }

  /// An error that an application's model throws is the underlying error of a Vision error.
  @Test func anErrorOfTheApplicationIsBeneath() throws {
    struct Odd: Error {}
    final class Broken: MLModel, @unchecked Sendable {
      let real: MLModel
      init(_ real: MLModel) { self.real = real }
      override var modelDescription: MLModelDescription { real.modelDescription }
      override func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws
        -> any MLFeatureProvider
      { throw Odd() }
    }
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: Broken(try PictureModels.negative())))
    let error = #expect(throws: VNFailure.self) {
      try VNImageRequestHandler(cvPixelBuffer: try Self.ramp()).perform([request])
    }
    #expect(error?.code == .operationFailed && error?.underlyingError is Odd)
  }

  @Test func aCancelledRequestStopsOnce() throws {
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: PictureModels.negative()))
    let handler = VNImageRequestHandler(cvPixelBuffer: try Self.ramp())
    request.cancel()
    let error = #expect(throws: VNFailure.self) { try handler.perform([request]) }
    #expect(error?.code == .requestCancelled && request.results == nil)
    try handler.perform([request])
    #expect(request.results?.count == 1)
  }

  /// A subclass may replace a model. Labels with equal confidence are sorted by name.
  @Test func aModelOfTheApplicationIsAsked() throws {
    final class Mock: MLModel, @unchecked Sendable {
      let real: MLModel
      init(_ real: MLModel) { self.real = real }
      override var modelDescription: MLModelDescription { real.modelDescription }
      override func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws
        -> any MLFeatureProvider
      {
        #expect(input.featureNames == ["image"] && options.usesCPUOnly)
        let shares: [String: Double] = ["b": 0.25, "a": 0.25, "c": 0.5]
        return try MLDictionaryFeatureProvider(dictionary: [
          "classLabel": "c", "classLabel_probs": MLFeatureValue(dictionary: shares as [AnyHashable: NSNumber]),
        ])
      }
    }
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: Mock(try PictureModels.digits())))
    request.usesCPUOnly = true
    try VNSequenceRequestHandler().perform([request], onImageURL: Self.digit("two"))
    let found = try #require(request.results as? [VNClassificationObservation])
    #expect(found.map(\.identifier) == ["c", "a", "b"])
  }
}
