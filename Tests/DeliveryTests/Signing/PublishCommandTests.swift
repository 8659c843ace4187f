import Foundation
import TestSupport
import Testing

@testable import CoreMLDelivery

/// `runtime publish` as users run it: keys by role, passphrases, external signers, rotation, freshness.
@Suite(.tags(.process), .serialized) struct PublishCommandTests {
  let folder: TemporaryFolder
  private var shop: String { folder.url.appending(path: "shop").path }

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: String...) async throws -> ProgramRun {
    try await ProgramRun.begin(ProgramRun.folder.appending(path: "runtime"), ["publish"] + words, home: folder.url)
      .end()
  }

  private func secret(_ text: String, at path: String) throws -> String {
    let file = try folder.write(text, to: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    return file.path
  }

  private func add(_ version: Int) async throws {
    let source = try Samples.small(version, in: folder).path
    let run = try await run("add", shop, source, "--model", "m", "--version", "\(version).0")
    #expect(run.status == 0, "\(run.errors)")
  }

  /// Omitted precautions are reported with their consequences.
  @Test func whatIsLeftOutHasItsPrice() async throws {
    #expect(try await run("init", shop, "--name", "shop").status == 0)
    let source = try Samples.small(1, in: folder).path
    let golden = [
      "--golden-inputs", try Samples.inputs(in: folder).path, "--golden-outputs",
      try Samples.outputs(2, in: folder).path,
    ]
    func add(_ version: String, _ words: [String]) async throws -> ProgramRun {
      let run = try await ProgramRun.begin(
        ProgramRun.folder.appending(path: "runtime"),
        ["publish", "add", shop, source, "--model", "m", "--version", version, "--json"] + words, home: folder.url
      ).end()
      #expect(run.status == 0, "\(run.errors)")
      return run
    }
    let whole = try await add("1.0", golden)
    #expect(whole.errors.isEmpty && (whole.json?["warnings"] as? [String])?.isEmpty == true, "\(whole.errors)")
    let bare = try await add("2.0", [])
    #expect(bare.errors.contains("no golden inputs") && bare.errors.split(separator: "\n").count == 1, "\(bare.errors)")
    let untried = try await add("3.0", golden + ["--untried"])
    #expect(untried.errors.contains("untried") && !untried.errors.contains("golden inputs"), "\(untried.errors)")
    #expect((try await add("4.0", ["--untried"]).json?["warnings"] as? [String])?.count == 2)
  }

  @Test func keysAreApartFromTheStart() async throws {
    let away = folder.url.appending(path: "safe").path
    let phrase = try secret("open sesame\n", at: "phrase")
    let made = try await run(
      "init", shop, "--name", "shop", "--keys", "2", "--freshness", "--root-folder", away, "--passphrase-file", phrase)
    #expect(made.status == 0, "\(made.errors)")
    let keys = try #require(made.json?["keys"] as? [[String: Any]])
    #expect(keys.compactMap { $0["role"] as? String } == ["root", "release", "release", "freshness"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: away).count == 1)
    #expect(!FileManager.default.fileExists(atPath: shop + "/keys/root"))
    try await add(1)
    // Without a passphrase and a terminal, the command fails with a clear error.
    #expect(try await run("sign", shop).status == 65)
    let signed = try await run("sign", shop, "--passphrase-file", phrase)
    #expect(signed.status == 0 && signed.json?["published"] as? Bool == true, "\(signed.errors)")
    #expect(signed.json?["fresh"] is String)
    #expect(try await run("verify", shop).status == 0)
    // An hourly job runs without a passphrase prompt.
    #expect(try await run("freshen", shop).status == 0)
    // The root key is stored elsewhere. `rotate` reports this, and works with its path.
    #expect(try await run("rotate", shop).status == 65)
    let key = try #require(keys.dropFirst().first?["id"] as? String)
    let words = ["rotate", shop, "--key", away, "--passphrase-file", phrase, "--remove", String(key.prefix(16))]
    let dry = try await ProgramRun.begin(
      ProgramRun.folder.appending(path: "runtime"), ["publish"] + words + ["--dry-run"], home: folder.url
    ).end()
    #expect(dry.status == 0 && dry.json?["published"] as? Bool == false, "\(dry.errors)")
    let rotated = try await ProgramRun.begin(
      ProgramRun.folder.appending(path: "runtime"), ["publish"] + words, home: folder.url
    ).end()
    #expect(rotated.status == 0 && rotated.json?["published"] as? Bool == true, "\(rotated.errors)")
    // The file of the removed key is still in the folder and is ignored.
    let again = try await run("sign", shop, "--passphrase-file", phrase)
    #expect(again.status == 0 && again.json?["signatures"] as? Int == 1, "\(again.errors)")
    #expect(try await run("verify", shop).status == 0)
  }

  @Test func aChangeThatWouldLockThePublisherOutIsRefused() async throws {
    #expect(try await run("init", shop, "--name", "shop").status == 0)
    let release = try #require(
      try FileManager.default.contentsOfDirectory(atPath: shop + "/keys").first { $0.hasSuffix(".key") })
    // Removing the only release key is rejected.
    let alone = try await run("rotate", shop, "--remove", String(release.prefix(16)))
    #expect(alone.status == 64 && alone.errors.contains("release"), "\(alone.errors)")
    // A threshold that needs an unavailable key is rejected.
    let stranger = try Fixture.key(9).publicKey
    let two = try await run(
      "rotate", shop, "--add", "release=\(stranger.bytes.base64EncodedString())", "--threshold", "2")
    #expect(two.status == 64 && two.errors.contains(stranger.id.prefix(16)), "\(two.errors)")
    let held = try await run(
      "rotate", shop, "--add", "release=\(stranger.bytes.base64EncodedString())", "--threshold", "2", "--held",
      String(stranger.id.prefix(16)), "--dry-run")
    #expect(held.status == 0, "\(held.errors)")
    let fine = try await run("rotate", shop, "--new-key", "--remove", String(release.prefix(16)))
    #expect(fine.status == 0, "\(fine.errors)")
    try await add(1)
    #expect(try await run("sign", shop).status == 0)
    // A floor above the published version, or for an unknown channel, is rejected.
    let high = try await run("rotate", shop, "--floor", "stable=99999")
    #expect(high.status == 64 && high.errors.contains("expected 1 at most"), "\(high.errors)")
    let mistyped = try await run("rotate", shop, "--floor", "stabel=1")
    #expect(mistyped.status == 64 && mistyped.errors.contains("no channel 'stabel'"), "\(mistyped.errors)")
    #expect(try await run("rotate", shop, "--floor", "stable=1").status == 0)
  }

  @Test(.enabled(if: CommandSignerTests.hasOpenSSL, "openssl is not installed"))
  func programsHoldKeys() async throws {
    // A program that signs with a local key, standing in for one with access to a vault.
    let key = folder.url.appending(path: "held.pem").path
    let made = try await ProgramRun.begin(
      URL(filePath: "/bin/sh"),
      [
        "-c", "openssl genpkey -algorithm ed25519 -out '\(key)' && openssl pkey -in '\(key)' -pubout -out '\(key).pub'",
      ],
      home: folder.url
    ).end()
    #expect(made.status == 0, "\(made.errors)")
    let command = "openssl pkeyutl -sign -rawin -inkey '\(key)' -in /dev/stdin"
    let started = try await run(
      "init", shop, "--name", "shop", "--sign-command", command, "--sign-key", key + ".pub", "--release-key",
      key + ".pub")
    #expect(started.status == 0, "\(started.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: shop + "/keys").isEmpty)
    try await add(1)
    let signed = try await run("sign", shop, "--sign-command", command, "--sign-key", key + ".pub")
    #expect(signed.status == 0 && signed.json?["published"] as? Bool == true, "\(signed.errors)")
    #expect(try await run("verify", shop).status == 0)
    // The signatures do not match the stated key.
    let other = try Fixture.key(3).publicKey.bytes.base64EncodedString()
    #expect(try await run("sign", shop, "--sign-command", command, "--sign-key", other).status == 65)
    #expect(try await run("sign", shop, "--sign-command", command).status == 64)
  }

  @Test func keysAreMadeShownAndProtected() async throws {
    let file = folder.url.appending(path: "a.key").path
    let made = try await run("key", "new", file)
    let id = try #require(made.json?["id"] as? String)
    let phrase = try secret("words", at: "phrase")
    #expect(try await run("key", "protect", file, "--passphrase-file", phrase).status == 0)
    #expect(try SigningKeyFile(URL(filePath: file)).isEncrypted)
    let shown = try await run("key", "show", file)
    #expect(shown.json?["id"] as? String == id, "\(shown.errors)")
    #expect(try await run("key", "new", file).status == 73)
    #expect(try await run("init", shop, "--name", "shop").status == 0)
    #expect(try await run("key", "new", shop + "/public/b.key").status == 65)
    // A second `init` in a publisher's folder changes nothing.
    let before = try FileManager.default.subpathsOfDirectory(atPath: shop)
    #expect(try await run("init", shop, "--name", "shop").status == 64)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: shop) == before)
  }
}
