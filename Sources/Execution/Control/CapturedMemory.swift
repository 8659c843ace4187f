import CoreMLBase
import MIL

/// The memory of a block's captured values: that of the outer scope, or a copy if the shape is only known at run time.
final class CapturedMemory {
  /// By the index of the captured value.
  private(set) var places: [UnsafeMutableRawPointer?]
  private var copies: [(place: Int, memory: TensorStorage, type: ValueType, bytes: Int)] = []

  init(_ plans: [BlockPlan], outer: [UnsafeMutableRawPointer?]) throws {
    places = outer
    for plan in plans {
      for input in plan.inputs {
        guard case .captured(let place) = input.source, places[place] == nil,
          case let slot = plan.plan.slots[input.slot], case .outer = slot.storage
        else { continue }
        let memory = try TensorStorage(byteCount: slot.byteCount, for: "what a block reads")
        places[place] = memory.mutablePointer
        copies.append((place, memory, slot.type, slot.byteCount))
      }
    }
  }

  /// Copies values from slots of a session with planned memory. The types must be those planned.
  func show(_ captured: [Int], of session: Session) {
    for index in copies.indices {
      let source = session.pointer(captured[copies[index].place])
      copies[index].memory.mutablePointer?.copyMemory(from: source, byteCount: copies[index].bytes)
    }
  }

  /// Copies values without memory in the outer scope.
  func show(_ captured: [Value?]) throws {
    for copy in copies {
      guard let tensor = captured[copy.place]?.tensor, .tensor(tensor.type) == copy.type else {
        let found = captured[copy.place].map { "\($0.type)" } ?? "nothing"
        throw RuntimeError(.evaluation, "a block reads \(found), and \(copy.type) was planned")
      }
      tensor.withUnsafeBytes { bytes in
        guard let source = bytes.baseAddress, let target = copy.memory.mutablePointer else { return }
        target.copyMemory(from: source, byteCount: copy.bytes)
      }
    }
  }
}

extension Value {
  /// The value in memory that will not be overwritten: a copy if it borrows an arena, itself if it owns its memory.
  func kept() throws -> Value {
    switch self {
    case _ where isKept: return self
    case .list(let items, let element):
      try MemoryBudget.current.admit(
        items.count, of: MemoryLayout<Value>.stride, for: "a list of \(items.count) elements")
      return .list(try items.map { try $0.kept() }, element: element)
    default: return try detached()
    }
  }

  /// Whether no part of the value borrows an arena.
  private var isKept: Bool {
    switch self {
    case .tensor(let tensor): tensor.storage.mutablePointer != nil || tensor.scalar == .string
    case .list(let items, _): items.allSatisfy(\.isKept)
    default: false
    }
  }
}
