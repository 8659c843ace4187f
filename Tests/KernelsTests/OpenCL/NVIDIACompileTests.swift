import Foundation
import Testing

@testable import CoreMLKernels

/// Clang and NVIDIA's assembler.
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
    // Clang comes with PoCL; that of a Swift toolchain knows no nvptx64.
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

  /// The functions of OpenCL C that the kernels call, which NVIDIA's compiler has and clang declares.
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
    void PLAIN __attribute__((convergent)) barrier(cl_mem_fence_flags f) { __syncthreads(); }
    float PLAIN __attribute__((pure)) vload_half(size_t i, const __global half *p) { return __builtin_load_halff(p + i); }
    void PLAIN vstore_half_rte(float v, size_t i, __global half *p) { __builtin_store_halff(v, p + i); }

    """
}

/// Kernels for NVIDIA's devices compile, and fit a work-item's registers, without such a device: clang makes PTX of them, NVIDIA's assembler
/// machine code. The assembler is the one that `COREML_PTXAS` names, or that of the machine; `tools/test` brings one.
@Suite(.enabled(if: NVIDIACompiler.tools != nil, "needs clang for nvptx64 and NVIDIA's ptxas (COREML_PTXAS)"))
struct NVIDIACompileTests {
  /// Compiles and assembles; gives the PTX and what the assembler says of registers.
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
    let assembled = try NVIDIACompiler.run(
      tools.assembler, ["-v", "-arch=\(architecture)", ptx.path, "-o", folder.appending(path: "kernel.cubin").path])
    try #require(assembled.status == 0, "ptxas for \(architecture): \(assembled.output.prefix(2000))")
    return (try String(contentsOf: ptx, encoding: .utf8), assembled.output)
  }

  @Test(arguments: ["sm_80", "sm_90"]) func products(_ architecture: String) throws {
    let forms: [[String: String]] = [
      ["TRANSPOSE_B": "1", "BIAS": "2", "RESIDUAL": "1", "HALF_ADD": "1", "HALF_Y": "1"], ["TRANSPOSE_A": "1"],
      ["CONVOLUTION": "1", "KERNEL_H": "3", "KERNEL_W": "3", "BIAS": "1", "HALF_Y": "1"], ["INDEX": "long"],
    ]
    let source = try CLWarps.ptx.source("warp_product", then: CLFunction("leaky_relu", alpha: 0.25), for: "linear")
    for tile in CLWarpTile.all {
      for form in forms {
        let (ptx, words) = try compile(source, tile.definitions.merging(form) { $1 }, architecture)
        for instruction in ["mma.sync.aligned.m16n8k16", "ldmatrix.sync"] { #expect(ptx.contains(instruction)) }
        #expect(ptx.contains("cp.async.cg"))
        // Sums that do not fit the registers go to memory and back in every slice.
        #expect(words.contains("0 bytes spill stores"), "\(tile) \(form): \(words)")
      }
    }
  }

  @Test(arguments: ["probe_mma", "probe_ptx"]) func probes(_ name: String) throws {
    _ = try compile(.embedded(name), [:], "sm_80")
  }
}
