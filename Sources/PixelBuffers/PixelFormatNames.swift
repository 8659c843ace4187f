// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreMLImages

// Formats that programs name, but that are not supported: `CVPixelBufferCreate` returns `kCVReturnInvalidPixelFormat`
// for them.

/// Red, green and blue, 8 bits each.
public let kCVPixelFormatType_24RGB: OSType = 0x0000_0018
/// Blue, green and red, 8 bits each.
public let kCVPixelFormatType_24BGR: OSType = 0x3234_4247
/// Alpha, blue, green and red, 8 bits each.
public let kCVPixelFormatType_32ABGR: OSType = 0x4142_4752
/// Alpha, red, green and blue, 16 bits each.
public let kCVPixelFormatType_64ARGB: OSType = 0x6236_3461
/// Red, green and blue, 16 bits each.
public let kCVPixelFormatType_48RGB: OSType = 0x6234_3872
/// Red, green, blue and alpha, fp16.
public let kCVPixelFormatType_64RGBAHalf: OSType = 0x5247_6841
/// Red, green, blue and alpha, fp32.
public let kCVPixelFormatType_128RGBAFloat: OSType = 0x5247_6641
/// 16-bit gray.
public let kCVPixelFormatType_OneComponent16: OSType = 0x4C30_3136
/// 16-bit gray, big-endian.
public let kCVPixelFormatType_16Gray: OSType = 0x6231_3667
/// Two 8-bit components.
public let kCVPixelFormatType_TwoComponent8: OSType = 0x3243_3038
/// Two fp16 components.
public let kCVPixelFormatType_TwoComponent16Half: OSType = 0x3243_3068
/// Two fp32 components.
public let kCVPixelFormatType_TwoComponent32Float: OSType = 0x3243_3066
/// Disparity, fp16.
public let kCVPixelFormatType_DisparityFloat16: OSType = 0x6864_6973
/// Disparity, fp32.
public let kCVPixelFormatType_DisparityFloat32: OSType = 0x6664_6973
/// Depth, fp16.
public let kCVPixelFormatType_DepthFloat16: OSType = 0x6864_6570
/// Depth, fp32.
public let kCVPixelFormatType_DepthFloat32: OSType = 0x6664_6570
/// Luma, and chroma of each two pixels, interleaved.
public let kCVPixelFormatType_422YpCbCr8: OSType = 0x3276_7579
/// Luma and both chroma components in three planes, video range.
public let kCVPixelFormatType_420YpCbCr8Planar: OSType = 0x7934_3230
/// Luma and both chroma components in three planes, full range.
public let kCVPixelFormatType_420YpCbCr8PlanarFullRange: OSType = 0x6634_3230
/// 10-bit luma and chroma, video range.
public let kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange: OSType = 0x7834_3230
/// 10-bit luma and chroma, full range.
public let kCVPixelFormatType_420YpCbCr10BiPlanarFullRange: OSType = 0x7866_3230
