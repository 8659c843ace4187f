// Serves the fake service over gRPC, for clients that are not written in Swift. Prints the port. Ends in order at
// SIGTERM. Arguments are NAME=VALUE: port, token, and the files chain, key and authorities for TLS.
import CoreMLServingGRPC
import CoreMLServingInterface
import Dispatch
import Foundation
import ServingFake

var given: [String: String] = [:]
for argument in CommandLine.arguments.dropFirst() {
  let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
  if parts.count == 2 { given[parts[0]] = parts[1] }
}
var options = GRPCOptions()
options.port = given["port"].flatMap { Int($0) } ?? 0
if let chain = given["chain"], let key = given["key"] {
  options.tls = .init(certificateChain: chain, privateKey: key, clientAuthorities: given["authorities"])
}
if let token = given["token"] {
  options.authorize = { (sent, scope) throws(ServingError) in
    guard sent != nil else { throw ServingError(.unauthenticated, "The call needs a bearer token.") }
    guard sent == token, scope != .admin else {
      throw ServingError(.forbidden, "The token does not allow the scope '\(scope.rawValue)'.")
    }
  }
}
let frontEnd = GRPCFrontEnd(service: FakeService(), options: options)
signal(SIGTERM, SIG_IGN)
let (signals, source) = terminations()
do {
  print(try await frontEnd.start())
  fflush(nil)
  for await _ in signals {}
  frontEnd.stopAccepting()
  exit(await frontEnd.drained(within: .seconds(10)) ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("\(error.message)\n".utf8))
  exit(1)
}

/// A stream that ends at SIGTERM, and the source that must be kept for it. Not isolated, since its handler runs on a
/// queue of its own.
func terminations() -> (AsyncStream<Void>, any DispatchSourceSignal) {
  let (stream, end) = AsyncStream<Void>.makeStream()
  let source = DispatchSource.makeSignalSource(signal: SIGTERM)
  source.setEventHandler { end.finish() }
  source.resume()
  return (stream, source)
}
