// swift-format-ignore-file
import CoreML
import CoreVideo
import ImageIO
import Vision

// Code as in programs for Apple's frameworks around a model with an image input. Imports that only exist on Apple's
// systems (UIKit, AVFoundation) are left out.

/// Classifies images.
class PictureClassifier {
    let model: MLModel
    var answer: [String] = []
    var failure: String?

    init(model: MLModel) {
        self.model = model
    }

    /// The request is created once and used for every image.
    lazy var classificationRequest: VNCoreMLRequest = {
        do {
            let visionModel = try VNCoreMLModel(for: model)
            let request = VNCoreMLRequest(model: visionModel, completionHandler: { [weak self] request, error in
                self?.processClassifications(for: request, error: error)
            })
            request.imageCropAndScaleOption = .centerCrop
            return request
        } catch {
            fatalError("Failed to load Vision ML model: \(error)")
        }
    }()

    func updateClassifications(for image: CGImage, orientation: CGImagePropertyOrientation) {
        let handler = VNImageRequestHandler(cgImage: image, orientation: orientation)
        do {
            try handler.perform([self.classificationRequest])
        } catch {
            failure = "Failed to perform classification.\n\(error.localizedDescription)"
        }
    }

    func processClassifications(for request: VNRequest, error: Error?) {
        guard let results = request.results else {
            failure = "Unable to classify image.\n\(error!.localizedDescription)"
            return
        }
        let classifications = results as! [VNClassificationObservation]
        if classifications.isEmpty {
            answer = ["Nothing recognized."]
        } else {
            let topClassifications = classifications.prefix(2)
            answer = topClassifications.map { classification in
                return String(format: "  (%.2f) %@", classification.confidence, classification.identifier)
            }
        }
    }
}

/// Finds objects in camera frames.
class ObjectDetector {
    private var requests = [VNRequest]()
    private let sequenceHandler = VNSequenceRequestHandler()
    var found: [(label: String, confidence: VNConfidence, bounds: CGRect)] = []
    let bufferSize: CGSize

    init(bufferSize: CGSize) {
        self.bufferSize = bufferSize
    }

    @discardableResult
    func setupVision(model: MLModel, thresholds: MLFeatureProvider?) -> NSError? {
        let error: NSError! = nil
        do {
            let visionModel = try VNCoreMLModel(for: model)
            visionModel.inputImageFeatureName = "picture"
            visionModel.featureProvider = thresholds
            let objectRecognition = VNCoreMLRequest(model: visionModel) { [weak self] (request, error) in
                if let results = request.results {
                    self?.drawVisionRequestResults(results)
                }
            }
            objectRecognition.imageCropAndScaleOption = .scaleFill
            self.requests = [objectRecognition]
        } catch let error as NSError {
            print("Model loading went wrong: \(error)")
            return error
        }
        return error
    }

    func drawVisionRequestResults(_ results: [Any]) {
        found = []
        for observation in results where observation is VNRecognizedObjectObservation {
            guard let objectObservation = observation as? VNRecognizedObjectObservation else {
                continue
            }
            let topLabelObservation = objectObservation.labels[0]
            let objectBounds = VNImageRectForNormalizedRect(objectObservation.boundingBox, Int(bufferSize.width), Int(bufferSize.height))
            found.append((topLabelObservation.identifier, topLabelObservation.confidence, objectBounds))
        }
    }

    func captureOutput(_ pixelBuffer: CVPixelBuffer) {
        let imageRequestHandler = VNImageRequestHandler(cvPixelBuffer: pixelBuffer, orientation: .up, options: [:])
        do {
            try imageRequestHandler.perform(self.requests)
        } catch {
            print(error)
        }
    }

    func captureInSequence(_ pixelBuffer: CVPixelBuffer) throws {
        try sequenceHandler.perform(requests, on: pixelBuffer, orientation: .up)
    }
}

/// Transforms images.
func stylize(_ buffer: CVImageBuffer, with model: MLModel) throws -> CVPixelBuffer? {
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: model))
    request.preferBackgroundProcessing = true
    request.regionOfInterest = CGRect(x: 0, y: 0.5, width: 1, height: 0.5)
    request.imageCropAndScaleOption = VNImageCropAndScaleOption.scaleFill
    try VNImageRequestHandler(cvPixelBuffer: buffer, options: [VNImageOption: Any]()).perform([request])
    guard let observation = request.results?.first as? VNPixelBufferObservation else { return nil }
    return observation.pixelBuffer
}

