import CoreMLServingInterface
import CoreMLServingMessages
import Foundation
import GRPCCore
import GRPCProtobuf
import SwiftProtobuf

/// Server reflection: the descriptors of the services, for tools that have no .proto files.
struct ReflectionService: Sendable {
  typealias Request = Grpc_Reflection_V1_ServerReflectionRequest
  typealias Response = Grpc_Reflection_V1_ServerReflectionResponse

  private let services: [String]
  private let files: [String: Google_Protobuf_FileDescriptorProto]
  /// The names of files by the full names of what they define.
  private let symbols: [String: String]

  init() throws(ServingError) {
    guard let data = Data(base64Encoded: ServingDescriptors.base64),
      let set = try? Google_Protobuf_FileDescriptorSet(serializedBytes: data)
    else { throw ServingError(.failed, "The descriptors of the services cannot be read.") }
    files = Dictionary(uniqueKeysWithValues: set.file.map { ($0.name, $0) })
    services = set.file.flatMap { file in file.service.map { "\(file.package).\($0.name)" } }.sorted()
    var symbols: [String: String] = [:]
    for file in set.file { Self.collect(file) { symbols[$0] = file.name } }
    self.symbols = symbols
  }

  /// Registers both versions, whose messages have the same bytes.
  func register<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    for version in ["v1", "v1alpha"] {
      let method = MethodDescriptor(
        fullyQualifiedService: "grpc.reflection.\(version).ServerReflection", method: "ServerReflectionInfo",
        type: .bidirectionalStreaming)
      router.registerHandler(
        forMethod: method, deserializer: ProtobufDeserializer<Request>(), serializer: ProtobufSerializer<Response>()
      ) { stream, _ in
        StreamingServerResponse { writer in
          for try await request in stream.messages { try await writer.write(answer(request)) }
          return [:]
        }
      }
    }
  }

  private func answer(_ request: Request) -> Response {
    .with {
      $0.validHost = request.host
      $0.originalRequest = request
      switch request.messageRequest {
      case .listServices: $0.listServicesResponse.service = services.map { name in .with { $0.name = name } }
      case .fileByFilename(let name): Self.set(&$0, withImports(name), "file '\(name)'")
      case .fileContainingSymbol(let name):
        Self.set(&$0, symbols[name].map { withImports($0) } ?? [], "symbol '\(name)'")
      case .fileContainingExtension(let one): Self.set(&$0, [], "extension of '\(one.containingType)'")
      case .allExtensionNumbersOfType(let name):
        if symbols[name] != nil {
          $0.allExtensionNumbersResponse.baseTypeName = name
        } else {
          Self.set(&$0, [], "type '\(name)'")
        }
      case nil:
        $0.errorResponse.errorCode = 3
        $0.errorResponse.errorMessage = "The request asks for nothing."
      }
    }
  }

  private static func set(_ response: inout Response, _ files: [Google_Protobuf_FileDescriptorProto], _ what: String) {
    let bytes = files.compactMap { try? $0.serializedData() }
    if bytes.isEmpty {
      response.errorResponse.errorCode = 5
      response.errorResponse.errorMessage = "There is no \(what)."
    } else {
      response.fileDescriptorResponse.fileDescriptorProto = bytes
    }
  }

  private func withImports(_ name: String) -> [Google_Protobuf_FileDescriptorProto] {
    guard let file = files[name] else { return [] }
    return [file] + file.dependency.compactMap { files[$0] }
  }

  private static func collect(_ file: Google_Protobuf_FileDescriptorProto, _ add: (String) -> Void) {
    for service in file.service {
      add("\(file.package).\(service.name)")
      for method in service.method { add("\(file.package).\(service.name).\(method.name)") }
    }
    for type in file.enumType { add("\(file.package).\(type.name)") }
    for message in file.messageType { collect(message, file.package, add) }
  }

  private static func collect(
    _ message: Google_Protobuf_DescriptorProto, _ scope: String, _ add: (String) -> Void
  ) {
    let name = "\(scope).\(message.name)"
    add(name)
    for field in message.field { add("\(name).\(field.name)") }
    for type in message.enumType { add("\(name).\(type.name)") }
    for inner in message.nestedType { collect(inner, name, add) }
  }
}
