// The functions have C names.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import Glibc

@c @implementation
public func coreml_error_status(_ error: OpaquePointer?) -> coreml_status {
  Call.handle(error, as: ErrorHandle.self)?.status ?? coreml_status(COREML_OK)
}

@c @implementation
public func coreml_error_code(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
  Call.handle(error, as: ErrorHandle.self)?.code ?? Constants.empty
}

@c @implementation
public func coreml_error_message(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
  Call.handle(error, as: ErrorHandle.self)?.message ?? Constants.empty
}

@c @implementation
public func coreml_version() -> UnsafePointer<CChar>? { Constants.version }

@c @implementation
public func coreml_free(_ text: UnsafeMutablePointer<CChar>?) { free(text) }

/// Strings that live as long as the process.
enum Constants {
  nonisolated(unsafe) static let empty = UnsafePointer(strdup(""))
  nonisolated(unsafe) static let version = UnsafePointer(strdup(COREML_RUNTIME_VERSION))
}
