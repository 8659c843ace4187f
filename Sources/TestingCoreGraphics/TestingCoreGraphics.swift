// On every system, Swift Testing declares a module `_Testing_CoreGraphics` for files that import both it and
// `CoreGraphics`. The toolchains for Linux do not include that module. Without this one no test could import
// `CoreGraphics`, or a module that re-exports it. Apple's module supports images as attachments; this one is empty.
