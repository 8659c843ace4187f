import CoreMLServingInterface

/// The JSON documents of the protocol, apart from inference.
package enum Documents {
  /// The extensions that this server implements, by the names of the protocol.
  package static let extensions = [
    "classification", "sequence", "model_repository", "model_configuration", "binary_tensor_data", "parameters",
    "statistics", "schedule_policy",
  ]

  package static func error(_ message: String) -> ByteStore {
    var writer = JSONWriter()
    writer.object { $0.field("error", message) }
    return writer.store
  }

  package static func live(_ isLive: Bool) throws(ServingError) -> ByteStore {
    try JSONWriter.document { $0.object { $0.field("live", isLive) } }
  }

  package static func ready(_ isReady: Bool) throws(ServingError) -> ByteStore {
    try JSONWriter.document { $0.object { $0.field("ready", isReady) } }
  }

  package static func ready(model: String, _ isReady: Bool) throws(ServingError) -> ByteStore {
    try JSONWriter.document {
      $0.object {
        $0.field("name", model)
        $0.field("ready", isReady)
      }
    }
  }

  package static func server(name: String, version: String) throws(ServingError) -> ByteStore {
    try JSONWriter.document {
      $0.object {
        $0.field("name", name)
        $0.field("version", version)
        $0.field("extensions", extensions)
      }
    }
  }

  /// The names of all models.
  package static func models(_ statuses: [ModelStatus]) throws(ServingError) -> ByteStore {
    var names: [String] = []
    for status in statuses where names.last != status.name && !names.contains(status.name) { names.append(status.name) }
    return try JSONWriter.document { $0.object { $0.field("models", names) } }
  }

  package static func index(_ statuses: [ModelStatus]) throws(ServingError) -> ByteStore {
    try JSONWriter.document {
      $0.array(statuses) { writer, status in
        writer.object {
          $0.field("name", status.name)
          $0.field("version", status.version)
          $0.field("state", status.state.rawValue)
          $0.field("reason", status.reason)
        }
      }
    }
  }

  package static func model(_ model: ModelMetadata) throws(ServingError) -> ByteStore {
    try JSONWriter.document {
      $0.object {
        $0.field("name", model.name)
        $0.field("versions", model.versions)
        $0.field("platform", model.platform)
        $0.name("inputs")
        $0.array(model.inputs) { writer, tensor in Self.tensor(&writer, tensor) }
        $0.name("outputs")
        $0.array(model.outputs) { writer, tensor in Self.tensor(&writer, tensor) }
        if !model.parameters.isEmpty { $0.field("parameters", model.parameters) }
      }
    }
  }

  private static func tensor(_ writer: inout JSONWriter, _ tensor: ModelMetadata.Tensor) {
    writer.object {
      $0.field("name", tensor.name)
      $0.field("datatype", tensor.type.rawValue)
      $0.field("shape", tensor.shape)
      if tensor.isOptional { $0.field("optional", true) }
      if !tensor.labels.isEmpty { $0.field("labels", tensor.labels) }
      if !tensor.parameters.isEmpty { $0.field("parameters", tensor.parameters) }
    }
  }

  /// The body of a request for the repository's index: whether only models that are ready are wanted.
  package static func indexRequest(_ body: UnsafeRawBufferPointer) throws(ServingError) -> Bool {
    var scanner = JSONScanner(body)
    guard scanner.peek() != nil else { return false }
    var readyOnly = false
    try scanner.object { name, scanner throws(ServingError) in
      if name == "ready" { readyOnly = try scanner.bool() } else { try scanner.skip() }
    }
    try scanner.expectEnd()
    return readyOnly
  }

  /// The body of a request to load or unload a model: its parameters.
  package static func loadRequest(_ body: UnsafeRawBufferPointer) throws(ServingError) -> [String: ParameterValue] {
    var scanner = JSONScanner(body)
    guard scanner.peek() != nil else { return [:] }
    var parameters: [String: ParameterValue] = [:]
    try scanner.object { name, scanner throws(ServingError) in
      if name == "parameters" { parameters = try scanner.parameters() } else { try scanner.skip() }
    }
    try scanner.expectEnd()
    return parameters
  }
}
