// The list of kernels: every function that CK_KERNEL marks in these headers.
//
// CK_KERNEL names the instruction sets that have a body of their own for the kernel:
// - `base`: every base set (generic, avx2, avx512, neon);
// - a set that extends a base set, such as avx512vnni. Sets that extend it in turn use that body as well.
//
// A kernel without `base` exists only where one of its sets is in use. A function of its header says so, such as
// ck_int8_supported.
//
// tools/make-dispatch reads the marked declarations and writes Sources/CKernels/Generated: the lists that the function
// tables are made of, and the public functions, which call the body of the instruction set in use.
#pragma once

#define CK_KERNEL(...)
