#include "tests.h"

// A sample of the compiler's output, which contains
// - parameters on one line and on several, with and without ABI-style names, or none
// - structures, a required group size, local memory
// - OpenCL-only registers
// - a metadata section with a brace in a string
const char *const sample =
    "// c\n"
    ".version 8.0\n"
    ".target sm_90, texmode_independent\n"
    ".address_size 64\n"
    ".entry note(\n"
    "\t.param .u64 .ptr .global .align 4 note_param_0,\n"
    "\t.param .u32 note_param_1\n"
    ")\n"
    "{ mov.b32 %r1, %envreg3; mov.b32 %r2, %envreg6; ret; }\n"
    ".entry scale_add(\n"
    " .param .u64 .ptr .global .align 4 a, .param .u64 b, .param .u64 .ptr .global .align 4 c, .param .u64 d,"
    " .param .u32 e, .param .f32 f)\n"
    "{ret;}\n"
    ".entry take(.param .u64 .ptr .global .align 8 a, .param .u32 b, .param .align 8 .b8 c[24])\n"
    ".reqntid 8, 4, 1\n"
    "{ret;}\n"
    ".entry local_one(.param .u64 .ptr .shared .align 4 a)\n"
    "{ret;}\n"
    ".entry none()\n"
    "{ret;}\n"
    ".metadata_section {\n"
    ".metadata 0 { \"x}\", \"note\" }\n"
    "} // end\n";

// Inline assembly as the driver's compiler writes it: each between two comments, after a tab. Lines after its first are
// as in the source.
const char *const hidden_sample =
    "// c\n"
    ".version 9.0\n"
    ".target sm_90, texmode_independent\n"
    ".address_size 64\n"
    "\n"
    ".entry note(\n"
    "\t.param .u64 .ptr .global .align 4 note_param_0,\n"
    "\t.param .u32 note_param_1\n"
    ")\n"
    ".reqntid 32, 1, 1\n"
    "{\n"
    "\t// begin inline asm\n"
    "\t//@shared 66560\n"
    "\t// end inline asm\n"
    "\tmov.u32 \t%r1, 0;\n"
    "\t// begin inline asm\n"
    "\t//@ mov.u32 %r1, coreml_shared;\n"
    "\t// end inline asm\n"
    "\t// begin inline asm\n"
    "\t{\n"
    "//@ .reg .pred all;\n"
    "//@ wgmma.fence.sync.aligned;\n"
    "}\n"
    "\t// end inline asm\n"
    "\tret;\n"
    "}\n"
    ".entry none()\n"
    "{\n"
    "\tret;\n"
    "}\n";
