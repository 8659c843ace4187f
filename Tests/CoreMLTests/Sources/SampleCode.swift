// swift-format-ignore-file
import CoreML

// Code of articles and samples for Apple's framework, verbatim where it is complete.

/// A model that is downloaded, compiled and stored.
class ModelDownloadManager {
    private let fileManager: FileManager
    private let modelsFolder: URL

    init(fileManager: FileManager = .default, folder: URL? = nil) {
        self.fileManager = fileManager
        if let folder = folder ?? fileManager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first?.appendingPathComponent("context_sdk_models") {
            self.modelsFolder = folder
            try? fileManager.createDirectory(at: folder, withIntermediateDirectories: true)
        } else {
            fatalError("Unable to find or create models folder.")
        }
    }

    func compileCoreMLFile(at localFilePath: URL) throws -> URL {
        let compiledModelURL = try MLModel.compileModel(at: localFilePath)
        let destinationCompiledURL = modelsFolder.appendingPathComponent(compiledModelURL.lastPathComponent)
        try fileManager.moveItem(at: compiledModelURL, to: destinationCompiledURL)
        try fileManager.removeItem(at: localFilePath)
        return destinationCompiledURL
    }

    func deleteAllOutdatedModels(keeping recentModelFileName: String) throws {
        let urlContent = try fileManager.contentsOfDirectory(at: modelsFolder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        for fileURL in urlContent where fileURL.lastPathComponent != recentModelFileName {
            try fileManager.removeItem(at: fileURL)
        }
    }

    func latestModel() -> Digits? {
        let fileManagerContents = (try? fileManager.contentsOfDirectory(at: modelsFolder, includingPropertiesForKeys: nil)) ?? []
        if let latestFileURL = fileManagerContents.sorted(by: { $0.lastPathComponent > $1.lastPathComponent }).first,
            let otaModel = try? Digits(contentsOf: latestFileURL) {
            return otaModel
        }
        return nil
    }
}

/// A model that is trained on the user's drawings.
struct ModelUpdater {
    let updatedModelURL: URL
    let tempUpdatedModelURL: URL

    func updateWith(trainingData: MLBatchProvider, completionHandler: @escaping (Error?) -> Void) {
        // Create an Update Task.
        guard let updateTask = try? MLUpdateTask(forModelAt: updatedModelURL,
                                           trainingData: trainingData,
                                           configuration: nil,
                                           completionHandler: { updateContext in
                                               completionHandler(updateContext.task.error ?? self.saveUpdatedModel(updateContext))
                                           })
            else {
                print("Could't create an MLUpdateTask.")
                return
        }
        updateTask.resume()
    }

    private func saveUpdatedModel(_ updateContext: MLUpdateContext) -> Error? {
        let updatedModel = updateContext.model
        let fileManager = FileManager.default
        do {
            // Create a directory for the updated model.
            try fileManager.createDirectory(at: tempUpdatedModelURL,
                                            withIntermediateDirectories: true,
                                            attributes: nil)

            // Save the updated model to temporary filename.
            try updatedModel.write(to: tempUpdatedModelURL)

            // Replace any previously updated model with this one.
            _ = try fileManager.replaceItemAt(updatedModelURL,
                                              withItemAt: tempUpdatedModelURL)
        } catch let error {
            print("Could not save updated model to the file system: \(error)")
            return error
        }
        return nil
    }

    func batch(_ drawings: [(MLFeatureValue, Character)]) -> MLBatchProvider {
        var featureProviders = [MLFeatureProvider]()

        let inputName = "image"
        let outputName = "label"

        for drawing in drawings {
            let inputValue = drawing.0
            let outputValue = MLFeatureValue(string: String(drawing.1))

            let dataPointFeatures: [String: MLFeatureValue] = [inputName: inputValue,
                                                               outputName: outputValue]

            if let provider = try? MLDictionaryFeatureProvider(dictionary: dataPointFeatures) {
                featureProviders.append(provider)
            }
        }

        return MLArrayBatchProvider(array: featureProviders)
    }
}

/// A substitute for a model in an application's tests.
class MockModel: MLModel, @unchecked Sendable {
    var asked: [String] = []

    override var modelDescription: MLModelDescription { MLModelDescription() }

    override func prediction(from input: MLFeatureProvider, options: MLPredictionOptions) throws -> MLFeatureProvider {
        asked += input.featureNames.sorted()
        return try MLDictionaryFeatureProvider(dictionary: ["label": "mock", "probabilities": MLFeatureValue(dictionary: ["mock": 1.0])])
    }
}

/// A configuration that counts its copies.
class CountingConfiguration: MLModelConfiguration, @unchecked Sendable {
    private(set) var copies = 0

    override func copy(with zone: NSZone? = nil) -> Any {
        copies += 1
        return super.copy(with: zone)
    }
}

/// Stores providers and models in every way that classes allow.
class Owner {
    weak var source: MLFeatureProvider?
    weak var batch: MLBatchProvider?
    var model: MLModel?

    func load(_ url: URL, then: @escaping () -> Void) {
        MLModel.load(contentsOf: url, configuration: MLModelConfiguration()) { [weak self] result in
            self?.model = try? result.get()
            then()
        }
    }

    func load(_ asset: MLModelAsset, then: @escaping (Error?) -> Void) {
        MLModel.load(asset, configuration: MLModelConfiguration()) { [weak self] model, error in
            self?.model = model
            then(error)
        }
    }

    func isSame(_ provider: MLFeatureProvider) -> Bool { provider === source }
}

/// Overloads for images and for pixel buffers.
func pixels(of picture: CGImage) -> Int { picture.width * picture.height }
func pixels(of buffer: CVPixelBuffer) -> Int { buffer.width * buffer.height }

func kind(of error: Error) -> String {
    do { throw error } catch MLModelError.io {
        return "io"
    } catch let error as MLModelError where error.code == .featureType {
        return "featureType"
    } catch {
        return "other"
    }
}
