// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLRuntime
import Synchronization

/// A feature value, and its C view, which is created on first use and kept with the value.
// Sendable: the mutable state is behind the lock
final class ValueHandle: Handle, @unchecked Sendable {
  override class var typeName: String { "coreml_value" }

  let value: MLFeatureValue
  private let memory = KeptMemory()
  private let made = Mutex<View?>(nil)

  /// Pointers into the value's memory. The kind of the value determines which are set.
  struct View: @unchecked Sendable {
    var count = 0
    var texts: UnsafePointer<UnsafePointer<CChar>?>?
    /// Lengths of keys or items, in bytes.
    var lengths: UnsafePointer<Int>?
    var integers: UnsafePointer<Int64>?
    var numbers: UnsafePointer<Double>?
  }

  init(_ value: MLFeatureValue) { self.value = value }

  var view: View {
    made.withLock { made in
      if let made { return made }
      let view = makeView()
      made = view
      return view
    }
  }

  private func makeView() -> View {
    var view = View()
    switch value.type {
    case .string:
      view.count = value.stringValue.utf8.count
      view.texts = memory.texts([value.stringValue])
    case .multiArray:
      guard let array = value.multiArrayValue else { break }
      view.count = array.shape.count
      view.integers = memory.array((array.shape + array.strides).map(\.int64Value))
    case .sequence:
      guard let sequence = value.sequenceValue else { break }
      if sequence.type == .string {
        view.count = sequence.stringValues.count
        view.texts = memory.texts(sequence.stringValues)
        view.lengths = memory.array(sequence.stringValues.map(\.utf8.count))
      } else {
        view.count = sequence.int64Values.count
        view.integers = memory.array(sequence.int64Values.map(\.int64Value))
      }
    case .dictionary:
      let entries = value.dictionaryValue
      view.count = entries.count
      if hasStringItems {
        let sorted = entries.map { (key: $0.key.base as? String ?? "", number: $0.value) }.sorted { $0.key < $1.key }
        view.texts = memory.texts(sorted.map(\.key))
        view.lengths = memory.array(sorted.map(\.key.utf8.count))
        view.numbers = memory.array(sorted.map(\.number.doubleValue))
      } else {
        let sorted = entries.map { (key: $0.key.base as? Int64 ?? 0, number: $0.value) }.sorted { $0.key < $1.key }
        view.integers = memory.array(sorted.map(\.key))
        view.numbers = memory.array(sorted.map(\.number.doubleValue))
      }
    default: break
    }
    return view
  }

  /// Whether a dictionary's keys or a sequence's items are strings. An empty dictionary counts as both.
  private var hasStringItems: Bool {
    if let sequence = value.sequenceValue { return sequence.type == .string }
    return value.dictionaryValue.first.map { $0.key.base is String } ?? true
  }

  var itemKind: Int {
    switch value.type {
    case .dictionary, .sequence: hasStringItems ? COREML_STRING : COREML_INT64
    default: 0
    }
  }

  /// Whether the value can be read as a collection of strings, or of integers.
  func hasItems(_ kind: Int) -> Bool {
    itemKind == kind || value.type == .dictionary && value.dictionaryValue.isEmpty
  }
}

extension MLFeatureType {
  /// The interface's name of the kind.
  var word: String { self == .multiArray ? "tensor" : "\(self)" }
}

extension Call {
  /// A value, checked to be of a kind.
  func value(_ pointer: OpaquePointer?, _ type: MLFeatureType, items: Int? = nil) throws -> ValueHandle {
    let handle: ValueHandle = try handle(pointer, "value")
    guard handle.value.type == type else {
      throw failure(.kind, "the value is of kind \(handle.value.type.word), expected \(type.word)")
    }
    if let items, !handle.hasItems(items) {
      throw failure(.kind, "the \(type.word) has \(items == COREML_STRING ? "integers" : "texts"), expected the other")
    }
    return handle
  }
}

@c @implementation
public func coreml_value_kind(_ value: OpaquePointer?) -> coreml_kind {
  coreml_kind(Call.handle(value, as: ValueHandle.self)?.value.type.rawValue ?? 0)
}

@c @implementation
public func coreml_value_item_kind(_ value: OpaquePointer?) -> coreml_kind {
  coreml_kind(Call.handle(value, as: ValueHandle.self)?.itemKind ?? 0)
}
