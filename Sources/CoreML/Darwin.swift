// swift-format-ignore-file: AlwaysUseLowerCamelCase
import Foundation

// Names of Apple's systems that code around models uses, and that Foundation has on those alone.

/// Runs `body`. Objects live as long as somebody holds them: there is no pool to empty.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }

/// Seconds since the first moment of 2001 in Greenwich.
public typealias CFAbsoluteTime = CFTimeInterval

/// A span of time in seconds.
public typealias CFTimeInterval = Double

/// The seconds from the first moment of 2001 until now, by the system's clock.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }
