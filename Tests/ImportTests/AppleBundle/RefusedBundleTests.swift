import CoreMLBase
import CoreMLSpec
import TestModels
import Testing

@testable import CoreMLImport

/// Models compiled by Apple's tools that the import refuses.
@Suite struct RefusedBundleTests {
  private static func features(_ writer: inout WireWriter) {
    AppleFolder.array(1, "x", [4], to: &writer)
    AppleFolder.array(10, "y", [4], to: &writer)
  }

  @Test func encryptedModelsAreNamed() throws {
    try AppleFolder.make { folder in
      try folder.put(AppleFolder.description(502, Self.features), "coremldata.bin")
      try folder.put([0x8f, 1, 2, 3], "model.mil")
      let error = #expect(throws: SpecError.self) { try CompiledModelLoader.load(folder.path) }
      #expect(error?.code == .encrypted)
    }
  }

  @Test(arguments: [
    #"{"type": "mystery", "name": "l", "bottom": "x", "top": "y"}"#,
    #"{"type": "activation", "name": "l", "bottom": "x", "top": "y", "mode": 77}"#,
    #"{"type": "activation", "name": "l", "bottom": "x", "top": "y", "mode": 0, "surprise": 1}"#,
    #"{"type": "elementwise", "name": "l", "bottom": "x", "top": "y", "operation": 4, "alpha": 1}"#,
    #"{"type": "elementwise", "name": "l", "bottom": "x", "top": "y", "operation": 12}"#,
    #"{"type": "transpose", "name": "l", "bottom": "x", "top": "y", "axis_w": 0, "axis_h": 1, "axis_k": 3, "axis_n": 2, "axis_seq": 4}"#,
    #"{"type": "transpose", "name": "l", "bottom": "x", "top": "y", "axis_w": 0, "axis_h": 0, "axis_k": 2, "axis_n": 3, "axis_seq": 4}"#,
    #"{"type": "transpose", "name": "l", "bottom": "x", "top": "y", "axis_w": 0, "axis_h": 1, "axis_k": 2}"#,
    #"{"type": "reshape", "name": "l", "bottom": "x", "top": "y", "mode": 0, "dst_seq": 1, "dst_n": 1, "dst_k": 1, "dst_h": 1, "dst_w": 1}"#,
    #"{"type": "reshape", "name": "l", "bottom": "x", "top": "y", "mode": 0, "dst_seq": 1, "dst_n": 0, "dst_k": 1, "dst_h": 1, "dst_w": -2}"#,
    #"{"type": "reshape", "name": "l", "bottom": "x", "top": "y", "mode": 0, "dst_seq": 1, "dst_n": 1, "dst_k": 1, "dst_h": 1, "dst_w": 1, "dst_nd_rank": 4}"#,
    #"{"type": "reshape", "name": "l", "bottom": "x", "top": "y", "mode": 0, "dst_seq": 1, "dst_n": 0, "dst_k": 1, "dst_h": 1, "dst_w": 1, "dynamic_shape": true}"#,
    #"{"type": "reduce", "name": "l", "bottom": "x", "top": "y", "mode": 1, "axis_mode": 4, "use_version": 1}"#,
    #"{"type": "reduce", "name": "l", "bottom": "x", "top": "y", "mode": 0, "axis_mode": 2, "use_version": 1}"#,
    #"{"type": "sequence_concat", "name": "l", "bottom": "x,x", "top": "y"}"#,
    #"{"type": "slice", "name": "l", "bottom": "x", "top": "y", "axis": 1, "start": 0, "end": 1}"#,
    #"{"type": "slice", "name": "l", "bottom": "x", "top": "y", "axis": 2, "start": 0, "end": -1}"#,
    #"{"type": "softmax_nd", "name": "l", "bottom": "x", "top": "y", "nd_axis": 1}"#,
    #"{"type": "flatten", "name": "l", "bottom": "x", "top": "y", "mode": 0, "nd_axis": 1}"#,
    #"{"type": "softmax", "name": "l", "bottom": "x", "top": "y", "C": 1}"#,
    #"{"type": "inner_product", "name": "l", "bottom": "x", "top": "y", "nB": 1, "nC": 1, "has_prelu": 1, "blob_weights": 1}"#,
    #"{"type": "inner_product", "name": "l", "bottom": "x", "top": "y", "nB": 1, "nC": 1, "weights": {"W_U6": 5}}"#,
    #"{"type": "convolution", "name": "l", "bottom": "x", "top": "y", "C": 1, "K": 1, "Nx": 1, "Ny": 1, "pad_mode": 3, "blob_weights": 1}"#,
    #"{"type": "squeeze", "name": "l", "bottom": "x", "top": "y", "size_of_axes": 1, "axes_0": 2}"#,
  ])
  func whatIsNotKnownIsNamed(_ layer: String) throws {
    try AppleFolder.make { folder in
      try folder.network([layer], weights: [1: [1]], input: [1], output: [1])
      let error = #expect(throws: RuntimeError.self) { try CompiledModelLoader.load(folder.path) }
      #expect(error?.message.contains("layer 'l'") == true, "\(String(describing: error))")
    }
  }
}
