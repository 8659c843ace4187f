import Foundation
import TestSupport
import Testing

/// The build plugin in a separate package. The package does not build the library: its classes use the modules of this
/// build, so that building takes seconds. `tools/test-plugin` builds and runs the example with all of its dependencies.
@Suite(.tags(.process)) struct PluginTests {
  private let folder: Scratch
  private var runtime: String { folder.url.appending(path: "runtime").path }
  private var models: URL { folder.url.appending(path: "package/Sources/Reader") }

  private static let manifest = """
    // swift-tools-version: 6.3
    import PackageDescription

    let package = Package(
      name: "Models",
      targets: [
        .plugin(name: "CoreMLPlugin", capability: .buildTool()), .target(name: "Reader", plugins: ["CoreMLPlugin"]),
      ])
    """

  private static let source = """
    import CoreML

    public func label(of picture: CGImage) throws -> String {
      try Digits(configuration: MLModelConfiguration()).prediction(input: DigitsInput(imageWith: picture)).classLabel
    }
    """

  init() throws {
    folder = try Scratch()
    try folder.write(Self.manifest, to: "package/Package.swift")
    try folder.write(Self.source, to: "package/Sources/Reader/Reader.swift")
    let files = FileManager.default
    try files.createDirectory(at: folder.url.appending(path: "package/Plugins"), withIntermediateDirectories: true)
    try files.copyItem(
      at: CommandRun.checkout.appending(path: "Plugins/CoreMLPlugin"),
      to: folder.url.appending(path: "package/Plugins/CoreMLPlugin"))
    try files.copyItem(
      at: CommandRun.digits.appending(path: "Digits.mlpackage"), to: models.appending(path: "Digits.mlpackage"))
    // The command, wrapped to append a line to a file for each call.
    try folder.write(
      """
      #!/bin/sh
      echo "$2 $(basename "$3")" >>"\(folder.url.path)/calls"
      exec "\(Self.built.appending(path: "runtime").path)" "$@"
      """, to: "runtime")
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: runtime)
  }

  /// The folder of this build's products.
  private static var built: URL {
    URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
  }

  /// Compiler flags for finding this build's Swift modules and their C modules.
  private static func flags() throws -> [String] {
    let files = FileManager.default
    let places = [
      // Modules for the build's own tools have the names of others.
      (built, { (name: String) in name.hasSuffix(".build") && !name.hasSuffix("-tool.build") }),
      (CommandRun.checkout.appending(path: "Sources"), { (name: String) in name.hasPrefix("C") }),
      (CommandRun.checkout.appending(path: "Sources/System"), { (name: String) in name.hasPrefix("C") }),
    ]
    var words = ["-I", built.appending(path: "Modules").path]
    for (place, isMeant) in places {
      for name in try files.contentsOfDirectory(atPath: place.path).sorted() where isMeant(name) {
        let map = place.appending(path: "\(name)/module.modulemap").path
        if files.fileExists(atPath: map) { words += ["-Xcc", "-fmodule-map-file=\(map)"] }
      }
    }
    return words.flatMap { ["-Xswiftc", $0] }
  }

  /// Builds the package. Returns the calls of the command and the log.
  private func build(runtime: String? = nil) throws -> (status: Int32, calls: [String], log: String) {
    try? FileManager.default.removeItem(at: folder.url.appending(path: "calls"))
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["swift", "build", "--package-path", folder.url.appending(path: "package").path] + (try Self.flags())
    process.currentDirectoryURL = folder.url
    var environment = ProcessInfo.processInfo.environment
    environment["HOME"] = folder.url.path
    environment["COREML_RUNTIME"] = runtime ?? self.runtime
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    let log = try folder.handle("log")
    (process.standardOutput, process.standardError) = (log, log)
    try process.run()
    process.waitUntilExit()
    let calls = (try? folder.read("calls").split(separator: "\n").map(String.init).sorted()) ?? []
    return (process.terminationStatus, calls, try folder.read("log"))
  }

  @Test func aBuildWorksOnTheModelsThatChanged() throws {
    let clean = try build()
    #expect(clean.status == 0, "\(clean.log)")
    let digits = ["compile Digits.mlpackage", "generate Digits.mlpackage"]
    #expect(clean.calls == digits)
    #expect(try build().calls.isEmpty)
    let model = models.appending(path: "Digits.mlpackage/Data/com.apple.CoreML/model.mlmodel").path
    try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: model)
    #expect(try build().calls == digits)
    try FileManager.default.copyItem(
      at: CommandRun.checkout.appending(path: "Tests/Cases/interface/sums.mlmodel"),
      to: models.appending(path: "sums.mlmodel"))
    let more = try build()
    #expect(more.status == 0 && more.calls == ["compile sums.mlmodel", "generate sums.mlmodel"], "\(more.log)")
  }

  @Test func aCommandThatIsNoneIsNamed() throws {
    for (path, word) in [("runtime", "expected an absolute path"), ("/nowhere/runtime", "no file that can be run")] {
      let run = try build(runtime: path)
      #expect(run.status != 0 && run.log.contains(word) && run.calls.isEmpty, "\(run.log)")
    }
  }
}
