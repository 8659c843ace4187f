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
