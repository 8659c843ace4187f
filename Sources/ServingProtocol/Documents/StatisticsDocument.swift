import CoreMLServingInterface

/// Triton's statistics document.
extension Documents {
  package static func statistics(_ models: [ModelStatistics]) throws(ServingError) -> ByteStore {
    try JSONWriter.document {
      $0.object {
        $0.name("model_stats")
        $0.array(models) { writer, model in Self.statistics(&writer, model) }
      }
    }
  }

  private static func statistics(_ writer: inout JSONWriter, _ model: ModelStatistics) {
    writer.object {
      $0.field("name", model.name)
      $0.field("version", model.version)
      $0.field("last_inference", model.lastInference)
      $0.field("inference_count", model.inferenceCount)
      $0.field("execution_count", model.executionCount)
      $0.name("inference_stats")
      $0.object {
        Self.total(&$0, "success", model.success)
        Self.total(&$0, "fail", model.failure)
        Self.total(&$0, "queue", model.queue)
        Self.total(&$0, "compute_input", model.computeInput)
        Self.total(&$0, "compute_infer", model.computeInfer)
        Self.total(&$0, "compute_output", model.computeOutput)
        // No answer comes from a cache.
        Self.total(&$0, "cache_hit", ModelStatistics.Total())
        Self.total(&$0, "cache_miss", ModelStatistics.Total())
      }
      $0.name("response_stats")
      $0.object { _ in }
      $0.name("batch_stats")
      $0.array(model.batches.sorted { $0.key < $1.key }) { writer, batch in
        writer.object {
          $0.field("batch_size", batch.key)
          // The times around the run are not kept by batch size.
          var around = ModelStatistics.Total()
          around.count = batch.value.count
          Self.total(&$0, "compute_input", around)
          Self.total(&$0, "compute_infer", batch.value)
          Self.total(&$0, "compute_output", around)
        }
      }
      $0.name("memory_usage")
      $0.array([model.memoryBytes]) { writer, bytes in
        writer.object {
          $0.field("type", "CPU")
          $0.field("id", 0)
          $0.field("byte_size", bytes)
        }
      }
    }
  }

  private static func total(_ writer: inout JSONWriter, _ name: String, _ total: ModelStatistics.Total) {
    writer.name(name)
    writer.object {
      $0.field("count", total.count)
      $0.field("ns", total.nanoseconds)
    }
  }
}
