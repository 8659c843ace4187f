// Swift Testing says, on every system, that there is a module `_Testing_CoreGraphics` for files which import both it and `CoreGraphics`, and the
// toolchains for Linux do not bring it: without this one no test could import `CoreGraphics`, or a module that brings it. What Apple's has,
// pictures as attachments, is not here.
