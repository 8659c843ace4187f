import ArgumentParser
import CoreMLDelivery
import Foundation
import Synchronization

/// The passphrase of private keys: from a file, the environment, an open descriptor, or typed at the terminal.
struct PassphraseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file whose first line is the passphrase of private keys; its mode must be 0600.", valueName: "file"),
    completion: .file())
  var passphraseFile: String?
  @Option(help: ArgumentHelp("The environment variable with the passphrase.", valueName: "name"))
  var passphraseEnv: String?
  @Option(help: ArgumentHelp("The open file descriptor to read the passphrase from.", valueName: "number"))
  var passphraseFd: Int32?

  func validate() throws {
    guard [passphraseFile != nil, passphraseEnv != nil, passphraseFd != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("--passphrase-file, --passphrase-env and --passphrase-fd exclude each other")
    }
  }

  /// The passphrase, read once: a descriptor yields it only one time.
  private static let given = Mutex<Passphrase?>(nil)

  private func stated() throws -> Passphrase? {
    let source: PassphraseSource? =
      passphraseFile.map { .file(URL(filePath: $0)) } ?? passphraseEnv.map { .environment($0) }
      ?? passphraseFd.map { .descriptor($0) }
    guard let source else { return nil }
    return try Self.given.withLock { given in
      let phrase = try given ?? source.passphrase()
      given = phrase
      return phrase
    }
  }

  /// The passphrase of encrypted keys. Without an option the user is prompted, if there is a terminal.
  func passphrase() throws -> Passphrase? { try stated() ?? Terminal.secret("Passphrase of the keys: ") }

  /// The passphrase for new keys.
  ///
  /// - Parameter asking: Whether the user is prompted, twice, if no option gives it.
  func newPassphrase(asking: Bool) throws -> Passphrase? {
    if let stated = try stated() { return stated }
    guard asking else { return nil }
    guard let first = try Terminal.secret("New passphrase: "), let second = try Terminal.secret("Once more: ") else {
      throw Failure(.usage, "there is no terminal to ask for a passphrase: --passphrase-file, -env or -fd must say it")
    }
    guard first == second else { throw Failure(.data, "the two passphrases differ") }
    return first
  }
}

/// The user's terminal, regardless of redirections of standard input and output.
enum Terminal {
  /// A line that is not echoed; nil without a terminal.
  static func secret(_ prompt: String) throws -> Passphrase? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    var before = termios()
    guard tcgetattr(terminal, &before) == 0 else { return nil }
    var quiet = before
    // A signal would leave the terminal without echo, so Ctrl-C is read as a character.
    quiet.c_lflag &= ~tcflag_t(ECHO | ISIG | ICANON)
    guard tcsetattr(terminal, TCSAFLUSH, &quiet) == 0 else { return nil }
    defer {
      tcsetattr(terminal, TCSAFLUSH, &before)
      Console.write("\n", to: terminal)
    }
    Console.write(prompt, to: terminal)
    return try Passphrase.typed {
      var byte: UInt8 = 0
      while true {
        let count = read(terminal, &byte, 1)
        if count < 0 && errno == EINTR { continue }
        guard count == 1, byte != 0x03 else { throw Failure(.interrupt, "no passphrase was given") }
        return byte
      }
    }
  }
}
