import CoreMLServingInterface

/// Reads a `ModelInferRequest`: protobuf that a client sent, to a request whose form is checked.
///
/// Tensors are copied once, from the message to memory of their own. Nothing is allocated because a message announces
/// it; the bytes must be there.
package struct InferRequestReader: Sendable {
  package var limits: WireLimits

  package init(limits: WireLimits = WireLimits()) { self.limits = limits }

  /// - Throws: `invalidArgument`, `tooLarge`, `unsupported`, `exhausted`.
  package func read(_ message: UnsafeRawBufferPointer) throws(ServingError) -> InferenceRequest {
    let parts = try Parts(message, limits)
    let parameters = try RequestParameters(parts.parameters)
    return InferenceRequest(
      model: parts.model, version: parts.version.isEmpty ? nil : parts.version,
      id: parts.id.isEmpty ? nil : parts.id, inputs: try tensors(parts), outputs: parts.outputs,
      deadline: parameters.timeout.map { .now + $0 }, priority: parameters.priority, sequence: parameters.sequence,
      parameters: parameters.others)
  }

  /// The identifier of a request that may be wrong in other places; nil if there is none to find.
  package func identifier(_ message: UnsafeRawBufferPointer) -> String? {
    var reader = WireReader(message)
    while let field = try? reader.next() {
      if field.number == 3 { return try? field.text("The identifier of the request") }
    }
    return nil
  }

  private func tensors(_ parts: Parts) throws(ServingError) -> [ServingTensor] {
    let isRaw = !parts.raw.isEmpty
    if isRaw, let typed = parts.inputs.first(where: { !$0.contents.isEmpty }) {
      throw ServingError(
        .invalidArgument, "The input '\(typed.name)' has contents, although the request has raw_input_contents.")
    }
    guard !isRaw || parts.raw.count == parts.inputs.count else {
      throw ServingError(
        .invalidArgument,
        "The request has \(parts.raw.count) raw_input_contents for \(parts.inputs.count) inputs; expected one for each."
      )
    }
    var byteStrings = limits.byteStrings
    var tensors: [ServingTensor] = []
    tensors.reserveCapacity(parts.inputs.count)
    for (index, input) in parts.inputs.enumerated() {
      let content =
        isRaw
        ? try RawContents.read(parts.raw[index], input, &byteStrings) : try TypedContents.read(input, &byteStrings)
      tensors.append(
        ServingTensor(
          name: input.name, type: input.type, shape: input.shape, content: content, parameters: input.parameters))
    }
    return tensors
  }

  /// The fields of the message. Its raw contents are still parts of the message.
  private struct Parts {
    var model = ""
    var version = ""
    var id = ""
    var parameters: [String: ParameterValue] = [:]
    var inputs: [InputHead] = []
    var outputs: [RequestedOutput] = []
    var raw: [UnsafeRawBufferPointer] = []

    init(_ message: UnsafeRawBufferPointer, _ limits: WireLimits) throws(ServingError) {
      var reader = WireReader(message)
      while let field = try reader.next() {
        switch field.number {
        case 1: model = try field.text("The name of the model")
        case 2: version = try field.text("The version of the model")
        case 3: id = try field.text("The identifier of the request")
        case 4: try ParameterReader.read(try field.bytes("A parameter of the request"), into: &parameters, limits)
        case 5: inputs.append(try InputHead(try field.bytes("An input"), limits))
        case 6: outputs.append(try OutputReader.read(try field.bytes("An output"), limits))
        case 7: raw.append(try field.bytes("An element of raw_input_contents"))
        default: break
        }
        guard max(inputs.count, outputs.count, raw.count) <= limits.tensors else {
          throw ServingError(.tooLarge, "The request has more than \(limits.tensors) inputs or outputs.")
        }
      }
      guard !model.isEmpty else { throw ServingError(.invalidArgument, "The request names no model.") }
      try Self.checkNames(inputs.map(\.name), "input")
      try Self.checkNames(outputs.map(\.name), "output")
      for parameters in inputs.map(\.parameters) + outputs.map(\.parameters)
      where parameters["shared_memory_region"] != nil {
        throw ServingError(
          .unsupported, "Shared memory is not available over gRPC; send the tensors in raw_input_contents.")
      }
    }

    private static func checkNames(_ names: [String], _ kind: String) throws(ServingError) {
      guard names.count > 1 else { return }
      var seen: Set<String> = []
      for name in names where !seen.insert(name).inserted {
        throw ServingError(.invalidArgument, "The request names the \(kind) '\(name)' twice.")
      }
    }
  }
}

/// Reads an `InferRequestedOutputTensor`.
private enum OutputReader {
  static func read(_ message: UnsafeRawBufferPointer, _ limits: WireLimits) throws(ServingError) -> RequestedOutput {
    var reader = WireReader(message)
    var output = RequestedOutput(name: "")
    while let field = try reader.next() {
      switch field.number {
      case 1: output.name = try field.text("The name of an output")
      case 2:
        try ParameterReader.read(try field.bytes("A parameter of an output"), into: &output.parameters, limits)
      default: break
      }
    }
    guard !output.name.isEmpty else { throw ServingError(.invalidArgument, "A requested output has no name.") }
    let classes = output.parameters.removeValue(forKey: "classification")
    output.classification = try RequestParameters.count("classification", classes, most: Int(Int32.max)) ?? 0
    return output
  }
}
