import CoreMLSpec
import Foundation
import Testing

@testable import CoreMLDelivery

/// Private key files: encrypted, accessible only to their owner, and never in the uploaded folder.
@Suite struct KeyFileTests {
  let folder: TemporaryFolder
  /// A guess costs less here than with the default parameters.
  private let cost = SigningKeyFile.Cost(rounds: 1 << 10, block: 8, parallel: 1)

  init() throws { folder = try TemporaryFolder() }

  private func phrase(_ text: String) throws -> Passphrase {
    try Array(text.utf8).withUnsafeBytes { try Passphrase($0) }
  }

  private func sealed(_ number: UInt8, _ text: String, at path: String = "a.key") throws -> URL {
    let file = folder.url.appending(path: path)
    try Fixture.key(number).write(to: file, passphrase: phrase(text), cost: cost)
    return file
  }

  @Test func anEncryptedKeyOpensWithItsPassphraseAlone() throws {
    let key = try Fixture.key(1)
    let file = try sealed(1, "correct horse")
    let read = try SigningKeyFile(file)
    // The public key is readable without the passphrase.
    #expect(read.isEncrypted && read.publicKey == key.publicKey)
    #expect(try read.key { try phrase("correct horse") }.publicKey == key.publicKey)
    #expect(Fixture.code { _ = try read.key { try phrase("correct house") } } == .badKey)
    #expect(Fixture.code { _ = try read.key { nil } } == .badKey)
    #expect(Fixture.code { _ = try SigningKey(file: file) } == .badKey)
    // The file does not contain the seed in any form.
    let text = try String(contentsOf: file, encoding: .utf8)
    let seed = Data(repeating: 1, count: 32)
    #expect(!text.contains(seed.base64EncodedString()) && text.contains("scrypt"))
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
  }

  @Test func aKeySignsAfterItWasWrittenAndAfterItWasRead() throws {
    let (key, message) = (try SigningKey(), Data("words".utf8))
    let (plain, closed) = (folder.url.appending(path: "plain.key"), folder.url.appending(path: "closed.key"))
    try key.write(to: plain)
    try key.write(to: closed, passphrase: phrase("p"), cost: cost)
    for signer in [key, try SigningKey(file: plain), try SigningKeyFile(closed).key { try phrase("p") }] {
      #expect(signer.publicKey == key.publicKey)
      #expect(try signer.checkedSignature(over: message).count == 64)
    }
  }

