import CoreMLRuntime
import Foundation

/// Compiles, loads and tries a model in the calling process.
enum TrialWork {
  /// - Throws: only ``DeliveryError`` and `CancellationError`.
  static func run(_ order: TrialOrder, _ key: ModelKey?, _ configuration: MLModelConfiguration) throws {
    do {
      let model = try SmokeTest.run(order.golden, named: order.name) { try load(order, key, configuration) }
      guard let fits = order.fits else { return }
      // A current model that does not load is not used as a reference.
      guard let old = try? open(fits, key, configuration).modelDescription else { return }
      try InterfaceCheck.require(model.modelDescription, fits: old)
    } catch let error as DeliveryError {
      throw error
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw DeliveryError(.doesNotLoad, "\(error)", file: order.name)
    }
  }

  private static func open(_ url: URL, _ key: ModelKey?, _ configuration: MLModelConfiguration) throws -> MLModel {
    if let key, EncryptedModel.isEncrypted(url) {
      return try EncryptedModel.load(url, key: key, configuration: configuration)
    }
    return try MLModel(contentsOf: url, configuration: configuration)
  }

  private static func load(
    _ order: TrialOrder, _ key: ModelKey?, _ configuration: MLModelConfiguration
  ) throws -> MLModel {
    if let key { return try EncryptedModel.load(order.model, key: key, configuration: configuration) }
    if let compiled = order.compiled {
      try ModelInstaller.compile(order.model, to: compiled)
      return try MLModel(contentsOf: compiled, configuration: configuration)
    }
    return try MLModel(contentsOf: order.model, configuration: configuration)
  }
}
