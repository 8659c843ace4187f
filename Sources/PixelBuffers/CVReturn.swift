// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A result code of Core Video: 0, or an error.
public typealias CVReturn = Int32

/// Success.
public let kCVReturnSuccess: CVReturn = 0
/// An error without a specific code.
public let kCVReturnError: CVReturn = -6660
/// An argument is invalid.
public let kCVReturnInvalidArgument: CVReturn = -6661
/// Memory cannot be allocated.
public let kCVReturnAllocationFailed: CVReturn = -6662
/// The operation is not supported.
public let kCVReturnUnsupported: CVReturn = -6663
/// The pixel format is unknown, or the function does not accept it.
public let kCVReturnInvalidPixelFormat: CVReturn = -6680
/// The size is invalid.
public let kCVReturnInvalidSize: CVReturn = -6681
/// The attributes contradict each other, or are not supported.
public let kCVReturnInvalidPixelBufferAttributes: CVReturn = -6682
/// The buffer is not compatible with OpenGL. Never returned here.
public let kCVReturnPixelBufferNotOpenGLCompatible: CVReturn = -6683
/// The buffer is not compatible with Metal. Never returned here.
public let kCVReturnPixelBufferNotMetalCompatible: CVReturn = -6684
/// The pool has its maximum number of images. Never returned here.
public let kCVReturnWouldExceedAllocationThreshold: CVReturn = -6689
/// A pool cannot be created. Never returned here.
public let kCVReturnPoolAllocationFailed: CVReturn = -6690
/// Attributes of a pool contradict each other. Never returned here.
public let kCVReturnInvalidPoolAttributes: CVReturn = -6691
/// The call may be retried. Never returned here.
public let kCVReturnRetry: CVReturn = -6692
