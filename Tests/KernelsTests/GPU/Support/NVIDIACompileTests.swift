import Foundation
import TestSupport
import Testing

@testable import CoreMLKernels

/// Clang and NVIDIA's assembler (ptxas).
struct NVIDIACompiler {
  let clang: String
  let assembler: String

  static let tools: NVIDIACompiler? = {
    let environment = ProcessInfo.processInfo.environment
    let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    func found(_ names: [String]) -> [String] {
      names.flatMap { name in folders.map { "\($0)/\(name)" } }.filter(FileManager.default.isExecutableFile)
    }
    let named = environment["COREML_PTXAS"].map { [$0] } ?? []
    // PoCL installs clang. The clang of a Swift toolchain has no nvptx64 target.
    let compilers = found((14...22).map { "clang-\($0)" } + ["clang"])
    guard let assembler = (named + found(["ptxas"])).first(where: FileManager.default.isExecutableFile),
      let clang = compilers.first(where: { (try? run($0, ["--print-targets"]).output.contains("nvptx64")) == true })
    else { return nil }
    return NVIDIACompiler(clang: clang, assembler: assembler)
  }()

  static func run(_ path: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    (process.standardOutput, process.standardError) = (pipe, pipe)
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  /// The OpenCL C functions that the kernels call. NVIDIA's compiler defines them, and for clang they are declared
  /// here.
  static let functions = """
    #define PLAIN __attribute__((overloadable))
    size_t PLAIN __attribute__((const)) get_local_id(uint d) { return __nvvm_read_ptx_sreg_tid_x(); }
    size_t PLAIN __attribute__((const)) get_global_id(uint d) {
      return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
    }
    size_t PLAIN __attribute__((const)) get_group_id(uint d) {
      return d == 0 ? __nvvm_read_ptx_sreg_ctaid_x() : d == 1 ? __nvvm_read_ptx_sreg_ctaid_y() : __nvvm_read_ptx_sreg_ctaid_z();
    }
    size_t PLAIN __attribute__((const)) get_num_groups(uint d) {
      return d == 0 ? __nvvm_read_ptx_sreg_nctaid_x() : d == 1 ? __nvvm_read_ptx_sreg_nctaid_y() : __nvvm_read_ptx_sreg_nctaid_z();
    }
    size_t PLAIN __attribute__((const)) get_global_size(uint d) {
      return __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
    }
    float PLAIN __attribute__((const)) native_exp(float x) { return __nvvm_ex2_approx_f(x * 1.44269504f); }
    float PLAIN __attribute__((const)) native_exp2(float x) { return __nvvm_ex2_approx_f(x); }
    float PLAIN __attribute__((const)) sqrt(float x) { return __nvvm_sqrt_rn_f(x); }
    float PLAIN __attribute__((const)) exp(float x) { return __nvvm_ex2_approx_f(x * 1.44269504f); }
    float PLAIN __attribute__((const)) fma(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
    float PLAIN __attribute__((const)) fmax(float x, float y) { return __nvvm_fmax_f(x, y); }
    int PLAIN __attribute__((const)) min(int x, int y) { return x < y ? x : y; }
    int PLAIN __attribute__((const)) isnan(float x) { return x != x; }
    void PLAIN __attribute__((convergent)) barrier(cl_mem_fence_flags f) { __syncthreads(); }
    float PLAIN __attribute__((pure)) vload_half(size_t i, const __global half *p) { return __builtin_load_halff(p + i); }
    float PLAIN __attribute__((pure)) vload_half(size_t i, const half *p) { return __builtin_load_halff(p + i); }
    void PLAIN vstore_half_rte(float v, size_t i, half *p) { __builtin_store_halff(v, p + i); }
    long PLAIN __attribute__((const)) min(long x, long y) { return x < y ? x : y; }
    void PLAIN vstore_half_rte(float v, size_t i, __global half *p) { __builtin_store_halff(v, p + i); }
    float4 PLAIN __attribute__((const)) fma(float4 x, float4 y, float4 z) {
      return (float4)(fma(x.x, y.x, z.x), fma(x.y, y.y, z.y), fma(x.z, y.z, z.z), fma(x.w, y.w, z.w));
    }
    float4 PLAIN __attribute__((pure)) vload_half4(size_t i, const __global half *p) {
      return (float4)(vload_half(4 * i, p), vload_half(4 * i + 1, p), vload_half(4 * i + 2, p), vload_half(4 * i + 3, p));
    }

    """
}

/// Kernels for NVIDIA devices compile and fit the registers of a work-item. The test needs no device: clang generates
/// PTX and NVIDIA's assembler generates machine code. The assembler is `COREML_PTXAS` or the installed one;
/// `tools/test` provides it.
@Suite(
  .tags(.process),
  .enabled(if: NVIDIACompiler.tools != nil, "needs clang for nvptx64 and NVIDIA's ptxas (COREML_PTXAS)"))
struct NVIDIACompileTests {
  /// Compiles and assembles. Returns the PTX and the assembler's report on registers.
  private func compile(_ source: OpenCLSource, _ definitions: [String: String], _ architecture: String) throws -> (
    ptx: String, words: String
  ) {
    let tools = try #require(NVIDIACompiler.tools)
    let folder = FileManager.default.temporaryDirectory.appending(path: "nvptx-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (text, ptx) = (folder.appending(path: "kernel.cl"), folder.appending(path: "kernel.ptx"))
    try (NVIDIACompiler.functions + source.text()).write(to: text, atomically: true, encoding: .utf8)
    let flags = [
      "-x", "cl", "-cl-std=CL1.2", "-target", "nvptx64-nvidia-nvcl", "-fgnu-keywords", "-O3", "-w", "-S", "-Xclang",
      "-target-cpu", "-Xclang", "sm_80", "-Xclang", "-target-feature", "-Xclang", "+ptx72", "-Xclang",
      "-finclude-default-header",
    ]
    let compiled = try NVIDIACompiler.run(
      tools.clang,
      flags + definitions.sorted { $0.key < $1.key }.map { "-D\($0.key)=\($0.value)" }
        + [text.path, "-o", ptx.path])
    try #require(compiled.status == 0, "clang: \(compiled.output.prefix(2000))")
    let made = try String(contentsOf: ptx, encoding: .utf8)
    try uncovered(made).write(to: ptx, atomically: true, encoding: .utf8)
    let assembled = try NVIDIACompiler.run(
      tools.assembler, ["-v", "-arch=\(architecture)", ptx.path, "-o", folder.appending(path: "kernel.cubin").path])
    try #require(assembled.status == 0, "ptxas for \(architecture): \(assembled.output.prefix(2000))")
    return (made, assembled.output)
  }

  /// The code that kernels mark with `//@` to hide it from OpenCL's compiler, restored as the PTX loader does
  /// (`ptx_sm90.c`).
  private func uncovered(_ text: String) -> String {
    guard text.contains("//@") else { return text }
    var lines: [Substring] = []
    var cluster = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.drop { $0 == " " || $0 == "\t" }
      if words.hasPrefix(".version") {
        lines.append(".version 8.0")
      } else if words.hasPrefix(".target") {
        lines.append(".target sm_90a")
      } else if words.hasPrefix(".address_size") {
        lines += [line, ".extern .shared .align 1024 .b8 coreml_shared[];"]
      } else if words.hasPrefix("//@cluster ") {
        cluster = String(words.dropFirst(11))
      } else {
        lines.append(words.hasPrefix("//@ ") ? words.dropFirst(4) : line)
      }
    }
    if !cluster.isEmpty, let entry = lines.firstIndex(where: { $0.contains(".entry ") }),
      let body = lines[entry...].firstIndex(where: { $0.hasPrefix("{") })
    {
      lines.insert(".reqntid 128, 1, 1\n.explicitcluster\n.reqnctapercluster 1, 1, \(cluster)", at: body)
    }
    return lines.joined(separator: "\n")
  }

