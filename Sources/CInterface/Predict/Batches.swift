// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime
import Synchronization

/// Rows of features.
// Sendable: the mutable state is behind the lock
final class BatchHandle: Handle, @unchecked Sendable {
  override class var typeName: String { "coreml_batch" }

  private let current: Mutex<[FeatureSet]>

  init(_ rows: [FeatureSet] = []) { current = Mutex(rows) }

  var rows: [FeatureSet] { current.withLock { $0 } }

  func add(_ row: FeatureSet) { current.withLock { $0.append(row) } }

  /// The rows at this moment.
  var provider: MLArrayBatchProvider { MLArrayBatchProvider(array: rows.map(FeatureRow.init)) }
}

@c @implementation
public func coreml_batch_create(
  _ batch: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_batch_create", error).make(batch, "batch") { _ in BatchHandle() }
}

@c @implementation
public func coreml_batch_add(
  _ batch: OpaquePointer?, _ features: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_batch_add", error).run { call in
    let batch: BatchHandle = try call.handle(batch, "batch")
    batch.add(try call.handle(features, "features", as: FeaturesHandle.self).set)
  }
}

@c @implementation
public func coreml_batch_count(_ batch: OpaquePointer?) -> Int {
  Call.handle(batch, as: BatchHandle.self)?.rows.count ?? 0
}

@c @implementation
public func coreml_batch_get(
  _ batch: OpaquePointer?, _ index: Int, _ features: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_batch_get", error).make(features, "features") { call in
    let rows = try call.handle(batch, "batch", as: BatchHandle.self).rows
    return FeaturesHandle(rows[try call.index(index, rows.count)])
  }
}