/// A model output that is neither a class nor an image.
func heatmap(of url: URL, with model: MLModel) throws -> MLMultiArray? {
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: model))
    try VNImageRequestHandler(url: url).perform([request])
    if let observations = request.results as? [VNCoreMLFeatureValueObservation],
        let heatmap = observations.first?.featureValue.multiArrayValue {
        return heatmap
    }
    return nil
}

extension CGImage {
    /// The image as a pixel buffer, row by row.
    func grayBuffer(width: Int, height: Int) -> CVPixelBuffer? {
        var pixelBuffer: CVPixelBuffer?
        let attrs = [kCVPixelBufferCGImageCompatibilityKey: kCFBooleanTrue!,
                     kCVPixelBufferCGBitmapContextCompatibilityKey: kCFBooleanTrue!] as CFDictionary
        let status = CVPixelBufferCreate(kCFAllocatorDefault, width, height, kCVPixelFormatType_OneComponent8, attrs, &pixelBuffer)
        guard status == kCVReturnSuccess, let buffer = pixelBuffer else {
            return nil
        }

        CVPixelBufferLockBaseAddress(buffer, CVPixelBufferLockFlags(rawValue: 0))
        defer { CVPixelBufferUnlockBaseAddress(buffer, CVPixelBufferLockFlags(rawValue: 0)) }
        let bytesPerRow = CVPixelBufferGetBytesPerRow(buffer)
        guard let baseAddress = CVPixelBufferGetBaseAddress(buffer), let data = dataProvider?.data, let pixels = CFDataGetBytePtr(data) else {
            return nil
        }
        let gray = baseAddress.assumingMemoryBound(to: UInt8.self)
        for y in 0..<min(height, self.height) {
            for x in 0..<min(width, self.width) {
                gray[y * bytesPerRow + x] = pixels[y * self.bytesPerRow + x * bitsPerPixel / 8]
            }
        }
        return buffer
    }

    static func create(contentsOf url: URL) -> (image: CGImage, orientation: CGImagePropertyOrientation)? {
        guard let source = CGImageSourceCreateWithURL(url as CFURL, nil), CGImageSourceGetCount(source) > 0,
            let image = CGImageSourceCreateImageAtIndex(source, 0, [kCGImageSourceShouldCache: false] as CFDictionary) else {
            return nil
        }
        let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [String: Any]
        let raw = properties?[kCGImagePropertyOrientation as String] as? UInt32
        return (image, raw.flatMap(CGImagePropertyOrientation.init(rawValue:)) ?? .up)
    }
}

/// The image in a PNG file.
func pngImage(at url: URL) -> CGImage? {
    guard let provider = CGDataProvider(url: url as CFURL) else { return nil }
    return CGImage(pngDataProviderSource: provider, decode: nil, shouldInterpolate: true, intent: .defaultIntent)
}

/// An image feature without Vision's requests.
func features(_ image: CGImage, for model: MLModel) throws -> MLFeatureProvider {
    let constraint = model.modelDescription.inputDescriptionsByName["image"]!.imageConstraint!
    let imageOptions: [MLFeatureValue.ImageOption: Any] = [
        .cropAndScale: VNImageCropAndScaleOption.scaleFill.rawValue
    ]
    let featureValue = try MLFeatureValue(cgImage: image, constraint: constraint, options: imageOptions)
    return try MLDictionaryFeatureProvider(dictionary: ["image": featureValue])
}

/// The mean luma of a camera frame.
func meanLuma(_ pixelBuffer: CVPixelBuffer) -> Double {
    guard CVPixelBufferGetPixelFormatType(pixelBuffer) == kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, CVPixelBufferIsPlanar(pixelBuffer) else {
        return -1
    }
    CVPixelBufferLockBaseAddress(pixelBuffer, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(pixelBuffer, .readOnly) }
    let width = CVPixelBufferGetWidthOfPlane(pixelBuffer, 0)
    let height = CVPixelBufferGetHeightOfPlane(pixelBuffer, 0)
    let bytesPerRow = CVPixelBufferGetBytesPerRowOfPlane(pixelBuffer, 0)
    guard let luma = CVPixelBufferGetBaseAddressOfPlane(pixelBuffer, 0)?.assumingMemoryBound(to: UInt8.self) else { return -1 }
    var sum = 0
    for row in 0..<height {
        for column in 0..<width {
            sum += Int(luma[row * bytesPerRow + column])
        }
    }
    return Double(sum) / Double(width * height)
}
