// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals
import CoreMLImages
import Foundation

// Core Foundation's names for arguments and results of these modules. On Linux they are Foundation's classes, so that
// `[...] as CFDictionary` and `url as CFURL` have the same meaning as on Apple's systems.
//
// The module CoreFoundation of Linux has the same names. `CoreMLGraphics` therefore re-exports each name with a
// separate import. Swift prefers such a name to one from a whole module, so an additional `import CoreFoundation`
// causes no ambiguity.

/// Any object.
public typealias CFTypeRef = AnyObject
/// A string.
public typealias CFString = NSString
/// A number.
public typealias CFNumber = NSNumber
/// A Boolean value.
public typealias CFBoolean = NSNumber
/// Bytes.
public typealias CFData = NSData
/// A growable byte buffer.
public typealias CFMutableData = NSMutableData
/// A URL.
public typealias CFURL = NSURL
/// An array.
public typealias CFArray = NSArray
/// A dictionary.
public typealias CFDictionary = NSDictionary
/// A count or an index.
public typealias CFIndex = Int
/// A span of time in seconds.
public typealias CFTimeInterval = Double
/// Seconds since 2001-01-01 00:00:00 UTC.
public typealias CFAbsoluteTime = CFTimeInterval
/// A result code of system functions: 0, or an error.
public typealias OSStatus = Int32

/// Success.
public let noErr: OSStatus = 0

/// True, as a dictionary value.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
/// False, as a dictionary value.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

/// A memory allocator. There is only one way to allocate here, and no instance.
public final class CFAllocator: _CFObject, Sendable {
  private init() {}
}

/// The default allocator.
public let kCFAllocatorDefault: CFAllocator! = nil

/// A copy of bytes; nil for a null address with a length, or a negative length.
public func CFDataCreate(_ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) -> CFData! {
  guard length >= 0, bytes != nil || length == 0 else { return nil }
  return NSData(bytes: bytes, length: length)
}

/// The number of bytes.
public func CFDataGetLength(_ theData: CFData!) -> Int { theData?.length ?? 0 }

/// The address of the bytes, which is stable while the object lives.
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! {
  theData?.bytes.assumingMemoryBound(to: UInt8.self)
}

/// The seconds since 2001-01-01 00:00:00 UTC by the system's clock.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }
