import ArgumentParser
import CoreMLDelivery
import Foundation

struct PublishKey: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Creates, shows and encrypts the private keys that sign documents.",
    subcommands: [PublishKeyNew.self, PublishKeyShow.self, PublishKeyProtect.self])
}

private func report(_ key: PublicKey, _ file: URL, isEncrypted: Bool, json: Bool) throws {
  if json || !Console.outputIsTerminal {
    try Console.say(json: KeyReport(key, file: file))
  } else {
    let note = isEncrypted ? ", encrypted" : ""
    Console.say("\(file.path): key \(key.id), public \(key.bytes.base64EncodedString())\(note)")
  }
}

struct PublishKeyNew: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Creates a private key, in a new file that only its owner can read.")

  @Argument(help: "The file to write.", completion: .file())
  var file: String
  @Flag(help: "Prompt for a passphrase to encrypt the key, unless an option gives it.")
  var encrypt = false
  @OptionGroup var phrases: PassphraseOptions
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let (key, url) = (try SigningKey(), URL(filePath: file).standardizedFileURL)
    let phrase = try phrases.newPassphrase(asking: encrypt)
    try key.write(to: url, passphrase: phrase)
    try report(key.publicKey, url, isEncrypted: phrase != nil, json: json)
  }
}

struct PublishKeyShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Prints the identifier of a private or public key; needs no passphrase.")

  @Argument(help: "The file of a key, in any supported format.", completion: .file())
  var file: String
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let url = URL(filePath: file).standardizedFileURL
    let key = try PublicKey(file: url)
    try report(key, url, isEncrypted: (try? SigningKeyFile(url).isEncrypted) ?? false, json: json)
  }
}

struct PublishKeyProtect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "protect", abstract: "Encrypts a private key in place, or changes its passphrase.",
    discussion:
      "The old passphrase comes from --old-file, the new one from the other options. Without these the command prompts."
  )

  @Argument(help: "The private key.", completion: .file(extensions: ["key"]))
  var file: String
  @Option(help: ArgumentHelp("A file with the current passphrase of the key.", valueName: "file"))
  var oldFile: String?
  @OptionGroup var phrases: PassphraseOptions
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let url = URL(filePath: file).standardizedFileURL
    let key = try SigningKeyFile(url).key {
      try oldFile.map { try PassphraseSource.file(URL(filePath: $0)).passphrase() }
        ?? Terminal.secret("Passphrase that it has now: ")
    }
    try key.replace(url, passphrase: try phrases.newPassphrase(asking: true))
    try report(key.publicKey, url, isEncrypted: true, json: json)
  }
}