  @Test func groupProducts() throws {
    let source = try CLWarps.ptx.source(
      "group_product", then: CLFunction("leaky_relu", alpha: 0.25), isGroup: true, for: "linear")
    let ends = ["BIAS": "2", "RESIDUAL": "1", "HALF_ADD": "1", "HALF_Y": "1"]
    for tile in CLGroupTile.all {
      for (transposeA, transposeB, floats) in [
        (false, true, "0"), (false, false, "0"), (true, false, "0"), (true, true, "0"), (false, true, "1"),
      ] {
        let shape = CLMatrixProduct.Shape(m: 64, n: 64, k: 64, transposeA: transposeA, transposeB: transposeB)
        // Every tile with the operand layout of linear layers, and two tiles with all layouts.
        guard tile.takes(shape), transposeB && !transposeA || [0, 5].contains(CLGroupTile.all.firstIndex(of: tile))
        else {
          continue
        }
        var definitions = tile.definitions(shape).merging(ends) { $1 }
        (definitions["TRANSPOSE_A"], definitions["TRANSPOSE_B"]) = (transposeA ? "1" : "0", transposeB ? "1" : "0")
        definitions["FLOATS"] = floats
        let (ptx, words) = try compile(source, definitions, "sm_90a")
        #expect(ptx.contains("//@ wgmma.mma_async") && ptx.contains("//@shared \(tile.localBytes)"))
        #expect(ptx.contains("//@cluster") == (tile.cluster > 1))
        #expect(words.contains("0 bytes spill stores"), "\(tile) \(definitions): \(words)")
        // A warp group must not wait for its products one by one.
        #expect(!words.contains("serialized"), "\(tile) \(definitions): \(words)")
      }
    }
  }

