import CoreML
import CoreMLImages
import Foundation
import Testing

@testable import Vision

/// Rectangles, errors and archives of the Swift API.
@Suite struct SwiftValueTests {
  private static let size = CGSize(width: 8, height: 4)
  private static let region = NormalizedRect(x: 0.5, y: 0.5, width: 0.5, height: 0.5)

  @Test func rectanglesBecomePixels() {
    let rectangle = NormalizedRect(x: 0.5, y: 0.25, width: 0.25, height: 0.5)
    #expect(
      rectangle.toImageCoordinates(Self.size) == VNImageRectForNormalizedRect(rectangle.cgRect, 8, 4))
    #expect(
      NormalizedRect(x: 0, y: 0, width: 0.5, height: 0.25).toImageCoordinates(Self.size, origin: .upperLeft)
        == CGRect(x: 0, y: 3, width: 4, height: 1))
    #expect(
      rectangle.toImageCoordinates(from: Self.region, imageSize: Self.size)
        == VNImageRectForNormalizedRectUsingRegionOfInterest(rectangle.cgRect, 8, 4, Self.region.cgRect))
    let inRegion = NormalizedRect(x: 0, y: 0, width: 0.5, height: 0.5)
    #expect(
      inRegion.toImageCoordinates(from: Self.region, imageSize: Self.size, origin: .upperLeft)
        == CGRect(x: 4, y: 1, width: 2, height: 1))
    #expect(NormalizedRect(imageRect: CGRect(x: 4, y: 1, width: 2, height: 2), in: Self.size) == rectangle)
    #expect(
      NormalizedRect(imageRect: CGRect(x: 4, y: 2, width: 2, height: 1), in: Self.size, normalizedTo: Self.region)
        == inRegion)
    #expect(rectangle.verticallyFlipped() == rectangle && inRegion.verticallyFlipped().origin.y == 0.5)
    #expect(NormalizedRect.fullImage.cgRect == VNNormalizedIdentityRect && Set([rectangle, rectangle]).count == 1)
  }

  @Test func pointsBecomePixels() {
    let point = NormalizedPoint(x: 0.5, y: 0.25)
    #expect(point.toImageCoordinates(Self.size) == CGPoint(x: 4, y: 1))
    #expect(point.toImageCoordinates(Self.size, origin: .upperLeft) == CGPoint(x: 4, y: 3))
    #expect(point.toImageCoordinates(from: Self.region, imageSize: Self.size) == CGPoint(x: 6, y: 2.5))
    #expect(
      point.toImageCoordinates(from: Self.region, imageSize: Self.size, origin: .upperLeft) == CGPoint(x: 6, y: 1.5))
    #expect(NormalizedPoint(imagePoint: CGPoint(x: 4, y: 1), in: Self.size) == point)
    #expect(
      NormalizedPoint(imagePoint: CGPoint(x: 6, y: 2.5), in: Self.size, normalizedTo: Self.region) == point)
    #expect(point.verticallyFlipped() == NormalizedPoint(normalizedPoint: CGPoint(x: 0.5, y: 0.75)))
    #expect(Set([NormalizedPoint.zero, NormalizedPoint(x: 0, y: 0)]).count == 1)
  }

  private static let errors: [VisionError] = [
    .dataUnavailable("a"), .internalError("a"), .invalidArgument("a"), .invalidFormat("a"), .invalidImage("a"),
    .invalidModel("a"), .invalidOperation("a"), .ioError("a"), .operationFailed("a"), .outOfBoundsError("a"),
    .outOfMemory("a"), .pixelBufferCreationFailed(-6660), .requestCancelled("a"), .timeout("a"),
    .timeStampNotFound("a"),
    .unsupportedComputeDevice("a"), .unsupportedComputeStage("a"), .unsupportedRequest("a"), .unsupportedRevision("a"),
  ]

  @Test func errorsCastToNSErrorAndBack() throws {
    for (place, error) in Self.errors.enumerated() {
      let object = error as NSError
      #expect(object.domain == "Vision.VisionError" && object.code == place)
      #expect(object.localizedDescription == error.localizedDescription)
      let back = try #require((object as any Error) as? VisionError)
      #expect("\(back)" == "\(error)" && back.errorCode == place)
    }
    #expect((NSError(domain: "Vision.VisionError", code: 19) as any Error) as? VisionError == nil)
    #expect((NSError(domain: VNErrorDomain, code: 1) as any Error) as? VisionError == nil)
  }

  @Test func observationsAreRead() async throws {
    func again<Observation: VisionObservation>(_ observation: Observation) throws -> Observation {
      try JSONDecoder().decode(Observation.self, from: JSONEncoder().encode(observation))
    }
    let ramp = try SwiftRequestTests.ramp()
    for name in ["enumeratedPicture", "pictureProgramPipeline", "detector"] {
      let model = try PictureModels.load("Tests/Cases/models/\(name).mlmodel")
      let dark = try PixelBuffer(width: 6, height: 4, pixelFormatType: kCVPixelFormatType_32BGRA)
      let request = CoreMLRequest(model: try CoreMLModelContainer(model: model))
      let found = try await request.perform(on: name == "detector" ? dark : ramp)
      #expect(!found.isEmpty)
      for observation in found { #expect(AnyHashable(try again(observation)) == AnyHashable(observation)) }
    }
  }

  /// More or fewer bytes of pixels than the size requires.
  @Test func aDamagedImageIsRefused() throws {
    let uuid = UUID().uuidString
    func read(_ width: Int, _ bytes: Int) throws -> PixelBufferObservation {
      let pixels = Data(count: bytes).base64EncodedString()
      let text =
        #"{"width": \#(width), "height": 2, "pixelFormat": \#(kCVPixelFormatType_32BGRA), "pixels": "\#(pixels)", "uuid": "\#(uuid)", "confidence": 1}"#
      return try JSONDecoder().decode(PixelBufferObservation.self, from: Data(text.utf8))
    }
    #expect(try read(2, 16).size == CGSize(width: 2, height: 2))
    for (width, bytes) in [(2, 15), (2, 17), (0, 0), (-1, 0), (1 << 40, 16)] {
      #expect(throws: DecodingError.self) { _ = try read(width, bytes) }
    }
  }

  /// Observations of the older API convert to new ones. A sequence of integers is not Sendable.
  @Test func olderObservationsHaveCounterparts() throws {
    let label = VNClassificationObservation(identifier: "cat", confidence: 0.5)
    let classification = ClassificationObservation(label)
    #expect(classification.uuid == label.uuid && classification.originatingRequestDescriptor == nil)
    let box = CGRect(x: 0, y: 0, width: 0.5, height: 0.5)
    let object = RecognizedObjectObservation(VNRecognizedObjectObservation(boundingBox: box, labels: [label]))
    #expect(object.labels == [classification] && object.boundingBox.cgRect == box && object.confidence == 0.5)
    let value = VNCoreMLFeatureValueObservation(featureName: "n", featureValue: MLFeatureValue(int64: 3))
    #expect(CoreMLFeatureValueObservation(value)?.featureValue.integerValue == 3)
    let sequence = VNCoreMLFeatureValueObservation(
      featureName: "s", featureValue: MLFeatureValue(sequence: MLSequence(int64s: [1])))
    #expect(CoreMLFeatureValueObservation(sequence) == nil)
    let error = #expect(throws: VisionError.self) {
      try CoreMLRequest(model: CoreMLModelContainer(model: PictureModels.negative())).observations([sequence])
    }
    #expect(SwiftRequestTests.kind(error) == "operationFailed" && error?.description.contains("'s'") == true)
  }
}
