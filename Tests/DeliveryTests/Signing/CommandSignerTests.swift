import Foundation
import TestSupport
import Testing

@testable import CoreMLDelivery

/// Keys held by other programs.
@Suite(.tags(.process)) struct CommandSignerTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func has(_ program: String) -> Bool {
    ["/usr/bin", "/bin", "/usr/local/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
    }
  }

  static let module = [
    "/usr/lib/softhsm/libsofthsm2.so", "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
    "/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so",
  ].first { FileManager.default.fileExists(atPath: $0) }
  static let hasToken = module != nil && has("softhsm2-util") && has("pkcs11-tool")
  static let hasOpenSSL = has("openssl")

  private func shell(_ script: String) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-ec", script]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(script)")
    return output
  }

  /// Publishes the first root and a channel, signed by a key that only the command can use; then verifies both like a
  /// device.
  private func publishes(with signer: CommandSigner) throws {
    let release = try Fixture.key(5)
    let publisher = try Publisher.create(
      at: folder.url.appending(path: "shop"), settings: .init(repository: "shop"),
      roles: InitialRoles(root: [signer], release: [signer.publicKey, release.publicKey], releaseThreshold: 2),
      now: Fixture.now)
    try publisher.edit("stable") { _ in }
    #expect(try !publisher.sign("stable", with: [release]).isPublished)
    #expect(try publisher.sign("stable", with: [signer]).isPublished)
    #expect(try publisher.verify().isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: publisher.keyFolder.path).isEmpty)
  }

  @Test(.enabled(if: hasOpenSSL, "openssl is not installed")) func openSSLHoldsTheKey() throws {
    let file = folder.url.appending(path: "key.pem").path
    _ = try shell("openssl genpkey -algorithm ed25519 -out '\(file)'; chmod 600 '\(file)'")
    let pem = try folder.write(shell("openssl pkey -in '\(file)' -pubout"), to: "key.pub")
    let raw = "openssl pkeyutl -sign -rawin -inkey '\(file)' -in /dev/stdin"
    let key = try PublicKey(stated: pem.path)
    try publishes(with: CommandSigner(command: raw, publicKey: key))
    // In base64 and in hexadecimal.
    for form in ["\(raw) | base64 -w 0", "\(raw) | od -An -v -tx1 | tr -d ' \\n'"] {
      let signer = CommandSigner(command: form, publicKey: key)
      #expect(try signer.checkedSignature(over: Data("words".utf8)).count == 64, "\(form)")
    }
  }

  @Test(.enabled(if: hasToken, "softhsm2 and opensc are not installed")) func aTokenHoldsTheKey() throws {
    let module = try #require(Self.module)
    let tokens = folder.url.appending(path: "tokens").path
    let configuration = try folder.write(
      "directories.tokendir = \(tokens)\nobjectstore.backend = file\nlog.level = ERROR\n", to: "softhsm.conf")
    let variables =
      "export SOFTHSM2_CONF='\(configuration.path)' PKCS11_MODULE='\(module)' PKCS11_TOKEN=shop PKCS11_KEY=release PKCS11_PIN=1234"
    _ = try shell(
      """
      \(variables); mkdir -p '\(tokens)'
      softhsm2-util --init-token --free --label shop --pin 1234 --so-pin 5678 >/dev/null
      pkcs11-tool --module '\(module)' --token-label shop --login --pin 1234 --keypairgen --key-type EC:edwards25519 --label release --id 01 >/dev/null 2>&1
      """)
    let script = Samples.checkout.appending(path: "examples/SignWithToken/pkcs11-sign").path
    let stated = try folder.write(shell("\(variables); '\(script)' public-key"), to: "token.pub")
    try publishes(
      with: CommandSigner(command: "\(variables); '\(script)'", publicKey: PublicKey(stated: stated.path)))
  }

  @Test func theProgramGetsExactlyWhatIsSigned() throws {
    let copy = folder.url.appending(path: "copy").path
    let signer = CommandSigner(
      command: "cat > '\(copy)'; printf %s \"$COREML_KEY_ID\" > '\(copy).id'; exit 3",
      publicKey: try Fixture.key(1).publicKey)
    let message = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    #expect(Fixture.code { _ = try signer.signature(over: message) } == .badKey)
    #expect(try Data(contentsOf: URL(filePath: copy)) == message)
    #expect(try String(contentsOfFile: copy + ".id", encoding: .utf8) == signer.publicKey.id)
  }

  @Test func whatIsNoSignatureOfTheKeyIsNeverUsed() throws {
    let key = try Fixture.key(1)
    func code(_ command: String) -> DeliveryError.Code? {
      Fixture.code {
        var envelope = try SignedEnvelope.unsigned(Fixture.manifest(1))
        defer { #expect(envelope.signatures.isEmpty, "\(command)") }
        try envelope.sign(with: CommandSigner(command: command, publicKey: key.publicKey))
      }
    }
    let other = try Fixture.key(2).signature(over: Data("else".utf8)).base64EncodedString()
    #expect(code("echo \(other)") == .wrongSignature)
    #expect(code("head -c 64 /dev/zero") == .wrongSignature)
    #expect(code("echo none") == .wrongSignature)
    #expect(code("yes") == .badKey || code("yes") == .wrongSignature)
    // A program that does not read its input must not cause SIGPIPE here.
    #expect(code("exit 0") == .wrongSignature)
    #expect(code("kill -9 $$") == .badKey)
    #expect(code("/nonexistent/program") == .badKey)
  }
}
