import ArgumentParser
import CoreMLDelivery
import Foundation

struct ModelsActivate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activate", abstract: "Points a name at a model of the store.")

  @Argument(help: "The name.", completion: .custom { _, _, prefix in ModelCompletion.names(prefix) })
  var name: String
  @Argument(help: "The digest or the name of a model of the store.")
  var digest: String?
  @Flag(help: "Return to the previous version and drop the current one.")
  var previous = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if previous == (digest != nil) { throw ValidationError("expected either a digest or --previous") }
  }

  func run() throws {
    let user = try UserStore()
    try user.requireOwn(name)
    let model: StoredModel
    if let digest {
      model = try user.store.model(user.digest(digest))
      try user.store.activate(name: name, digest: model.digest)
    } else {
      model = try user.store.rollBack(name: name)
    }
    try Installed.say(model, name: name, user.store, json: json)
  }
}

struct ModelsRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Removes a name. Its model stays in the store until `runtime cache prune`.")

  @Argument(help: "The name.")
  var name: String

  func run() throws {
    let user = try UserStore()
    try user.requireOwn(name)
    try InstalledModels(user.store).remove(named: name)
  }
}

struct ModelsPin: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Pins a model of the store, so that it is kept even without a name.")

  @Argument(
    help: "The digest or the name of a model.", completion: .custom { _, _, prefix in ModelCompletion.names(prefix) })
  var model: String

  func run() throws {
    let user = try UserStore()
    try user.store.pin(user.digest(model))
  }
}

struct ModelsUnpin: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "unpin", abstract: "Removes a pin.")

  @Argument(
    help: "The digest or the name of a model.", completion: .custom { _, _, prefix in ModelCompletion.names(prefix) })
  var model: String

  func run() throws {
    let user = try UserStore()
    try user.store.unpin(user.digest(model))
  }
}
