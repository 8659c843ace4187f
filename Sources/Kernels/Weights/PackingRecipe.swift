import CKernels

/// How a weight is packed: equal recipes make equal bytes of equal weights, under one instruction set.
package struct PackingRecipe: Sendable, Hashable {
  /// The layout, such as `gemm.right`; another one for a layout that has changed.
  package let name: String
  /// All that the layout depends on beside the weight.
  package let parameters: [Int]
  package let byteCount: Int

  package init(_ name: String, _ parameters: [Int], byteCount: Int) {
    (self.name, self.parameters, self.byteCount) = (name, parameters, byteCount)
  }
}

/// What a row has at hand when it prepares a kernel.
package struct Preparation: Sendable {
  /// The weights of the model, as stored and as packed.
  package let weights: WeightStore

  package init(weights: WeightStore) { self.weights = weights }

  /// The weight packed by a recipe: memory that everyone shares who asks for the same. `pack` fills it, zeroed before, when nobody has.
  package func packed(
    _ weight: StoredWeight, _ recipe: PackingRecipe, _ pack: (UnsafeMutableRawBufferPointer) throws -> Void
  ) throws -> PackedMemory {
    try weights.packed(weight, recipe, pack)
  }
}

/// The instruction set that packed layouts depend on.
enum InstructionSet {
  static var name: String {
    #if arch(x86_64)
      let architecture = "x86_64"
    #elseif arch(arm64)
      let architecture = "arm64"
    #else
      let architecture = "other"
    #endif
    return "\(architecture) \(ck_isa_active().rawValue) \(ck_gemm_tile_rows()) \(ck_gemm_panel_columns())"
  }
}
