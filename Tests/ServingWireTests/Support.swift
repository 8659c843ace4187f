import CoreMLServingInterface
import Testing

@testable import CoreMLServingWire

/// The bytes of hexadecimal digits.
func bytes(_ hex: String) -> [UInt8] {
  var bytes: [UInt8] = []
  var rest = Substring(hex)
  while let byte = UInt8(rest.prefix(2), radix: 16) {
    bytes.append(byte)
    rest = rest.dropFirst(2)
  }
  return bytes
}

func read(_ message: [UInt8], _ limits: WireLimits = WireLimits()) throws(ServingError) -> InferenceRequest {
  do {
    return try message.withUnsafeBytes { try InferRequestReader(limits: limits).read($0) }
  } catch let error as ServingError {
    throw error
  } catch {
    throw ServingError(.failed, "an error of another type: \(error)")
  }
}

func read(_ hex: String) throws(ServingError) -> InferenceRequest { try read(bytes(hex)) }

extension ServingTensor {
  func elements<Element: BitwiseCopyable>(_ type: Element.Type) -> [Element]? {
    guard case .elements(let memory) = content else { return nil }
    return memory.bytes.bindMemory(to: Element.self).map { $0 }
  }

  var strings: [[UInt8]]? {
    guard case .byteStrings(let strings) = content else { return nil }
    return strings
  }
}

func written(_ answer: InferAnswerWriter) -> [UInt8] {
  var bytes = [UInt8](repeating: 0xee, count: answer.byteCount)
  bytes.withUnsafeMutableBytes { answer.copy(to: $0) }
  return bytes
}
