// swift-format-ignore-file
import CoreML
import Foundation
import Vision

/// Code of programs for Vision's Swift API of iOS 18.
enum SwiftVision {
    struct Detection { var box: CGRect; var label: String; var confidence: Float }

    /// A detector that keeps a container and creates a request for each frame.
    final class ObjectDetector: Sendable {
        private let container: CoreMLModelContainer
        init(model: MLModel) throws { container = try Vision.CoreMLModelContainer(model: model, featureProvider: nil) }

        func detect(in buffer: CVPixelBuffer, orientation: CGImagePropertyOrientation = .up) async throws -> [Detection] {
            var request = CoreMLRequest(model: container)
            request.cropAndScaleAction = .scaleToFit
            let observations: [any VisionObservation] = try await request.perform(on: buffer, orientation: orientation)
            let size = CGSize(width: CVPixelBufferGetWidth(buffer), height: CVPixelBufferGetHeight(buffer))
            return observations.compactMap { $0 as? Vision.RecognizedObjectObservation }.compactMap { observation in
                guard let topLabel = observation.labels.first else { return nil }
                let visionRect = observation.boundingBox
                let flipped = CGRect(x: visionRect.origin.x, y: 1.0 - visionRect.origin.y - visionRect.height, width: visionRect.width, height: visionRect.height)
                let box = observation.boundingBox.toImageCoordinates(size, origin: .upperLeft)
                guard abs(flipped.origin.y * size.height - box.origin.y) < 1e-6 else { return nil }
                return Detection(box: box, label: topLabel.identifier, confidence: topLabel.confidence)
            }
        }
    }

    /// A service that loads its request once.
    actor ImageService {
        private let model: MLModel
        private var request: CoreMLRequest?
        init(model: MLModel) { self.model = model }

        func process(_ frame: CVPixelBuffer) async -> CGImage? {
            guard
                let request = try? imageRequest(),
                let observations = try? await request.perform(on: frame),
                let observation = observations.first(where: { $0 is PixelBufferObservation }) as? PixelBufferObservation,
                observation.size.width > 0
            else { return nil }
            return try? observation.cgImage
        }

        private func imageRequest() throws -> CoreMLRequest {
            if let request { return request }
            let container = try CoreMLModelContainer(model: model)
            var request = CoreMLRequest(model: container)
            request.cropAndScaleAction = .scaleToFill
            self.request = request
            return request
        }
    }

    private static func load(_ compiled: URL) async throws -> MLModel {
        let configuration = MLModelConfiguration()
        configuration.computeUnits = .all
        return try await MLModel.load(contentsOf: compiled, configuration: configuration)
    }

    static func run(detector: URL, image: URL, array: URL) async throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        let (detector, image, array) = (try await load(detector), try await load(image), try await load(array))
        var made: CVPixelBuffer?
        CVPixelBufferCreate(nil, 6, 4, kCVPixelFormatType_32BGRA, nil, &made)
        guard let frame = made else { return ["no buffer"] }

        let detections = try await ObjectDetector(model: detector).detect(in: frame)
        check(detections.map(\.label) == ["dog", "cat"], "detections: \(detections)")
        let service = ImageService(model: image)
        let picture = await service.process(frame)
        check(picture?.width == 6 && picture?.height == 4, "picture")

        let arrayRequest = CoreMLRequest(model: try CoreMLModelContainer(model: array))
        async let means = try? arrayRequest.perform(on: frame)
        if let results = await means as? [CoreMLFeatureValueObservation], let first = results.first?.featureValue {
            let count = first.shapedArrayValue(of: Float.self)?.scalarCount ?? first.shapedArrayValue(of: Double.self)?.scalarCount
            check(count == 3, "means: \(first)")
        } else { check(false, "no means") }

        // Several concurrent requests.
        let handler = ImageRequestHandler(frame, orientation: .up)
        var imageRequest = CoreMLRequest(model: try CoreMLModelContainer(model: image))
        imageRequest.regionOfInterest = NormalizedRect(x: 0, y: 0, width: 0.5, height: 0.5)
        if let cpu = MLComputeDevice.allComputeDevices.first(where: { if case .cpu = $0 { return true } else { return false } }) {
            imageRequest.setComputeDevice(cpu, for: .main)
        }
        let (images, arrays) = try await handler.perform(imageRequest, arrayRequest)
        check(images.count == 1 && !arrays.isEmpty, "a pack of requests")
        var boxes = 0, failures = 0
        let requests: [any VisionRequest] = [CoreMLRequest(model: try CoreMLModelContainer(model: detector)), imageRequest]
        for await result in handler.performAll(requests) {
            switch result {
            case .coreML(_, let observations): boxes += observations.compactMap { $0 as? any BoundingBoxProviding }.count
            case .error(_, let error): failures += 1; print(error)
            }
        }
        check(boxes == 2 && failures == 0, "all requests: \(boxes) boxes, \(failures) failures")

        do {
            imageRequest.regionOfInterest = NormalizedRect(x: 0.5, y: 0, width: 1, height: 1)
            _ = try await imageRequest.perform(on: frame)
            check(false, "a region outside")
        } catch VisionError.invalidArgument(let message) {
            check(!message.isEmpty, "message")
        }
        do {
            _ = try await imageRequest.perform(on: URL(fileURLWithPath: "/nowhere.png"))
            check(false, "no file")
        } catch let error as NSError {
            check(error.domain == "Vision.VisionError" && !error.localizedDescription.isEmpty, "an NSError")
        }
        return wrong
    }
}
