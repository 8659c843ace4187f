/// Runs `body`, with the name of Apple's systems. Linux has no autorelease pools: objects are freed with their last
/// reference.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
