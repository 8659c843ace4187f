import Foundation
import Testing

/// A library that is preloaded into the command. It records calls, and simulates the behavior of file systems
/// (`tools/fault-shim.c`).
enum FaultShim {
  static var isUsable: Bool { dlsym(nil, "__asan_init") == nil && dlsym(nil, "__tsan_init") == nil }

  static func build(in folder: Scratch) throws -> String {
    let shim = folder.url.appending(path: "fault-shim.so").path
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = [
      "clang", "-shared", "-fPIC", "-O1", "-o", shim, CommandRun.checkout.appending(path: "tools/fault-shim.c").path,
      "-ldl",
    ]
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
    return shim
  }
}