  @Test func groupAttention() throws {
    let source = try CLWarps.ptx.source("attention_form", "group_attention", isGroup: true, for: "attention")
    let sizes = [("64", "3", "64", "64"), ("128", "2", "64", "64"), ("64", "2", "128", "128"), ("64", "3", "40", "24")]
    for (sources, stages, depth, width) in sizes {
      for form in [["SHARE_PARTS": "2", "MASKS": "1"], ["SHARE_PARTS": "1", "MASKS": "0", "HALF_Y": "1"]] {
        let own = ["GROUPS": "1", "SOURCES": sources, "STAGES": stages, "DEPTH": depth, "WIDTH": width]
        let masks = ["MASK_A": "uchar", "MASK_B": "float", "KIND_A": "1", "KIND_B": "0"]
        let (ptx, words) = try compile(source, own.merging(form.merging(masks) { $1 }) { $1 }, "sm_90a")
        #expect(ptx.contains("//@ wgmma.mma_async"))
        #expect(words.contains("0 bytes spill stores") && !words.contains("serialized"), "\(own) \(form): \(words)")
      }
    }
  }

  @Test(arguments: ["sm_80", "sm_90"]) func norms(_ architecture: String) throws {
    let source = try CLWarps.ptx.source("warp_norm", for: "layer_norm")
    for chunks in ["1", "3", "8"] {
      let definitions = ["CHUNKS": chunks, "GAMMA": "1", "BETA": "1", "HALF_X": "1", "HALF_Y": "1"]
      let (_, words) = try compile(source, definitions, architecture)
      #expect(words.contains("0 bytes spill stores"), "\(chunks): \(words)")
    }
  }

  @Test(arguments: ["sm_80", "sm_90"]) func products(_ architecture: String) throws {
    let forms: [[String: String]] = [
      ["TRANSPOSE_B": "1", "BIAS": "2", "RESIDUAL": "1", "HALF_ADD": "1", "HALF_Y": "1"], ["TRANSPOSE_A": "1"],
      ["CONVOLUTION": "1", "KERNEL_H": "3", "KERNEL_W": "3", "BIAS": "1", "HALF_Y": "1"], ["INDEX": "long"],
    ]
    let source = try CLWarps.ptx.source("warp_product", then: CLFunction("leaky_relu", alpha: 0.25), for: "linear")
    for tile in CLWarpTile.all {
      for form in forms {
        for floats in ["0", "1"] {
          var definitions = tile.definitions.merging(form) { $1 }
          definitions["FLOATS"] = floats
          let (ptx, words) = try compile(source, definitions, architecture)
          #expect(ptx.contains(floats == "0" ? "mma.sync.aligned.m16n8k16" : "mma.sync.aligned.m16n8k8"))
          for instruction in ["ldmatrix.sync", "cp.async.cg"] {
            #expect(ptx.contains(instruction) || floats == "1")
          }
          // Accumulators that do not fit the registers would be spilled in every slice.
          #expect(words.contains("0 bytes spill stores"), "\(tile) \(definitions): \(words)")
        }
      }
    }
  }

