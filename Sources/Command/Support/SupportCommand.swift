import ArgumentParser
import CoreMLRuntime

struct SupportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "support",
    abstract: "Lists what is supported: model types, layers, operations, data types.",
    discussion: """
      With NAME, only entries whose name contains it, ignoring case: `runtime support lstm`. Exit status 1 if there are none, or none of \
      them is supported.
      """)

  @Argument(help: "A part of a name.")
  var name: String?
  @Flag(help: "Print Markdown: docs/support.md.")
  var markdown = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if markdown, json || name != nil { throw ValidationError("--markdown prints everything, and no JSON") }
  }

  func run() throws {
    let support = try Support().filtered(name)
    if markdown {
      Console.say(SupportText(support).markdown)
    } else if json || !Console.outputIsTerminal {
      try Console.say(json: support)
    } else {
      Console.say(name != nil && support.isEmpty ? "Nothing has that name." : SupportText(support).plain)
    }
    if name != nil, !support.runsAnything { throw Failure.negative }
  }
}
