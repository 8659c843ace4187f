// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime
import Foundation
import Synchronization

/// How a model is loaded.
final class OptionsHandle: Handle {
  override class var typeName: String { "coreml_options" }

  private let settings = Mutex(Settings())

  struct Settings: Sendable {
    var texts: [String: String] = [:]
    var parameters: [MLParameterKey: Double] = [:]
  }

  func set(_ key: String, _ text: String, _ call: Call) throws {
    guard let option = Option(rawValue: key) else {
      throw call.failure(
        .value, "there is no option '\(key)'; there are \(Option.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    if text.isEmpty {
      settings.withLock { $0.texts[key] = nil }
    } else {
      // Applied here as well, so that the call with the mistake returns the error.
      try option.apply(text, to: MLModelConfiguration(), call)
      settings.withLock { $0.texts[key] = text }
    }
  }

  func set(_ key: MLParameterKey, _ value: Double) { settings.withLock { $0.parameters[key] = value } }

  /// A new configuration for each model.
  func configuration(_ call: Call) throws -> MLModelConfiguration {
    let settings = settings.withLock { $0 }
    let configuration = MLModelConfiguration()
    for (key, text) in settings.texts { try Option(rawValue: key)?.apply(text, to: configuration, call) }
    if !settings.parameters.isEmpty { configuration.parameters = settings.parameters.mapValues(ParameterKeys.number) }
    return configuration
  }
}

/// The keys of `coreml_options_set`.
private enum Option: String, CaseIterable {
  case computeUnits, device, function, threads, memoryLimit
  case lowPrecision = "lowPrecisionAccumulationOnGPU"
  case reshapeFrequency, specialization, precision, displayName

  func apply(_ text: String, to configuration: MLModelConfiguration, _ call: Call) throws {
    switch self {
    case .computeUnits:
      configuration.computeUnits = try word(
        text, ["all": .all, "cpuOnly": .cpuOnly, "cpuAndGPU": .cpuAndGPU, "cpuAndNeuralEngine": .cpuAndNeuralEngine],
        call)
    case .device: configuration.preferredOpenCLDevice = text
    case .function: configuration.functionName = text
    case .threads:
      guard let threads = Int(text), (1...1024).contains(threads) else {
        throw call.failure(.value, "the option 'threads' is '\(text)', expected a number from 1 to 1024")
      }
      configuration.threads = threads
    case .memoryLimit:
      guard let bytes = MLModelConfiguration.memorySize(text) else {
        throw call.failure(.value, "the option 'memoryLimit' is '\(text)', expected a size such as 512M or 2G")
      }
      configuration.memoryLimit = bytes
    case .lowPrecision:
      configuration.allowLowPrecisionAccumulationOnGPU = try word(text, ["true": true, "false": false], call)
    case .reshapeFrequency:
      configuration.optimizationHints.reshapeFrequency = try word(
        text, ["frequent": .frequent, "infrequent": .infrequent], call)
    case .specialization:
      configuration.optimizationHints.specializationStrategy = try word(
        text, ["default": .default, "fastPrediction": .fastPrediction], call)
    case .precision:
      configuration.optimizationHints.precision = try word(text, ["default": .default, "low": .low], call)
    case .displayName: configuration.modelDisplayName = text
    }
  }

  private func word<Value>(_ text: String, _ known: [String: Value], _ call: Call) throws -> Value {
    guard let value = known[text] else {
      throw call.failure(
        .value,
        "the option '\(rawValue)' is '\(text)', expected one of \(known.keys.sorted().joined(separator: ", "))")
    }
    return value
  }
}

/// Parameters by their names in C.
enum ParameterKeys {
  static func key(_ name: UnsafePointer<CChar>?, _ scope: UnsafePointer<CChar>?, _ call: Call) throws -> MLParameterKey
  {
    let name = try call.text(name, "name")
    guard let key = known.first(where: { $0.name == name }) else {
      throw call.failure(
        .value, "there is no parameter '\(name)'; there are \(known.map(\.name).joined(separator: ", "))")
    }
    return try scope.map { key.scoped(to: try call.text($0, "scope")) } ?? key
  }

  /// Integral values become integers: a parameter that counts accepts no floating-point number.
  static func number(_ value: Double) -> Any {
    Int64(exactly: value).map { NSNumber(value: $0) } ?? NSNumber(value: value)
  }

  private static let known: [MLParameterKey] = [
    .learningRate, .momentum, .miniBatchSize, .beta1, .beta2, .eps, .epochs, .shuffle, .seed, .numberOfNeighbors,
  ]
}

@c @implementation
public func coreml_options_create(
  _ options: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_options_create", error).make(options, "options") { _ in OptionsHandle() }
}

@c @implementation
public func coreml_options_set(
  _ options: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_options_set", error).run { call in
    let options: OptionsHandle = try call.handle(options, "options")
    try options.set(try call.text(key, "key"), try call.text(value, "value"), call)
  }
}

@c @implementation
public func coreml_options_set_parameter(
  _ options: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ scope: UnsafePointer<CChar>?, _ value: Double,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_options_set_parameter", error).run { call in
    let options: OptionsHandle = try call.handle(options, "options")
    options.set(try ParameterKeys.key(name, scope, call), value)
  }
}
