import ArgumentParser
import CoreMLDelivery
import Foundation

struct PublishNewChannel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new-channel", abstract: "Creates a channel without models; `init` creates 'stable'.")

  @OptionGroup var options: PublishOptions
  @Argument(help: "The channel's name.")
  var name: String

  func run() throws {
    try options.publisher().addChannel(name)
    try options.say(["channel": name], "\(name): a channel without models; `publish add --channel \(name)` adds some")
  }
}
