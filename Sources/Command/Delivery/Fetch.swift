import ArgumentParser
import CoreML
import CoreMLDelivery
import CoreMLDeliveryHTTP
import Foundation

struct Fetch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Fetches a model, and installs it or writes it to a file.",
    discussion: """
      URL is https, http (this machine, or with --allow-http) or file. It is the URL of a .mlmodel, or of a .tar.bz2, .tar.gz, .tar.xz, \
      .tar.zst or .zip with a .mlmodel, .mlpackage or .mlmodelc. An interrupted fetch resumes where it stopped.

      Without -o the model is checked, compiled, tried and installed. With -o and a folder it is compiled and written there; with a .mlmodel, \
      .mlpackage or .mlmodelc it is written in that format; with another name the file is written unchanged.
      """)

  @Argument(help: ArgumentHelp("The URL of the model.", valueName: "url"))
  var url: String
  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("The file or folder to write instead of installing.", valueName: "path"), completion: .file())
  var output: String?
  @Option(help: "The name to install the model under; the name of the file by default.")
  var name: String?
  @Flag(help: "Do not compile: keep the model in its original format.")
  var noCompile = false
  @OptionGroup var transfer: TransferOptions
  @OptionGroup var install: InstallOptions
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if output != nil && name != nil { throw ValidationError("-o and --name exclude each other") }
  }

  func run() throws {
    let places = try DeliveryDirectories()
    let item = try transfer.item(url)
    guard let first = item.mirrors.first else { throw ValidationError("expected a URL") }
    if let output {
      try FetchToPath(url: first, output: output, isCompiled: !noCompile, places: places, key: install.key).run(
        item, transfer, json: json)
    } else {
      let name = name ?? ModelsInstall.name(of: first)
      guard InstalledModels.isName(name) else {
        throw Failure(.usage, "'\(name)' cannot be the name of an installed model; --name gives another")
      }
      try FetchToStore(url: first, name: name, isTried: !noCompile, places: places, options: install).run(
        item, transfer, json: json)
    }
  }
}

/// The result of a fetch.
struct FetchReport: Encodable {
  let url: String
  let modified: Bool
  var bytes: Int64?
  var sha256: String?
  var path: String?
  var name: String?
  var digest: String?

  func say(json: Bool) throws {
    if json || !Console.outputIsTerminal { return try Console.say(json: self) }
    let what = name.map { "\($0): \(digest ?? "")" } ?? path ?? ""
    Console.say(modified ? what : "\(what) (not modified)")
  }
}
