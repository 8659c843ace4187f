import Foundation
import MIL

/// The weights of one model in the forms that its plans need, each made once and shared by all plans of all shapes: kept while any of them
/// uses it.
public final class WeightStore: @unchecked Sendable {  // tables are behind the lock
  private struct Key: Hashable {
    let weight: String
    /// Nil: as a dense tensor.
    let recipe: PackingRecipe?
    let instructionSet: String
  }

  /// Who keeps a weight's address from being used again keeps the weight.
  private struct Held {
    let weight: StoredWeight
    weak var object: AnyObject?
  }

  /// What tells the model's weight file from all others, and where packed forms of it outlive the process.
  private let file: (identity: String, cache: ArtifactCache)?
  private let flight = SingleFlight<Key>()
  private let lock = NSLock()
  private var held: [Key: Held] = [:]
  private var made = 0
  /// When so many are held, those that nobody uses any more are let go.
  private var sweep = 64

  /// Smaller forms are made faster than they are looked up on disk.
  private static let smallest = 1 << 20

  /// - Parameter file: the identity of the model's weight file, where there is one that does not change, and the cache for what is packed.
  public init(file: (identity: String, cache: ArtifactCache)? = nil) { self.file = file }

  /// How many forms were made here; found in the cache does not count.
  public var madeCount: Int { lock.withLock { made } }

  /// Bytes of the forms that are in use.
  public var byteCount: Int {
    lock.withLock {
      held.values.reduce(0) { sum, held in
        sum + ((held.object as? PackedMemory)?.byteCount ?? (held.object as? TensorStorage)?.byteCount ?? 0)
      }
    }
  }

  // MARK: forms

  /// See `Preparation.packed`.
  func packed(
    _ weight: StoredWeight, _ recipe: PackingRecipe, _ pack: (UnsafeMutableRawBufferPointer) throws -> Void
  ) throws -> PackedMemory {
    let identity = WeightIdentity(weight)
    let key = Key(weight: identity.local, recipe: recipe, instructionSet: InstructionSet.name)
    return try flight.value(for: key) {
      find(key)
    } make: {
      let name = recipe.byteCount < Self.smallest ? nil : lastingName(identity, recipe, key.instructionSet)
      if let name, let memory = file?.cache.load(name, byteCount: recipe.byteCount) {
        keep(memory, weight, key, isMade: false)
        return memory
      }
      var memory = try PackedMemory.filled(
        byteCount: recipe.byteCount, isSecret: weight.tensors.contains { $0.storage.isSecret }, pack)
      for tensor in weight.tensors { tensor.storage.releasePages() }
      if let name, let kept = file?.cache.save(memory, name) { memory = kept }
      keep(memory, weight, key, isMade: true)
      return memory
    }
  }

  /// The weight as a dense tensor of its type.
  public func dense(_ weight: StoredWeight) throws -> Tensor {
    if let tensor = weight.tensor { return tensor }
    let key = Key(weight: WeightIdentity(weight).local, recipe: nil, instructionSet: "")
    let storage: TensorStorage = try flight.value(for: key) {
      find(key)
    } make: {
      let storage = try weight.dense().storage
      for tensor in weight.tensors { tensor.storage.releasePages() }
      keep(storage, weight, key, isMade: true)
      return storage
    }
    return try Tensor(weight.type.scalar, shape: weight.shape, storage: storage)
  }

  private func find<Form: AnyObject>(_ key: Key) -> Form? { lock.withLock { held[key]?.object as? Form } }

  private func keep(_ object: AnyObject, _ weight: StoredWeight, _ key: Key, isMade: Bool) {
    lock.withLock {
      if held.count >= sweep {
        held = held.filter { $0.value.object != nil }
        sweep = 2 * held.count + 64
      }
      held[key] = Held(weight: weight, object: object)
      if isMade { made += 1 }
    }
  }

  private func lastingName(_ identity: WeightIdentity, _ recipe: PackingRecipe, _ instructionSet: String) -> String? {
    guard let file, let weight = identity.lasting else { return nil }
    return ArtifactCache.name([
      file.identity, weight, recipe.name, "\(recipe.parameters)", "\(recipe.byteCount)", instructionSet,
    ])
  }
}
