import CoreML
import CoreMLImages
import Foundation
import Synchronization
import Testing

@testable import Vision

/// Handlers of the Swift API: several requests on one image, and cancellation.
@Suite(.timeLimit(.minutes(2))) struct SwiftHandlerTests {
  private static func detector() throws -> CoreMLRequest {
    CoreMLRequest(model: try CoreMLModelContainer(model: PictureModels.detector()))
  }

  /// A request type that the application defines, which handlers refuse.
  private struct Foreign: VisionRequest {
    typealias Result = Int
    var descriptor: RequestDescriptor { .coreMLRequest(.revision1) }
    var supportedComputeStageDevices: [ComputeStage: [MLComputeDevice]] { [:] }
    func computeDevice(for computeStage: ComputeStage) -> MLComputeDevice? { nil }
    mutating func setComputeDevice(_ computeDevice: MLComputeDevice?, for computeStage: ComputeStage) {}
  }

  @Test func severalRequestsAreAnsweredInTheirOrder() async throws {
    let buffer = try SwiftRequestTests.ramp()
    let png = Data(try ImageEncoder.png(buffer))
    let file = URL.temporaryDirectory.appending(path: "\(UUID()).png")
    try png.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (negative, detector) = (try SwiftRequestTests.negative(), try Self.detector())
    for handler in [
      ImageRequestHandler(file), ImageRequestHandler(png), ImageRequestHandler(CGImage(buffer), orientation: .up),
      ImageRequestHandler(buffer),
    ] {
      let (image, objects) = try await handler.perform(negative, detector)
      #expect(image.count == 1 && image[0] is PixelBufferObservation)
      #expect(objects.allSatisfy { $0 is RecognizedObjectObservation })
      let alone = try await handler.perform(negative)
      let (a, b) = (image[0] as? PixelBufferObservation, alone[0] as? PixelBufferObservation)
      #expect(a?.pixelBuffer.packedBytes == b?.pixelBuffer.packedBytes && a != b)
    }
  }

  @Test func theFirstErrorIsThrown() async throws {
    let handler = ImageRequestHandler(try SwiftRequestTests.ramp())
    var bad = try SwiftRequestTests.negative()
    bad.regionOfInterest = NormalizedRect(x: 0, y: 0, width: 2, height: 1)
    let (wrong, good) = (bad, try SwiftRequestTests.negative())
    let error = await #expect(throws: VisionError.self) { _ = try await handler.perform(good, wrong) }
    #expect(SwiftRequestTests.kind(error) == "invalidArgument")
    let foreign = await #expect(throws: VisionError.self) { _ = try await handler.perform(Foreign()) }
    #expect(SwiftRequestTests.kind(foreign) == "unsupportedRequest")
  }

  @Test func everyRequestHasAResult() async throws {
    let handler = ImageRequestHandler(try SwiftRequestTests.ramp())
    let good = try SwiftRequestTests.negative()
    var bad = good
    bad.regionOfInterest = NormalizedRect(x: 0, y: 0, width: 2, height: 1)
    var results: [VisionResult] = []
    let requests: [any VisionRequest] = [bad, Foreign(), good]
    for await result in handler.performAll(requests) { results.append(result) }
    try #require(results.count == 3)
    guard case .error(let request, let error) = results[0], case .error(let other, _) = results[1],
      case .coreML(let asked, let observations) = results[2]
    else {
      Issue.record("\(results)")
      return
    }
    #expect(request as? CoreMLRequest == bad && SwiftRequestTests.kind(error as? VisionError) == "invalidArgument")
    #expect(other is Foreign && asked == good && observations.count == 1)
    #expect(results[2] == results[2] && results[0] == results[0] && results[0] != results[1])
    #expect(results[2] != .coreML(good, []))
  }

  // MARK: cancellation

  /// A model that signals each call, and waits for permission to continue.
  private final class Waiting: MLModel, @unchecked Sendable {
    let real: MLModel
    let asked = AsyncStream.makeStream(of: Void.self)
    let mayGoOn = DispatchSemaphore(value: 0)
    let calls = Mutex(0)
    init(_ real: MLModel) { self.real = real }
    override var modelDescription: MLModelDescription { real.modelDescription }
    override func prediction(
      from input: any MLFeatureProvider, options: MLPredictionOptions
    ) throws -> any MLFeatureProvider {
      calls.withLock { $0 += 1 }
      asked.continuation.yield()
      mayGoOn.wait()
      return try real.prediction(from: input, options: options)
    }
  }

  @Test func cancellingTheTaskStopsThePrediction() async throws {
    let model = Waiting(try PictureModels.negative())
    let (request, image) = (CoreMLRequest(model: try CoreMLModelContainer(model: model)), try SwiftRequestTests.ramp())
    let task = Task { try await request.perform(on: image) }
    for await _ in model.asked.stream { break }
    task.cancel()
    model.mayGoOn.signal()
    let error = await #expect(throws: VisionError.self) { _ = try await task.value }
    #expect(SwiftRequestTests.kind(error) == "requestCancelled")
    // The request is a value, so another task may perform it.
    model.mayGoOn.signal()
    #expect(try await request.perform(on: image).count == 1)
  }

  @Test func aCancelledTaskBeginsNothing() async throws {
    let (request, image) = (try SwiftRequestTests.negative(), try SwiftRequestTests.ramp())
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await ImageRequestHandler(image).perform(request, request)
    }
    task.cancel()
    let error = await #expect(throws: VisionError.self) { _ = try await task.value }
    #expect(SwiftRequestTests.kind(error) == "requestCancelled")
  }

  /// Leaving the iteration cancels the work: the model only gets the first request.
  @Test func leavingTheSequenceStopsTheWork() async throws {
    let model = Waiting(try PictureModels.negative())
    let request = CoreMLRequest(model: try CoreMLModelContainer(model: model))
    let handler = ImageRequestHandler(try SwiftRequestTests.ramp())
    let seen = Task {
      var count = 0
      for await _ in handler.performAll([request, request, request] as [any VisionRequest]) { count += 1 }
      return count
    }
    for await _ in model.asked.stream { break }
    seen.cancel()
    #expect(await seen.value == 0)
    for _ in 0..<3 { model.mayGoOn.signal() }
    try await Task.sleep(for: .milliseconds(50))
    #expect(model.calls.withLock { $0 } == 1)
  }
}
