import ArgumentParser
import CoreMLServingGRPC
import CoreMLServingHTTP
import CoreMLServingInterface
import CoreMLServingProtocol
import Foundation
import Logging

/// How clients reach the server, and which of them may.
struct ProtocolOptions: ParsableArguments {
  enum MetricsCompatibility: String, ExpressibleByArgument, CaseIterable { case triton }

  @Option(help: ArgumentHelp("The port for HTTP; 0 for a free one.", valueName: "port"))
  var httpPort = 8000
  @Option(help: ArgumentHelp("The port for gRPC; 0 for a free one.", valueName: "port"))
  var grpcPort = 8001
  @Option(
    help: ArgumentHelp(
      "The address to listen at. The default is reachable from this machine only.", valueName: "address"))
  var listen = "127.0.0.1"
  @Flag(help: "Listen beyond this machine without TLS and without tokens.")
  var insecure = false
  @Option(
    help: ArgumentHelp("The server's certificates in PEM. They are read again after they change.", valueName: "file"),
    completion: .file())
  var tlsCertificate: String?
  @Option(help: ArgumentHelp("The private key of the certificate.", valueName: "file"), completion: .file())
  var tlsKey: String?
  @Option(
    help: ArgumentHelp("Clients need a certificate that one of these authorities signed.", valueName: "file"),
    completion: .file())
  var clientCA: String?
  @Option(
    help: ArgumentHelp(
      "Bearer tokens, one a line: the token, its scopes (infer, read, admin; with commas), a name.", valueName: "file"),
    completion: .file())
  var tokens: String?
  @Option(help: ArgumentHelp("The largest body of a request.", valueName: "bytes"))
  var maxBody = ServeOptions.ByteCount(bytes: 64 << 20)
  @Option(help: ArgumentHelp("The most connections of each protocol.", valueName: "count"))
  var maxConnections = 1024
  @Option(help: "Adds the names of another server to the metrics.")
  var metricsCompat: MetricsCompatibility?
  @Flag(help: "Print one line of JSON for each HTTP request on standard output.")
  var accessLog = false

  func validate() throws {
    func check(_ isValid: Bool, _ sentence: String) throws { if !isValid { throw ValidationError(sentence) } }
    try check((0...65535).contains(httpPort), "--http-port expects 0 to 65535, found \(httpPort).")
    try check((0...65535).contains(grpcPort), "--grpc-port expects 0 to 65535, found \(grpcPort).")
    try check(httpPort == 0 || httpPort != grpcPort, "--http-port and --grpc-port are the same.")
    try check((1...1_000_000).contains(maxConnections), "--max-connections expects 1 to 1000000.")
    try check(maxBody.bytes > 0, "--max-body expects at least 1 byte.")
    try check(
      (tlsCertificate == nil) == (tlsKey == nil), "--tls-certificate and --tls-key belong together.")
    try check(clientCA == nil || tlsKey != nil, "--client-ca needs --tls-certificate and --tls-key.")
  }

  func http() throws(ServingError) -> HTTPOptions {
    var options = HTTPOptions()
    (options.address, options.port, options.isInsecureAllowed) = (listen, httpPort, insecure)
    if let tlsCertificate, let tlsKey {
      options.tls = TLSFiles(certificate: tlsCertificate, key: tlsKey, clientAuthorities: clientCA)
    }
    options.tokenFile = tokens
    options.limits.bodyBytes = maxBody.bytes
    options.limits.connections = maxConnections
    options.hasTritonMetrics = metricsCompat == .triton
    if accessLog {
      options.accessLog = { record in FileHandle.standardOutput.write(Data("\(record.json)\n".utf8)) }
    }
    try options.check()
    return options
  }

  func grpc(_ http: HTTPOptions, logger: Logger) throws(ServingError) -> GRPCOptions {
    var options = GRPCOptions()
    (options.host, options.port, options.name) = (listen, grpcPort, http.serverName)
    if let tlsCertificate, let tlsKey {
      options.tls = .init(certificateChain: tlsCertificate, privateKey: tlsKey, clientAuthorities: clientCA)
    }
    options.maxMessageBytes = maxBody.bytes
    options.maxConnections = maxConnections
    let caller = try CallerCheck(http, logger: logger)
    options.authorize = { token, scope throws(ServingError) in try caller.check(token, scope: scope.rawValue) }
    return options
  }
}
