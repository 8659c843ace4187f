import CoreMLServingInterface
import CoreMLServingMessages

extension Inference_ModelMetadataResponse {
  init(_ model: ModelMetadata) {
    self.init()
    name = model.name
    versions = model.versions
    platform = model.platform
    inputs = model.inputs.map { TensorMetadata($0) }
    outputs = model.outputs.map { TensorMetadata($0) }
  }
}

extension Inference_ModelMetadataResponse.TensorMetadata {
  init(_ tensor: ModelMetadata.Tensor) {
    self.init()
    name = tensor.name
    datatype = tensor.type.rawValue
    shape = tensor.shape.map { Int64($0) }
  }
}

/// `max_batch_size` is 0 and `dims` are whole shapes, unless the model's parameter `max_batch_size` says that the first
/// axis of every tensor is the batch: then `dims` leave it out.
extension Inference_ModelConfig {
  init(_ model: ModelMetadata) {
    self.init()
    name = model.name
    platform = model.platform
    backend = model.platform
    versionPolicy.latest.numVersions = 1
    if case .integer(let most) = model.parameters["max_batch_size"], most > 0,
      (model.inputs + model.outputs).allSatisfy({ $0.shape.first == -1 })
    {
      maxBatchSize = Int32(clamping: most)
    }
    let dropped = maxBatchSize > 0 ? 1 : 0
    input = model.inputs.map { tensor in
      .with {
        $0.name = tensor.name
        $0.dataType = Inference_DataType(tensor.type)
        $0.dims = tensor.shape.dropFirst(dropped).map { Int64($0) }
        $0.optional = tensor.isOptional
      }
    }
    output = model.outputs.map { tensor in
      .with {
        $0.name = tensor.name
        $0.dataType = Inference_DataType(tensor.type)
        $0.dims = tensor.shape.dropFirst(dropped).map { Int64($0) }
      }
    }
    instanceGroup = [
      .with {
        $0.name = model.name
        $0.kind = .auto
        $0.count = 1
      }
    ]
    if model.isStateful { sequenceBatching.oldest = .init() }
    parameters = model.parameters.mapValues { value in .with { $0.stringValue = value.text } }
  }
}

extension Inference_DataType {
  init(_ type: TensorType) {
    switch type {
    case .bool: self = .typeBool
    case .uint8: self = .typeUint8
    case .uint16: self = .typeUint16
    case .uint32: self = .typeUint32
    case .uint64: self = .typeUint64
    case .int8: self = .typeInt8
    case .int16: self = .typeInt16
    case .int32: self = .typeInt32
    case .int64: self = .typeInt64
    case .float16: self = .typeFp16
    case .bfloat16: self = .typeBf16
    case .float32: self = .typeFp32
    case .float64: self = .typeFp64
    case .bytes: self = .typeString
    }
  }
}

extension ParameterValue {
  fileprivate var text: String {
    switch self {
    case .bool(let value): String(value)
    case .integer(let value): String(value)
    case .number(let value): String(value)
    case .text(let value): value
    }
  }
}

extension Inference_ModelStatistics {
  init(_ model: ModelStatistics) {
    self.init()
    name = model.name
    version = model.version
    lastInference = model.lastInference
    inferenceCount = model.inferenceCount
    executionCount = model.executionCount
    inferenceStats = .with {
      $0.success = .init(model.success)
      $0.fail = .init(model.failure)
      $0.queue = .init(model.queue)
      $0.computeInput = .init(model.computeInput)
      $0.computeInfer = .init(model.computeInfer)
      $0.computeOutput = .init(model.computeOutput)
      // No answer comes from a cache, but clients read these fields.
      $0.cacheHit = .init()
      $0.cacheMiss = .init()
    }
    batchStats = model.batches.sorted { $0.key < $1.key }.map { size, total in
      .with {
        $0.batchSize = UInt64(clamping: size)
        // The times around the run are not kept by batch size.
        $0.computeInput.count = total.count
        $0.computeInfer = .init(total)
        $0.computeOutput.count = total.count
      }
    }
    memoryUsage = [
      .with {
        $0.type = "CPU"
        $0.byteSize = model.memoryBytes
      }
    ]
  }
}

extension Inference_StatisticDuration {
  init(_ total: ModelStatistics.Total) {
    self.init()
    count = total.count
    ns = total.nanoseconds
  }
}
