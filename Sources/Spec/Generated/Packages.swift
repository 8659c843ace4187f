// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

/// The messages of the package `CoreML.Specification`.
package enum Specification {}

/// The messages of the package `CoreML.Specification.MILSpec`.
package enum MILSpec {}

/// The messages of the package `CoreML.Specification.CoreMLModels`.
package enum CoreMLModels {}
