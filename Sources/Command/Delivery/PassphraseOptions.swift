import ArgumentParser
import CoreMLDelivery
import Foundation
import Synchronization

/// The passphrase of private keys: from a file, the environment, an open descriptor, or asked for at the terminal.
struct PassphraseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file whose first line is the passphrase of private keys; its mode must be 0600.", valueName: "file"),
    completion: .file())
  var passphraseFile: String?
  @Option(help: ArgumentHelp("The variable of the environment that holds it.", valueName: "name"))
  var passphraseEnv: String?
  @Option(help: ArgumentHelp("The open file descriptor that it is read from.", valueName: "number"))
  var passphraseFd: Int32?

  func validate() throws {
    guard [passphraseFile != nil, passphraseEnv != nil, passphraseFd != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("--passphrase-file, --passphrase-env and --passphrase-fd exclude each other")
    }
  }

  /// What was given, once: a descriptor gives it only one time.
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

  /// What encrypted keys are opened with; asked for where nothing says it and there is a terminal.
  func passphrase() throws -> Passphrase? { try stated() ?? Terminal.secret("Passphrase of the keys: ") }

  /// What new keys are encrypted with.
  ///
  /// - Parameter asking: whether one is asked for, twice, where nothing says it.
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

/// The terminal that the user sits at, wherever standard input and output lead.
enum Terminal {
  /// A line that is not shown; nil where there is no terminal.
  static func secret(_ prompt: String) throws -> Passphrase? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    var before = termios()
    guard tcgetattr(terminal, &before) == 0 else { return nil }
    var quiet = before
    // A signal would leave the terminal without echo: the key is read as a character.
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
