import CoreMLServingInterface

/// Triton's model configuration, as far as clients read it.
///
/// `max_batch_size` is 0 and shapes are whole, unless the model's parameter `max_batch_size` says that the first axis of
/// every tensor is the batch: then `dims` leave it out.
extension Documents {
  package static func config(_ model: ModelMetadata) throws(ServingError) -> ByteStore {
    var batch = 0
    if case .integer(let most) = model.parameters["max_batch_size"], most > 0,
      (model.inputs + model.outputs).allSatisfy({ $0.shape.first == -1 })
    {
      batch = Int(most)
    }
    return try JSONWriter.document {
      $0.object {
        $0.field("name", model.name)
        $0.field("platform", model.platform)
        $0.field("backend", model.platform)
        $0.name("version_policy")
        $0.object {
          $0.name("latest"); $0.object { $0.field("num_versions", 1) }
        }
        $0.field("max_batch_size", batch)
        $0.name("input")
        $0.array(model.inputs) { writer, tensor in
          Self.config(&writer, tensor, batch > 0) {
            $0.field("format", "FORMAT_NONE")
            $0.field("allow_ragged_batch", false)
            $0.field("optional", tensor.isOptional)
          }
        }
        $0.name("output")
        $0.array(model.outputs) { writer, tensor in
          Self.config(&writer, tensor, batch > 0) { $0.field("label_filename", "") }
        }
        $0.name("instance_group")
        $0.array([model.name]) { writer, name in
          writer.object {
            $0.field("name", name)
            $0.field("kind", "KIND_AUTO")
            $0.field("count", 1)
          }
        }
        if model.isStateful {
          $0.name("sequence_batching");
          $0.object {
            $0.name("oldest"); $0.object { _ in }
          }
        }
        $0.name("parameters")
        $0.object { writer in
          for (name, value) in model.parameters.sorted(by: { $0.key < $1.key }) {
            writer.name(name)
            writer.object { $0.field("string_value", Self.text(value)) }
          }
        }
      }
    }
  }

  private static func config(
    _ writer: inout JSONWriter, _ tensor: ModelMetadata.Tensor, _ isBatched: Bool, _ more: (inout JSONWriter) -> Void
  ) {
    writer.object {
      $0.field("name", tensor.name)
      $0.field("data_type", tensor.type == .bytes ? "TYPE_STRING" : "TYPE_\(tensor.type.rawValue)")
      $0.field("dims", Array(tensor.shape.dropFirst(isBatched ? 1 : 0)))
      $0.field("is_shape_tensor", false)
      more(&$0)
    }
  }

  static func text(_ value: ParameterValue) -> String {
    switch value {
    case .bool(let value): String(value)
    case .integer(let value): String(value)
    case .number(let value): String(value)
    case .text(let value): value
    }
  }
}
