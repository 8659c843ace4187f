// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// What Core Video's functions say of how it went: 0, or what was wrong.
public typealias CVReturn = Int32

/// All is well.
public let kCVReturnSuccess: CVReturn = 0
/// Something that no other code stands for.
public let kCVReturnError: CVReturn = -6660
/// An argument is not one that the function takes.
public let kCVReturnInvalidArgument: CVReturn = -6661
/// There is no memory for it.
public let kCVReturnAllocationFailed: CVReturn = -6662
/// It is not done here.
public let kCVReturnUnsupported: CVReturn = -6663
/// The pixel format is not known, or not one that the function takes.
public let kCVReturnInvalidPixelFormat: CVReturn = -6680
/// No image has this size.
public let kCVReturnInvalidSize: CVReturn = -6681
/// The attributes contradict each other, or cannot be had.
public let kCVReturnInvalidPixelBufferAttributes: CVReturn = -6682
/// A buffer that OpenGL cannot take. No function here says so.
public let kCVReturnPixelBufferNotOpenGLCompatible: CVReturn = -6683
/// A buffer that Metal cannot take. No function here says so.
public let kCVReturnPixelBufferNotMetalCompatible: CVReturn = -6684
/// A pool has as many images as it may have. No function here says so.
public let kCVReturnWouldExceedAllocationThreshold: CVReturn = -6689
/// A pool cannot be made. No function here says so.
public let kCVReturnPoolAllocationFailed: CVReturn = -6690
/// Attributes of a pool contradict each other. No function here says so.
public let kCVReturnInvalidPoolAttributes: CVReturn = -6691
/// It may be asked for again. No function here says so.
public let kCVReturnRetry: CVReturn = -6692
