// swift-format-ignore-file
import CoreFoundation
import CoreML

/// Every Core Foundation name that Core ML exports, in a file that also imports the CoreFoundation module of Linux.
enum BesideCoreFoundation {
    static var text: CFString { "text" as CFString }
    static var number: CFNumber { 3 as CFNumber }
    static var truth: CFBoolean { kCFBooleanTrue }
    static var data: CFData { Data([1, 2, 3]) as CFData }
    static var url: CFURL { URL(fileURLWithPath: "/tmp/a.png") as CFURL }
    static var list: CFArray { [1, 2] as CFArray }
    static var options: CFDictionary { [kCVPixelBufferWidthKey: 4, kCVPixelBufferCGImageCompatibilityKey: kCFBooleanTrue!] as CFDictionary }
    static var growing: CFMutableData { NSMutableData() }
    static var any: CFTypeRef { list }
    static var allocator: CFAllocator? { kCFAllocatorDefault }
    static var code: OSType { kCVPixelFormatType_32BGRA }

    static func measured(_ body: () -> Void) -> CFTimeInterval {
        let start: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
        body()
        return CFAbsoluteTimeGetCurrent() - start
    }

    static func run() -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        check(measured {} >= 0 && measured {} < 60, "time")
        check((text as String) == "text" && number.intValue == 3 && truth.boolValue && !kCFBooleanFalse.boolValue, "values")
        check(CFDataGetLength(data) == 3 && (data as Data)[1] == 2, "data")
        let bytes: [UInt8] = [7, 8]
        let made = CFDataCreate(kCFAllocatorDefault, bytes, bytes.count as CFIndex)
        check(made.map { $0 as Data } == Data(bytes), "made data: \(String(describing: made))")
        check(CFDataCreate(kCFAllocatorDefault, nil, 0)?.length == 0 && CFDataCreate(kCFAllocatorDefault, bytes, -1) == nil && CFDataCreate(kCFAllocatorDefault, nil, 2) == nil, "data of nothing")
        let kept = data
        check(CFDataGetBytePtr(kept)[1] == 2, "bytes")
        check((url as URL).lastPathComponent == "a.png" && list.count == 2 && any is NSArray && growing.length == 0 && allocator == nil, "objects")
        var buffer: CVPixelBuffer?
        let status: OSStatus = CVPixelBufferCreate(kCFAllocatorDefault, 4, 4, code, options, &buffer)
        check(status == noErr && status == kCVReturnSuccess && buffer != nil, "a buffer")
        return wrong
    }
}