  @Test func whatWasChangedInAnEncryptedKeyIsFound() throws {
    let file = try sealed(1, "p")
    let other = try sealed(2, "p", at: "b.key")
    func object(_ url: URL) throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
    }
    func write(_ object: [String: Any]) throws -> URL {
      let file = folder.url.appending(path: "\(UUID().uuidString).key")
      try JSONSerialization.data(withJSONObject: object).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      return file
    }
    // Another public key with the same encrypted seed.
    var swapped = try object(file)
    swapped["public"] = try object(other)["public"]
    #expect(Fixture.code { _ = try SigningKeyFile(write(swapped)).key { try phrase("p") } } == .badKey)
    // Parameters that demand 128 GiB of memory, or almost no work.
    for rounds in [1 << 27, 1 << 30, 512, 3000, 0, -1] {
      var costly = try object(file)
      var secret = try #require(costly["encrypted"] as? [String: Any])
      secret["cost"] = ["rounds": rounds, "block": 8, "parallel": 1]
      costly["encrypted"] = secret
      #expect(Fixture.code { _ = try SigningKeyFile(write(costly)) } == .badKey, "\(rounds)")
    }
    #expect(Fixture.code { _ = try SigningKeyFile(write(["scheme": "ed25519"])) } == .badKey)
  }

  @Test func aKeyGetsAnotherPassphraseWhereItLies() throws {
    let file = folder.url.appending(path: "a.key")
    try Fixture.key(1).write(to: file)
    try SigningKey(file: file).replace(file, passphrase: phrase("new"))
    #expect(try SigningKeyFile(file).isEncrypted)
    #expect(try SigningKeyFile(file).key { try phrase("new") }.publicKey == Fixture.key(1).publicKey)
    #expect(try folder.list() == ["a.key"])
  }

  @Test func passphrasesComeFromFilesVariablesAndDescriptors() throws {
    let file = try folder.write("secret words\nand more", to: "phrase")
    #expect(Fixture.code { _ = try PassphraseSource.file(file).passphrase() } == .badKey)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    let expected = try phrase("secret words")
    #expect(try PassphraseSource.file(file).passphrase() == expected)
    let handle = try FileHandle(forReadingFrom: file)
    #expect(try PassphraseSource.descriptor(handle.fileDescriptor).passphrase() == expected)
    setenv("COREML_TEST_PASSPHRASE", "secret words", 1)
    #expect(try PassphraseSource.environment("COREML_TEST_PASSPHRASE").passphrase() == expected)
    #expect(Fixture.code { _ = try PassphraseSource.environment("COREML_TEST_NONE").passphrase() } == .badKey)
    let empty = try folder.write("\n", to: "empty")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: empty.path)
    #expect(Fixture.code { _ = try PassphraseSource.file(empty).passphrase() } == .badKey)
    var typed = Array("secretx\u{7F} wöx\u{7F}\u{7F}ords\n".utf8)[...]
    #expect(try Passphrase.typed { typed.removeFirst() } == expected)
  }

  @Test func publicKeysAreReadInEveryForm() throws {
    let key = try Fixture.key(3).publicKey
    let der = Data([0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00]) + key.bytes
    let pem = "-----BEGIN PUBLIC KEY-----\n\(der.base64EncodedString())\n-----END PUBLIC KEY-----\n"
    let forms: [Data] = [
      key.bytes, der, Data(pem.utf8), Data((key.bytes.base64EncodedString() + "\n").utf8),
      Data(key.bytes.map { String(format: "%02X", $0) }.joined().utf8), try JSONEncoder().encode(key),
    ]
    for (index, form) in forms.enumerated() {
      let file = try folder.write(form, to: "\(index).pub")
      #expect(try PublicKey(stated: file.path) == key, "\(index)")
    }
    #expect(try PublicKey(stated: key.bytes.base64EncodedString()) == key)
    #expect(try PublicKey(stated: sealed(3, "p").path) == key)
    #expect(Fixture.code { _ = try PublicKey(stated: folder.write("no key", to: "x").path) } == .badKey)
    #expect(Fixture.code { _ = try PublicKey(stated: folder.url.appending(path: "none").path) } == .unreadable)
  }

  @Test func noPrivateKeyIsWrittenWhereItWouldBeUploaded() throws {
    let publisher = try Publisher.create(
      at: folder.url.appending(path: "shop"), settings: .init(repository: "shop"), keys: [Fixture.key(1)], 1,
      Fixture.now)
    let below = publisher.host.appending(path: "channels")
    try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
    let link = folder.url.appending(path: "keys")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: below)
    for place in [publisher.host, below, link] {
      #expect(Fixture.code { try Fixture.key(2).write(to: place.appending(path: "b.key")) } == .badKey)
    }
    #expect(try publisher.verify().isEmpty)
    // A key file copied there by hand is detected.
    try FileManager.default.copyItem(
      at: publisher.keyFile(of: Fixture.key(1).publicKey, for: .release), to: below.appending(path: "b.key"))
    #expect(try publisher.verify().map(\.code) == [.badKey])
  }

  @Test func modelKeysAreReadInEveryForm() throws {
    let bytes = Data((0..<32).map { UInt8($0 * 7) })
    func same(_ text: Data) throws -> Bool {
      try ModelKey(text, from: "test").key == ModelKey(bytes, from: "test").key
    }
    #expect(try same(Data((bytes.base64EncodedString() + "\n").utf8)))
    #expect(try same(Data(("  " + bytes.map { String(format: "%02x", $0) }.joined() + "\r\n").utf8)))
    #expect(try same(Data(bytes.map { String(format: "%02X", $0) }.joined().utf8)))
    for wrong in ["", "  ", "zz", String(repeating: "g", count: 64), String(repeating: "a", count: 63)] {
      #expect(Fixture.code { _ = try ModelKey(Data(wrong.utf8), from: "test") } == .badModelKey)
    }
  }
}
