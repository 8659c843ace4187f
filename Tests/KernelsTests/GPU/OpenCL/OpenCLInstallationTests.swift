import Foundation
import Testing

@testable import CoreMLKernels

/// A machine without accelerators is detected once. The runtime does not load drivers again until the installation
/// changes.
@Suite struct OpenCLInstallationTests {
  private static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "installation-\(UUID().uuidString)")
    for part in ["etc/OpenCL/vendors", "dev/dri", "proc/sys/kernel/random"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: part), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    return folder
  }

  @Test func whateverMayBringADeviceIsPartOfIt() throws {
    let root = try Self.folder()
    defer { try? FileManager.default.removeItem(at: root) }
    func parts(_ environment: [String: String] = ["HOME": "/root"]) -> [String] {
      OpenCLInstallation(root: root.path, environment: environment).parts
    }
    func write(_ text: String, _ path: String) throws {
      try Data(text.utf8).write(to: root.appending(path: path), options: .atomic)
    }
    try write("one", "proc/sys/kernel/random/boot_id")
    var seen = [parts()]
    #expect(parts() == seen[0], "nothing changed")
    #expect(parts(["HOME": "/elsewhere"]) == seen[0], "what no driver reads")
    let steps: [(String, () throws -> Void)] = [
      ("a driver", { try write("libone.so", "etc/OpenCL/vendors/one.icd") }),
      ("another driver in its place", { try write("libanother.so", "etc/OpenCL/vendors/one.icd") }),
      ("a device", { try write("", "dev/nvidia0") }),
      ("a device of the kernel's own kind", { try write("", "dev/dri/renderD128") }),
      ("libraries", { try write("", "etc/ld.so.cache") }),
      ("a start of the machine", { try write("two", "proc/sys/kernel/random/boot_id") }),
    ]
    for (name, step) in steps {
      try step()
      #expect(!seen.contains(parts()), "\(name)")
      seen.append(parts())
    }
    #expect(!seen.contains(parts(["HOME": "/root", "CUDA_VISIBLE_DEVICES": "0"])))
  }

  @Test func itIsNotAskedTwice() throws {
    let root = try Self.folder()
    defer { try? FileManager.default.removeItem(at: root) }
    let cache = root.appending(path: "cache").path
    let installation = OpenCLInstallation(root: root.path, environment: [:])
    let library = "libOpenCL.so.1"
    let first = OpenCLPlatformList.accelerators(libraryPath: library, cacheDirectory: cache, installation)
    let kept = try? FileManager.default.contentsOfDirectory(atPath: cache)
    // The cache keeps the result only if every platform answered and none has an accelerator.
    guard first.hasLibrary, first.devices.isEmpty, first.problems.isEmpty else { return #expect(kept?.isEmpty ?? true) }
    #expect(kept?.contains(Self.verdict(library, installation)) == true)
    // With a cached result, a library that cannot be loaded is not opened.
    let missing = "libNoSuchOpenCL.so.1"
    func found() -> OpenCLPlatformList {
      OpenCLPlatformList.accelerators(libraryPath: missing, cacheDirectory: cache, installation)
    }
    #expect(!found().hasLibrary, "what is kept is said of one library")
    FileCache(directory: cache).save([1], Self.verdict(missing, installation))
    #expect(found().hasLibrary && found().devices.isEmpty && found().problems.isEmpty)
    try Data().write(to: root.appending(path: "dev/nvidia0"))
    let changed = OpenCLInstallation(root: root.path, environment: [:])
    let asked = OpenCLPlatformList.accelerators(libraryPath: missing, cacheDirectory: cache, changed)
    #expect(!asked.hasLibrary, "asked again once something has changed")
  }

  private static func verdict(_ library: String, _ installation: OpenCLInstallation) -> String {
    FileCache.fileName(["no accelerators", library] + installation.parts, suffix: "clprogram")
  }
}