  /// Every way to fill a patch that fits the local memory of the device.
  @Test(arguments: ["sm_80", "sm_90"], CLWarpProduct.Factors.allCases)
  func convolutions(_ architecture: String, _ factors: CLWarpProduct.Factors) throws {
    let source = try CLWarps.ptx.source(
      "warp_patch", "warp_conv", then: CLFunction("leaky_relu", alpha: 0.25), for: "conv")
    let pack = try CLWarps.ptx.source("warp_patch", "warp_pack", for: "conv")
    let ends = ["INDEX": "int", "BIAS": "1", "RESIDUAL": "1", "HALF_ADD": "1", "HALF_Y": "1"]
    for (kernel, stride) in [(3, 1), (3, 2), (1, 1), (1, 2), (5, 1), (7, 2)] {
      let size = (56 - 1) / stride + 1
      let window = try CLWindow(
        input: [56, 56], output: [size, size], kernel: [kernel, kernel], strides: [stride, stride],
        padding: [kernel / 2, kernel / 2])
      let tiles = CLPatchTile.all(window, of: factors).filter { $0.fits(window, localBytes: 49_152, items: 1024) }
      #expect(!tiles.isEmpty)
      for tile in tiles {
        let definitions = tile.definitions(window).merging(ends) { $1 }
        let (ptx, words) = try compile(source, definitions, architecture)
        let product = factors == .f16 ? "mma.sync.aligned.m16n8k16" : "mma.sync.aligned.m16n8k8"
        for instruction in [product, "ldmatrix.sync", "cp.async.cg"] { #expect(ptx.contains(instruction)) }
        #expect(words.contains("0 bytes spill stores"), "\(tile) \(definitions): \(words)")
      }
      _ = try compile(
        pack, try #require(tiles.first).definitions(window).merging(["INDEX": "int"]) { $1 }, architecture)
    }
  }

  @Test(arguments: ["sm_80", "sm_90"]) func attention(_ architecture: String) throws {
    let source = try CLWarps.ptx.source("attention_form", "warp_scores", "warp_attention", for: "attention")
    let sizes = [("64", "64", "64"), ("32", "128", "128"), ("32", "80", "80"), ("64", "40", "40")]
    for (sources, depth, width) in sizes {
      for form in [["SHARE_PARTS": "2", "MASKS": "1"], ["SHARE_PARTS": "1", "MASKS": "0", "HALF_Y": "1"]] {
        let own = ["WARPS": "4", "SOURCES": sources, "DEPTH": depth, "WIDTH": width]
        let masks = ["MASK_A": "uchar", "MASK_B": "float", "KIND_A": "1", "KIND_B": "0"]
        let (ptx, words) = try compile(source, own.merging(form.merging(masks) { $1 }) { $1 }, architecture)
        for instruction in ["mma.sync.aligned.m16n8k16", "ldmatrix.sync", "cp.async.cg", "shfl.sync.bfly"] {
          #expect(ptx.contains(instruction))
        }
        #expect(words.contains("0 bytes spill stores"), "\(own) \(form): \(words)")
      }
    }
  }

  /// The same for fp32, for each number of warps that share queries.
  @Test(arguments: ["sm_80", "sm_90"]) func attentionOfFloats(_ architecture: String) throws {
    let source = try CLWarps.ptx.source("attention_form", "warp_scores", "warp_attention_floats", for: "attention")
    for (depth, width, sources) in [(64, 64, 64), (128, 128, 32), (80, 80, 32), (24, 40, 64)] {
      for warps in CLAttention.FloatTile.allWarps {
        for form in [["MASKS": "2"], ["MASKS": "0", "HALF_Y": "1"]] {
          let own = [
            "WARPS": "\(warps)", "SPLIT": "\(4 / warps)", "SOURCES": "\(sources)", "DEPTH": "\(depth)",
            "WIDTH": "\(width)",
          ]
          let masks = ["MASK_A": "uchar", "MASK_B": "float", "KIND_A": "1", "KIND_B": "0"]
          let (ptx, words) = try compile(source, own.merging(form.merging(masks) { $1 }) { $1 }, architecture)
          for instruction in ["mma.sync.aligned.m16n8k8", "ldmatrix.sync", "cp.async.cg", "shfl.sync.bfly"] {
            #expect(ptx.contains(instruction))
          }
          #expect(words.contains("0 bytes spill stores"), "\(own) \(form): \(words)")
        }
      }
    }
  }

  /// Kernels for any device: a compute unit holds three work-groups of 128 work-items if each work-item has 168
  /// registers.
  @Test func tiles() throws {
    let source = try CLFunction("leaky_relu", alpha: 0.25).ending("tile", front: "tile_slice", for: "linear")
    let forms: [[String: String]] = [
      ["TRANSPOSE_B": "1", "BIAS": "2", "RESIDUAL": "1"], ["TRANSPOSE_A": "1"], ["PARTS": "4", "INDEX": "long"],
      ["HALF_A": "1", "HALF_B": "1", "HALF_ADD": "1", "HALF_Y": "1", "RESIDUAL": "1"],
      ["CONVOLUTION": "1", "BIAS": "1", "RESIDUAL": "1"], ["CONVOLUTION": "1", "KERNEL_H": "7", "KERNEL_W": "7"],
    ]
    for (number, tile) in CLTile.all.enumerated() {
      // All forms for the largest tile, and a third of the forms for the others.
      for (place, form) in forms.enumerated() where number == 0 || (number + place) % 3 == 0 {
        let definitions = tile.definitions(isRolled: false).merging(form) { $1 }
        let (ptx, words) = try compile(source, definitions, "sm_90")
        #expect(words.contains("0 bytes stack frame, 0 bytes spill stores"), "\(tile) \(form): \(words)")
        // The loop over K is unrolled, and accumulators and factors are in registers.
        #expect(ptx.ranges(of: "fma.rn.f32").count >= tile.k / tile.shares * tile.itemM * tile.itemN)
        guard tile.itemM <= 8, tile.shares <= 2, form["INDEX"] == nil else { continue }
        let used = try #require(words.firstMatch(of: /Used (\d+) registers/))
        #expect(try #require(Int(used.1)) <= 168, "\(tile) \(form): \(words)")
      }
    }
  }

  /// Kernels for any device: widened values stay in registers.
  @Test(arguments: 0...5) func storedWeights(_ codes: Int) throws {
    for (rows, m) in [(4, 1), (4, 4), (2, 8), (1, 1)] {
      let definitions = [
        "CODES": "\(codes)", "SCALED": codes == 0 ? "0" : "1", "ROUNDED": codes == 0 ? "0" : "1", "BLOCK": "32",
        "GROUP": "128",
        "LANES": "32", "ROWS": "\(rows)", "M": "\(m)", "HALF_A": "1", "HALF_Y": "1",
      ]
      let source = try CLFunction.identity.ending("stored", front: "stored_form", for: "linear")
      let (_, words) = try compile(source, definitions, "sm_90")
      #expect(words.contains("0 bytes stack frame"), "\(definitions): \(words)")
    }
    let source = try CLWarps.ptx.source("stored_form", "warp_stored", for: "linear")
    for blocks in [1, 2, 4] {
      let definitions = [
        "CODES": "\(codes)", "SCALED": codes == 0 ? "0" : "1", "ROUNDED": codes == 0 ? "0" : "1", "BLOCK": "32",
        "BLOCKS": "\(blocks)", "WARPS": "8", "HALF_A": "1", "HALF_Y": "1",
      ]
      let (ptx, words) = try compile(source, definitions, "sm_80")
      #expect(ptx.contains("mma.sync.aligned.m16n8k16"))
      #expect(words.contains("0 bytes stack frame, 0 bytes spill stores"), "\(definitions): \(words)")
    }
  }

  /// A compute unit holds three work-groups of 128 work-items if each work-item has 168 registers.
  @Test func attentionByTiles() throws {
    let source = OpenCLSource.generated(
      try OpenCLSource.body("attention_form") + OpenCLSource.body("attention_tile"), for: "attention")
    for sizes in [
      ["ROWS": "64", "SOURCES": "32", "DEPTH": "64", "WIDTH": "64", "MASKS": "1"],
      ["ROWS": "32", "SOURCES": "16", "DEPTH": "80", "WIDTH": "80", "HALF_X": "1", "HALF_KEY": "1"],
    ] {
      let masks = ["MASK_A": "float", "MASK_B": "float", "KIND_A": "0", "KIND_B": "0"]
      let (_, words) = try compile(source, sizes.merging(masks) { $1 }, "sm_90")
      #expect(words.contains("0 bytes stack frame, 0 bytes spill stores"), "\(sizes): \(words)")
    }
  }

  @Test(arguments: ["probe_launch", "probe_mma", "probe_ptx"]) func probes(_ name: String) throws {
    _ = try compile(.embedded(name), [:], "sm_80")
  }
}
