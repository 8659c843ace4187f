import Foundation
import TestSupport
import Testing

/// The linked dynamic library from the outside: its exported symbols, its dependencies and the examples.
@Suite(.tags(.process)) struct LibraryTests {
  private static let source = (try? String(contentsOf: Places.header, encoding: .utf8)) ?? ""

  @Test func itShowsTheFunctionsOfTheHeaderAlone() throws {
    let symbols = try Tool.nm.run(["-D", "--defined-only", Places.library.path]).split(separator: "\n").compactMap {
      line -> String? in
      let words = line.split(separator: " ")
      guard words.count == 3, words[1].contains(where: \.isUppercase), words[1] != "A" else { return nil }
      return String(words[2].prefix { $0 != "@" })
    }
    let declared = Self.source.matches(of: /\b(coreml_[a-z0-9_]+)\(/).map { String($0.1) }
    // The text names some of them, too. Each name is declared.
    #expect(Set(symbols) == Set(declared))
    #expect(symbols.count > 50)
  }

  @Test func itNeedsWhatEverySystemHasAndPictures() throws {
    let needed = try Tool.readelf.run(["-d", Places.library.path]).split(separator: "\n").filter {
      $0.contains("(NEEDED)")
    }.compactMap { $0.split(separator: "[").last?.split(separator: ".").first.map(String.init) }
    #expect(
      Set(needed).isSubset(of: [
        "libpng16", "libjpeg", "libwebp", "libwebpdemux", "libgif", "libm", "libc", "libstdc++", "libgcc_s",
        "ld-linux-x86-64", "ld-linux-aarch64",
      ]),
      "no Swift library, and no OpenBLAS that others use: \(needed)")
  }

  /// The command answers the queries that OpenBLAS makes when it is loaded. So OpenBLAS starts no threads, which would
  /// spin while the command starts.
  @Test func theCommandStartsNoThreadsOfOpenBLAS() throws {
    let command = Places.library.deletingLastPathComponent().appending(path: "runtime").path
    let shown = try Tool.nm.run(["-D", "--defined-only", command])
    #expect(shown.contains("openblas_num_threads_env") && shown.contains("openblas_read_env"))
  }

  @Test(
    .enabled(if: Tool.compiler != nil, "there is no C compiler"),
    arguments: [["-std=c99"], ["-x", "c++", "-std=c++11"]])
  func theHeaderIsPlain(language: [String]) throws {
    let folder = try Folder()
    let file = folder.url.appending(path: "header.c")
    try Data("#include <coreml_runtime.h>\n".utf8).write(to: file)
    let include = "-I" + Places.header.deletingLastPathComponent().path
    _ = try Tool.compiler?.run(
      language + ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", include, file.path])
  }

  @Test(.enabled(if: Tool.compiler != nil, "there is no C compiler"))
  func theExampleInC() throws {
    let compiler = try #require(Tool.compiler)
    let folder = try Folder()
    let program = folder.url.appending(path: "predict")
    let library = Places.library.deletingLastPathComponent().path
    _ = try compiler.run(
      Sanitizer.flags + [
        "-std=c99", "-Wall", "-Wextra", "-Werror", "-I" + Places.header.deletingLastPathComponent().path,
        Places.checkout.appending(path: "examples/CInterface/predict.c").path, "-o", program.path, "-L" + library,
        "-lcoreml_runtime", "-Wl,-rpath,\(library)",
      ])
    try Self.check(Tool(program).run([Places.digits.appending(path: "Digits.mlpackage").path] + Self.pictures))
    #expect(throws: Tool.Failure.self) { try Tool(program).run(["/nothing/here", Self.pictures[0]]) }
  }

  @Test(
    .enabled(if: Tool.python != nil, "there is no Python"),
    .enabled(if: !Sanitizer.isThread, "ThreadSanitizer must be part of the program"))
  func theExampleInPython() throws {
    let python = try #require(Tool.python)
    let script = Places.checkout.appending(path: "examples/CInterface/predict.py").path
    try Self.check(
      python.run(
        [script, Places.library.path, Places.digits.appending(path: "Digits.mlpackage").path] + Self.pictures,
        environment: try Sanitizer.environment()))
  }

  /// The files that `tools/install` puts into a folder are sufficient for a C program.
  @Test(
    .enabled(if: Tool.compiler != nil, "there is no C compiler"),
    .enabled(if: Tool.pkgConfig != nil, "there is no pkg-config"),
    .enabled(if: Sanitizer.flags.isEmpty, "what is installed is stripped of what sanitizers tell"))
  func anInstalledLibraryIsFound() throws {
    let (compiler, pkgConfig) = (try #require(Tool.compiler), try #require(Tool.pkgConfig))
    let folder = try Folder()
    let prefix = folder.url.appending(path: "prefix")
    let install = Tool(Places.checkout.appending(path: "tools/install"))
    let said = try install.run(
      ["--built", Places.library.deletingLastPathComponent().path, prefix.path], environment: ["DESTDIR": ""])
    #expect(said.contains("PKG_CONFIG_PATH=\(prefix.path)/lib/pkgconfig"), "\(said)")
    let found = ["PKG_CONFIG_PATH": prefix.appending(path: "lib/pkgconfig").path]
    let flags = try pkgConfig.run(["--cflags", "--libs", "coreml_runtime"], environment: found)
    let version = try pkgConfig.run(["--modversion", "coreml_runtime"], environment: found)
    #expect(try Tool(prefix.appending(path: "bin/runtime")).run(["--version"]) == version)
    let program = folder.url.appending(path: "predict")
    _ = try compiler.run(
      ["-std=c99", Places.checkout.appending(path: "examples/CInterface/predict.c").path, "-o", program.path]
        + flags.split(whereSeparator: \.isWhitespace).map(String.init))
    try Self.check(Tool(program).run([Places.digits.appending(path: "Digits.mlpackage").path] + Self.pictures))
    #expect(throws: Tool.Failure.self) {
      try install.run(["--built", folder.url.path, prefix.path], environment: ["DESTDIR": ""])
    }
  }

  /// Loading the library does not affect another OpenBLAS in the process, and starts no threads.
  @Test(
    .enabled(if: Tool.python != nil, "there is no Python"),
    .enabled(if: !Sanitizer.isThread, "ThreadSanitizer must be part of the program"))
  func itsOpenBLASIsItsOwn() throws {
    let python = try #require(Tool.python)
    let program = """
      import ctypes, os, sys
      sys.path.insert(0, sys.argv[1])
      import predict
      try: other = ctypes.CDLL("libopenblas.so.0", mode=ctypes.RTLD_GLOBAL)
      except OSError: other = None
      if other: other.openblas_set_num_threads(2)
      before = len(os.listdir("/proc/self/task"))
      library = predict.Library(sys.argv[2])
      started = len(os.listdir("/proc/self/task")) - before
      classify = predict.Classifier(library, sys.argv[3])
      classify(open(sys.argv[4], "rb").read())
      print(started, other.openblas_get_num_threads() if other else 2)
      """
    let answer = try python.run(
      [
        "-c", program, Places.checkout.appending(path: "examples/CInterface").path, Places.library.path,
        Places.digits.appending(path: "Digits.mlpackage").path, Self.pictures[0],
      ], environment: try Sanitizer.environment())
    #expect(answer == "0 2\n")
  }

  private static let pictures = ["seven", "two"].map { Places.digits.appending(path: "\($0).png").path }

  private static func check(_ output: String) {
    #expect(
      output == """
        coreml_runtime 0.2.0; 'image' is an image of 32 x 32 pixels
        seven.png    seven    0.9884
        two.png      two      0.9990

        """)
  }
}
