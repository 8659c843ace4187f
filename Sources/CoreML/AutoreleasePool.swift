/// Runs `body`, under the name that Apple's systems have for it. Objects live as long as somebody holds them: there is no pool to empty.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
