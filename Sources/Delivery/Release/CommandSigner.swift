import Foundation

/// Signs with a key held by another program, such as a token, a vault or an agent.
///
/// The program reads the exact bytes to sign from standard input. It writes the 64-byte signature to standard output,
/// raw or in base64 or hexadecimal.
public struct CommandSigner: DocumentSigner {
  /// The shell command, run once for each document.
  public let command: String
  /// The key that verifies the signatures before they are used.
  public let publicKey: PublicKey

  private static let limit = 4096

  /// Creates a signer that runs a command.
  ///
  /// - Parameters:
  ///   - command: run by the shell once for each document. The environment variable `COREML_KEY_ID` contains the key
  ///     identifier.
  ///   - publicKey: verifies the signatures before they are used.
  public init(command: String, publicKey: PublicKey) {
    (self.command, self.publicKey) = (command, publicKey)
  }

  public func signature(over message: Data) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    process.environment = ProcessInfo.processInfo.environment.merging(["COREML_KEY_ID": publicKey.id]) { $1 }
    // Standard input is a file instead of a pipe, so that a program that exits early cannot cause SIGPIPE in this
    // process.
    process.standardInput = try Self.unnamedFile(message)
    let pipe = Pipe()
    process.standardOutput = pipe
    do { try process.run() } catch {
      throw DeliveryError(.badKey, "the program that signs cannot be run: \(reason(error))")
    }
    let output = Self.read(pipe.fileHandleForReading)
    try? pipe.fileHandleForReading.close()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw DeliveryError(
        .badKey,
        "the program that signs with key \(publicKey.id.prefix(16)) failed with status \(process.terminationStatus)")
    }
    guard let signature = Self.signature(in: output) else {
      throw DeliveryError(
        .wrongSignature,
        "expected a signature of 64 bytes, as they are, in base64 or in hexadecimal, from the program that signs; found \(output.count) bytes that are none"
      )
    }
    return signature
  }

  /// Parses the output of the program as a signature.
  static func signature(in output: Data) -> Data? {
    if output.count == 64 { return output }
    guard let text = String(data: output, encoding: .utf8) else { return nil }
    return KeyText.bytes(text, count: 64)
  }

  /// Reads the program's output, up to one byte more than `limit`.
  private static func read(_ file: FileHandle) -> Data {
    var output = Data()
    while output.count <= limit, let part = try? file.read(upToCount: limit + 1 - output.count), !part.isEmpty {
      output += part
    }
    return output
  }

  private static func unnamedFile(_ bytes: Data) throws -> FileHandle {
    let folder = FileManager.default.temporaryDirectory
    let file = folder.appending(path: "coreml-sign-\(UUID().uuidString)")
    let descriptor = open(file.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw DeliveryError(.unwritable, "what is to be signed cannot be handed over", at: folder, errno: errno)
    }
    unlink(file.path)
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: bytes)
      try handle.seek(toOffset: 0)
    } catch {
      throw DeliveryError(
        .unwritable, "what is to be signed cannot be handed over: \(reason(error))", file: folder.path)
    }
    return handle
  }
}
