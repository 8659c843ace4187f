// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime
import Synchronization

/// Values by name, which C may change.
// Sendable: the mutable state is behind the lock
final class FeaturesHandle: Handle, @unchecked Sendable {
  override class var typeName: String { "coreml_features" }

  private let current: Mutex<FeatureSet>
  /// Names that were returned to C. They stay valid until the set is freed.
  private let told = Mutex<[String: Name]>([:])
  private let memory = KeptMemory()

  private struct Name: @unchecked Sendable {
    let text: UnsafePointer<CChar>
  }

  init(_ set: FeatureSet = FeatureSet()) { current = Mutex(set) }

  var set: FeatureSet { current.withLock { $0 } }

  func set(_ name: String, _ value: ValueHandle?) { current.withLock { $0.set(name, value) } }

  func text(_ name: String) -> UnsafePointer<CChar> {
    told.withLock { told in
      if let known = told[name] { return known.text }
      let text = memory.text(name)
      told[name] = Name(text: text)
      return text
    }
  }
}

@c @implementation
public func coreml_features_create(
  _ features: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_features_create", error).make(features, "features") { _ in FeaturesHandle() }
}

@c @implementation
public func coreml_features_set(
  _ features: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: OpaquePointer?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_features_set", error).run { call in
    let features: FeaturesHandle = try call.handle(features, "features")
    features.set(try call.text(name, "name"), try call.optional(value, "value"))
  }
}

@c @implementation
public func coreml_features_count(_ features: OpaquePointer?) -> Int {
  Call.handle(features, as: FeaturesHandle.self)?.set.names.count ?? 0
}

@c @implementation
public func coreml_features_name(
  _ features: OpaquePointer?, _ index: Int, _ name: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  name?.pointee = nil
  return Call("coreml_features_name", error).run { call in
    let name = try call.present(name, "name")
    let features: FeaturesHandle = try call.handle(features, "features")
    let names = features.set.names
    name.pointee = features.text(names[try call.index(index, names.count)])
  }
}

@c @implementation
public func coreml_features_get(
  _ features: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_features_get", error).make(value, "value") { call in
    let features: FeaturesHandle = try call.handle(features, "features")
    let name = try call.text(name, "name")
    let set = features.set
    guard let value = set.values[name] else {
      let known = set.names.isEmpty ? "none" : set.names.joined(separator: ", ")
      throw call.failure(.missing, "there is no feature '\(name)'; there are \(known)")
    }
    return value
  }
}

extension Call {
  /// A checked index into a list.
  func index(_ index: Int, _ count: Int) throws -> Int {
    guard index >= 0, index < count else {
      throw failure(.missing, "there is no place \(UInt(bitPattern: index)) in a list of \(count)")
    }
    return index
  }
}
