// Written by tools/specgen.py; edit that.
// swift-format-ignore-file

/// The messages of the package `CoreML.Specification`.
public enum Specification {}

/// The messages of the package `CoreML.Specification.MILSpec`.
public enum MILSpec {}

/// The messages of the package `CoreML.Specification.CoreMLModels`.
public enum CoreMLModels {}
