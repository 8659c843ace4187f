#include "tests.h"

// Holds what the driver's compiler is known to write: parameters on one line and on several, with and without a name
// in the ABI's form, structures, a demanded group, local memory, no parameters at all, registers that only OpenCL has,
// and a metadata section with a bracket in a string.
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
