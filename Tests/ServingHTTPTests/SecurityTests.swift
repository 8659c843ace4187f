import CoreMLServingInterface
import Foundation
import Logging
import NIOSSL
import Testing

@testable import CoreMLServingHTTP

/// Tokens, TLS, and where the server listens.
@Suite struct SecurityTests {
  private static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "serving-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test func tokensAndScopes() async throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "tokens")
    try "# clients\nread-token-1 read probe\n\ninfer-token-1 infer,read web\nadmin-token-1 admin\n"
      .write(to: file, atomically: true, encoding: .utf8)
    try await withClient({ $0.tokenFile = file.path }) { client, service in
      func bearer(_ token: String) -> String { "Authorization: Bearer \(token)\r\n" }
      #expect(try await client.get("/v2/health/ready").status == 200)
      let answer = try await client.get("/v2")
      #expect(answer.status == 401)
      #expect(answer.fields["www-authenticate"] == "Bearer")
      for field in ["Authorization: Basic read-token-1\r\n", bearer("wrong-token"), bearer(""), bearer("read-token-")] {
        #expect(try await client.get("/v2", field).status == 401)
      }
      #expect(try await client.get("/v2", bearer("read-token-1")).status == 200)
      #expect(try await client.get("/v2", "authorization: bearer read-token-1\r\n").status == 200)
      let path = "/v2/models/add/infer"
      #expect(try await client.post(path, Bodies.json).status == 401)
      #expect(try await client.post(path, Bodies.json, bearer("read-token-1")).status == 403)
      #expect(try await client.post(path, Bodies.json, bearer("infer-token-1")).status == 200)
      let load = "/v2/repository/models/new/load"
      #expect(try await client.post(load, "", bearer("infer-token-1")).status == 403)
      #expect(try await client.post(load, "", bearer("admin-token-1")).status == 200)
      #expect(service.state.withLock { $0.requests.count } == 1)
      let sequence =
        #"{"inputs":[{"name":"x","datatype":"FP32","shape":[1],"data":[1]}],"parameters":{"sequence_id":7}}"#
      #expect(try await client.post(path, sequence, bearer("infer-token-1")).status == 200)
      #expect(service.state.withLock { $0.requests.last?.sequence?.id } == "web/7")

      // A change of the file is seen within about a second; a file with an error changes nothing.
      try "short x".write(to: file, atomically: true, encoding: .utf8)
      try await Task.sleep(for: .milliseconds(1200))
      #expect(try await client.get("/v2", bearer("read-token-1")).status == 200)
      try "read-token-2 read".write(to: file, atomically: true, encoding: .utf8)
      try await Task.sleep(for: .milliseconds(1200))
      #expect(try await client.get("/v2", bearer("read-token-2")).status == 200)
      #expect(try await client.get("/v2", bearer("read-token-1")).status == 401)
    }
  }

  @Test func listeningBeyondTheMachineIsExplicit() throws {
    var options = HTTPOptions()
    options.address = "0.0.0.0"
    #expect(throws: ServingError.self) { try options.check() }
    options.isInsecureAllowed = true
    #expect(throws: Never.self) { try options.check() }
    // Even then nobody loads models without a token.
    let access = AccessControl(options, tokens: nil)
    #expect(throws: ServingError.self) { try access.check(.admin, [:]) }
    #expect(throws: Never.self) { try access.check(.infer, [:]) }
    options.isInsecureAllowed = false
    options.tokenFile = "tokens"
    #expect(throws: Never.self) { try options.check() }
    options = HTTPOptions()
    options.tokenFile = "/nowhere"
    #expect(throws: ServingError.self) { try HTTPFrontEnd(options, service: FakeService()) }
    options.tokenFile = nil
    options.tls = TLSFiles(certificate: "/nowhere", key: "/nowhere")
    #expect(throws: ServingError.self) { try HTTPFrontEnd(options, service: FakeService()) }
  }

  @Test func certificatesAreReadAgain() async throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = TLSFiles(
      certificate: folder.appending(path: "cert.pem").path, key: folder.appending(path: "key.pem").path)
    try Self.certificate(files, name: "first")
    var trust = TLSConfiguration.makeClientConfiguration()
    trust.certificateVerification = .none
    let tls = try NIOSSLContext(configuration: trust)
    try await withServer({ $0.tls = files }) { port, _, _ in
      let client = try await RawClient.connect(port, tls: tls)
      #expect(try await client.get("/v2").status == 200)
      #expect(try Self.served(port).contains("CN=first") || Self.served(port).contains("CN = first"))
      try Self.certificate(files, name: "second")
      try await Task.sleep(for: .milliseconds(1200))
      let name = try Self.served(port)
      #expect(name.contains("CN=second") || name.contains("CN = second"))
      // Connections that are open stay.
      #expect(try await client.get("/v2").status == 200)
      // Without TLS there is no answer.
      let plain = try await RawClient.connect(port)
      try await plain.send("GET /v2 HTTP/1.1\r\nHost: t\r\n\r\n")
      try await plain.end()
    }
  }

  @Test func clientsShowCertificates() async throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = TLSFiles(
      certificate: folder.appending(path: "cert.pem").path, key: folder.appending(path: "key.pem").path,
      clientAuthorities: folder.appending(path: "client.pem").path)
    try Self.certificate(files, name: "server")
    let client = TLSFiles(certificate: files.clientAuthorities!, key: folder.appending(path: "client-key.pem").path)
    try Self.certificate(client, name: "client")
    var trust = TLSConfiguration.makeClientConfiguration()
    trust.certificateVerification = .none
    let nobody = try NIOSSLContext(configuration: trust)
    trust.certificateChain = try NIOSSLCertificate.fromPEMFile(client.certificate).map { .certificate($0) }
    trust.privateKey = .privateKey(try NIOSSLPrivateKey(file: client.key, format: .pem))
    let somebody = try NIOSSLContext(configuration: trust)
    try await withServer({ $0.tls = files }) { port, _, _ in
      let known = try await RawClient.connect(port, tls: somebody)
      #expect(try await known.get("/v2").status == 200)
      let unknown = try await RawClient.connect(port, tls: nobody)
      await #expect(throws: (any Error).self) { _ = try await unknown.get("/v2") }
    }
  }

  private static func certificate(_ files: TLSFiles, name: String) throws {
    _ = try run([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
      "/CN=\(name)", "-keyout", files.key, "-out", files.certificate,
    ])
  }

  /// The subject of the certificate that the server shows.
  private static func served(_ port: Int) throws -> String {
    try run(["s_client", "-connect", "127.0.0.1:\(port)", "-showcerts"])
  }

  private static func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = arguments
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
