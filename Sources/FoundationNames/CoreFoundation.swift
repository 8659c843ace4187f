// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals
import CoreMLImages
import Foundation

// Core Foundation's names for what the functions of these modules take and give. On Linux they are Foundation's classes, so that
// `[...] as CFDictionary` and `url as CFURL` mean what they mean on Apple's systems.
//
// Linux has a module CoreFoundation with the same names. `CoreMLGraphics` therefore re-exports each name by an import of its own: Swift prefers
// such a name to one that comes with a whole module, so that `import CoreFoundation` beside these modules makes none ambiguous.

/// Any object.
public typealias CFTypeRef = AnyObject
/// A string.
public typealias CFString = NSString
/// A number.
public typealias CFNumber = NSNumber
/// A truth value.
public typealias CFBoolean = NSNumber
/// Bytes.
public typealias CFData = NSData
/// Bytes that grow.
public typealias CFMutableData = NSMutableData
/// The name of a file.
public typealias CFURL = NSURL
/// A list.
public typealias CFArray = NSArray
/// Values by keys.
public typealias CFDictionary = NSDictionary
/// A count or a place.
public typealias CFIndex = Int
/// A span of time in seconds.
public typealias CFTimeInterval = Double
/// Seconds since the first moment of 2001 in Greenwich.
public typealias CFAbsoluteTime = CFTimeInterval
/// What functions of the system say of how it went: 0, or what was wrong.
public typealias OSStatus = Int32

/// All is well.
public let noErr: OSStatus = 0

/// True, as a value of a dictionary.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
/// False, as a value of a dictionary.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

/// Who is asked for memory. There is one way to get memory here, and no object for it.
public final class CFAllocator: _CFObject, Sendable {
  private init() {}
}

/// The one way to get memory.
public let kCFAllocatorDefault: CFAllocator! = nil

/// A copy of bytes; nil where there is no address and yet a length, or the length is negative.
public func CFDataCreate(_ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) -> CFData! {
  guard length >= 0, bytes != nil || length == 0 else { return nil }
  return NSData(bytes: bytes, length: length)
}

/// How many bytes there are.
public func CFDataGetLength(_ theData: CFData!) -> Int { theData?.length ?? 0 }

/// The first of the bytes, which stay where they are as long as the object lives.
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! {
  theData?.bytes.assumingMemoryBound(to: UInt8.self)
}

/// The seconds from the first moment of 2001 until now, by the system's clock.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }
