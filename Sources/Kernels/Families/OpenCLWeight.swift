import MIL

/// A product's weights as its OpenCL rows take them: floats in the device's memory like any other value, or halves that were copied there when
/// the plan was made.
struct OpenCLWeight: Sendable {
  let slot: Int
  private let stored: StoredWeight?
  /// Whether it is read as halves where it is stored.
  private let isHalf: Bool

  /// Refuses, where `halves` are asked for, what is no constant or is not halves. Floats that halves hold as they are will do where `takesFloats`.
  init(_ site: Site, _ name: String, _ halves: Bool, takesFloats: Bool = false) throws {
    slot = try site.slot(name)
    guard halves else {
      (stored, isHalf) = (nil, false)
      return
    }
    let weight = try site.weight(name)
    guard takesFloats ? weight.isExactInHalves : HalfRows.canHold(weight) else {
      throw Refusal("the weights are floats")
    }
    (stored, isHalf) = (weight, true)
  }

  /// A constant that a kernel wants packed as such factors: of halves what they hold as it is, of floats any.
  init(_ site: Site, packing name: String, as factors: CLWarpProduct.Factors) throws {
    slot = try site.slot(name)
    let weight = try site.weight(name)
    guard factors == .floats || weight.isExactInHalves else { throw Refusal("the weights are floats") }
    (stored, isHalf) = (weight, factors == .halves)
  }

  /// The offer of a kernel that wants a constant packed: `make` is given the weight, and what prepares it.
  func packedOffer(
    _ site: Site, efficiency: Double, parts: Int, latency: Double, of shape: CLMatrixProduct.Shape,
    _ make: @escaping @Sendable (StoredWeight, WeightStore) throws -> Kernel
  ) throws -> Offer {
    guard let stored else { throw Refusal("the weights are no constant") }
    var offer = Offer(efficiency: efficiency, packed: [slot], work: try work(site, stored)) {
      try make(stored, $0.weights)
    }
    (offer.scratchBytes, offer.launches, offer.latency) = (CLParts.bytes(parts, shape), parts == 1 ? 1 : 2, latency)
    return offer
  }

  /// The offer of a kernel that is made with the halves in the device's memory, where they are some. `parts` of `shape` need scratch memory, and
  /// a launch that adds them up.
  func offer(
    _ site: Site, efficiency: Double, parts: Int, latency: Double, of shape: CLMatrixProduct.Shape,
    _ make: @escaping @Sendable (OpenCLMemory?) throws -> Kernel
  ) throws -> Offer {
    var offer = try offer(site, efficiency: efficiency, make)
    offer.scratchBytes = CLParts.bytes(parts, shape)
    offer.launches = parts == 1 ? 1 : 2
    offer.latency = latency
    return offer
  }

  /// The same of a kernel that is all there is to it.
  func offer(
    _ site: Site, efficiency: Double, _ make: @escaping @Sendable (OpenCLMemory?) throws -> Kernel
  ) throws -> Offer {
    guard let stored else { return Offer(efficiency: efficiency) { try make(nil) } }
    let context = try site.requireOpenCL()
    return Offer(efficiency: efficiency, packed: [slot], work: try work(site, stored)) { preparation in
      try make(preparation.weights.halves(of: stored, on: context))
    }
  }

  /// The operation's work with weights as they are read.
  private func work(_ site: Site, _ stored: StoredWeight) throws -> Work {
    let definition = try Operations.definition(of: site.invocation.operation)
    var work = definition.work(site.invocation, outputs: site.outputs.map { .tensor($0) })
    if isHalf { work.bytes -= Double(2 * stored.count) }
    return work
  }
}
