// Core Foundation's names, imported one by one. CoreMLFoundationNames explains why.
@_exported import class CoreMLFoundationNames.CFAllocator
@_exported import func CoreMLFoundationNames.CFAbsoluteTimeGetCurrent
@_exported import func CoreMLFoundationNames.CFDataCreate
@_exported import func CoreMLFoundationNames.CFDataGetBytePtr
@_exported import func CoreMLFoundationNames.CFDataGetLength
@_exported import let CoreMLFoundationNames.kCFAllocatorDefault
@_exported import let CoreMLFoundationNames.kCFBooleanFalse
@_exported import let CoreMLFoundationNames.kCFBooleanTrue
@_exported import let CoreMLFoundationNames.noErr
@_exported import typealias CoreMLFoundationNames.CFAbsoluteTime
@_exported import typealias CoreMLFoundationNames.CFArray
@_exported import typealias CoreMLFoundationNames.CFBoolean
@_exported import typealias CoreMLFoundationNames.CFData
@_exported import typealias CoreMLFoundationNames.CFDictionary
@_exported import typealias CoreMLFoundationNames.CFIndex
@_exported import typealias CoreMLFoundationNames.CFMutableData
@_exported import typealias CoreMLFoundationNames.CFNumber
@_exported import typealias CoreMLFoundationNames.CFString
@_exported import typealias CoreMLFoundationNames.CFTimeInterval
@_exported import typealias CoreMLFoundationNames.CFTypeRef
@_exported import typealias CoreMLFoundationNames.CFURL
@_exported import typealias CoreMLFoundationNames.OSStatus
// `CGImage` and `CGImagePropertyOrientation`.
@_exported import CoreMLImages
// `CGRect`, `CGSize`, `CGPoint`; Foundation's classes under Core Foundation's names.
@_exported import Foundation
