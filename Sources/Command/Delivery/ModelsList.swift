import ArgumentParser
import CoreMLDelivery
import Foundation

struct ModelsList: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the installed models.")

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let user = try UserStore()
    let models = try InstalledModels(user.store).all { name, error in
      Console.complain(
        "\(name): \(error.message) (\(error.file ?? name)); `runtime cache verify --repair` mends what can be mended")
    }
    let reports = try models.map { try ModelReport($0, user.store) }
    if json || !Console.outputIsTerminal { return try Console.say(json: reports) }
    guard !reports.isEmpty else { return Console.say("no models are installed") }
    let rows = reports.map { report in
      [
        report.name ?? "", report.form, report.bytes.map { Console.bytes(Int($0)) } ?? "",
        report.digest.map { String($0.prefix(16)) } ?? "", report.pinned ? "pinned" : "",
      ]
    }
    Console.say(Console.table([["NAME", "FORM", "SIZE", "DIGEST", ""]] + rows, rightAligned: [2]))
  }
}

struct ModelsShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Shows one model: its format, path and versions.")

  @Argument(
    help: "The name or digest of a model.", completion: .custom { _, _, prefix in ModelCompletion.names(prefix) })
  var model: String
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let user = try UserStore()
    let report: ModelReport
    do {
      report = try ModelReport(InstalledModels(user.store).model(named: model), user.store)
    } catch let error as DeliveryError where error.code == .noSuchModel {
      report = try ModelReport(user.store.model(user.digest(model)), name: nil, user.store)
    }
    if json || !Console.outputIsTerminal { try Console.say(json: report) } else { report.say() }
  }
}
