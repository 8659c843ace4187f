import CoreML
import CoreMLDelivery
import Foundation

/// Four ways to bring a model into a program, after the 2017 article on dynamic models, with this runtime:
///
/// 1. Compiled, and bundled with the program.
/// 2. A source model, compiled on the device.
/// 3. Compiled on a server, shipped as a compressed archive, unpacked on the device.
/// 4. A bundle with truncated weights comes with the program; the weights are shipped separately.
///
///     FourWays [MODEL.mlpackage IMAGE]
@main struct FourWays {
  static func main() throws {
    // A new instance of this program tries new models.
    TrialProcess.runIfAsked()
    let words = CommandLine.arguments.dropFirst().map { URL(filePath: $0).standardizedFileURL }
    let digits = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
      path: "digits")
    let source = words.first ?? digits.appending(path: "Digits.mlpackage", directoryHint: .isDirectory)
    let image = words.count > 1 ? words[1] : digits.appending(path: "seven.png")
    let work = FileManager.default.temporaryDirectory.appending(
      path: "four-ways-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: work) }
    let server = try Server(source, in: work.appending(path: "server", directoryHint: .isDirectory))
    let device = try Device(image, in: work.appending(path: "device", directoryHint: .isDirectory))

    print("way                               bytes shipped   seconds to the first prediction   it sees")
    try device.show("compiled and bundled", shipped: nil) { try device.bundle(server.compiled) }
    try device.show("compiled on the device", shipped: source) { try device.compile(source) }
    try device.show("compiled on a server, .tar.bz2", shipped: server.archive) { try device.unpack(server.archive) }
    try device.show("new weights for a cut bundle", shipped: server.weights) {
      try device.putWeights(server.weights, into: server.cut)
    }
  }
}

/// Files on the server, or that come with the program.
struct Server {
  let compiled: URL
  let archive: URL
  let weights: URL
  /// The compiled model with only the first bytes of its weights.
  let cut: URL

  init(_ source: URL, in folder: URL) throws {
    let files = FileManager.default
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    compiled = folder.appending(path: "Model.mlmodelc", directoryHint: .isDirectory)
    _ = try files.replaceItemAt(compiled, withItemAt: MLModel.compileModel(at: source))
    archive = folder.appending(path: "Model.tar.bz2")
    try ArchivePacker.pack(compiled, to: archive, kind: .tarBzip2)
    weights = folder.appending(path: "weight.bin")
    cut = folder.appending(path: "Cut.mlmodelc", directoryHint: .isDirectory)
    try files.copyItem(at: compiled, to: cut)
    let inside = cut.appending(path: "weights/weight.bin")
    try files.moveItem(at: inside, to: weights)
    try Data(contentsOf: weights).prefix(64).write(to: inside)
  }
}

/// The machine that predicts. Every way installs the model atomically.
struct Device {
  let image: URL
  let store: ModelStore
  let installer: ModelInstaller

  init(_ image: URL, in folder: URL) throws {
    self.image = image
    let folders = ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"]
    let environment = Dictionary(uniqueKeysWithValues: folders.map { ($0, folder.appending(path: $0).path) })
    let places = try DeliveryDirectories(environment: environment)
    store = ModelStore(places)
    installer = ModelInstaller(
      store: store, cache: CompiledModelCache(directory: places.compiledModels, runtimeVersion: "1.0.0"))
  }

  func bundle(_ compiled: URL) throws -> MLModel { try MLModel(contentsOf: compiled) }

  func compile(_ source: URL) throws -> MLModel { try load(installer.install(source, as: "compiled-here")) }

  func unpack(_ archive: URL) throws -> MLModel { try load(installer.install(archive, as: "unpacked")) }

  /// Checked against the bundle's program: names, offsets, types and shapes.
  func putWeights(_ weights: URL, into bundle: URL) throws -> MLModel {
    let folder = try store.stagingFolder()
    let whole = try WeightsUpdate.apply(weights: weights, to: bundle, in: folder.url)
    return try load(installer.install(whole, as: "new-weights"))
  }

  private func load(_ model: StoredModel) throws -> MLModel {
    try MLModel(contentsOf: installer.compiled(model)?.url ?? model.url)
  }

  func show(_ way: String, shipped: URL?, _ make: () throws -> MLModel) throws {
    let clock = ContinuousClock()
    var seen = ""
    let time = try clock.measure { seen = try predict(make()) }
    let bytes = try shipped.map { try TreeDigest.files(of: $0).reduce(0) { $0 + $1.size } } ?? 0
    let seconds = String(format: "%.3f", time / .seconds(1))
    print(
      way.padding(toLength: 32, withPad: " ", startingAt: 0), Self.right("\(bytes)", 14), Self.right(seconds, 33), " ",
      seen)
  }

  private func predict(_ model: MLModel) throws -> String {
    guard let input = model.modelDescription.inputDescriptionsByName.values.first,
      let constraint = input.imageConstraint
    else { return "no image input" }
    let value = try MLFeatureValue(imageAt: image, constraint: constraint)
    let output = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: [input.name: value]))
    return model.modelDescription.predictedFeatureName.flatMap { output.featureValue(for: $0)?.stringValue }
      ?? "no label"
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
