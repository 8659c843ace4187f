import CKernels

/// How a weight is packed. Under one instruction set, equal recipes produce equal bytes from equal weights.
package struct PackingRecipe: Sendable, Hashable {
  /// The name of the layout, for example `gemm.right`. A layout that changes needs a new name.
  package let name: String
  /// Everything that the layout depends on besides the weight.
  package let parameters: [Int]
  package let byteCount: Int

  package init(_ name: String, _ parameters: [Int], byteCount: Int) {
    (self.name, self.parameters, self.byteCount) = (name, parameters, byteCount)
  }
}

/// The data that a kernel can use in `prepare`.
package struct Preparation: Sendable {
  /// The weights of the model, as stored and as packed.
  package let weights: WeightStore

  package init(weights: WeightStore) { self.weights = weights }

  /// The weight packed by a recipe. All callers with equal weight and recipe share the memory. `pack` fills zeroed
  /// memory if no caller has packed it yet.
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
