// C kernels for the CPU. Each family has one header; each function states shapes, layouts and aliasing.
//
// Common rules
// - Data are row-major and contiguous unless strides are given. Sizes and strides count elements. Shapes and strides
//   are `ptrdiff_t` arrays (Swift `[Int]`).
// - Only `ck_pool_create` allocates. No function keeps state between calls.
// - No function checks buffer lengths against the sizes: the caller does. Sizes may be zero. A function that checks
//   integer index data says so.
// - "May alias" means that `out` may be the same pointer as that input. Any other overlap is not allowed.
// - Every function runs on the calling thread. To use several threads, give each one a part of the rows or channels
//   (see `ck_pool_run`).
// - f16 data are `uint16_t` holding IEEE binary16 bits. Booleans are `uint8_t` 0 or 1; any non-zero byte reads as true.
// - Results may differ in the last bits from one instruction set to another.
// - CK_KERNEL(sets) marks a function that has a body for each instruction set (see ck_kernel.h).
#pragma once
#include "ck_kernel.h"
#include "ck_isa.h"
#include "ck_int8.h"
#include "ck_quantized.h"
#include "ck_low_precision.h"
#include "ck_pool.h"
#include "ck_elementwise.h"
#include "ck_cast.h"
#include "ck_reduce.h"
#include "ck_sort.h"
#include "ck_normalize.h"
#include "ck_move.h"
#include "ck_conv.h"
#include "ck_training.h"
#include "ck_gemm.h"
#include "ck_block.h"
#include "ck_gemm_prepacked.h"
#include "ck_gemv.h"
#include "ck_recurrent.h"
#include "ck_measure.h"
#include "ck_trees.h"
#include "ck_double.h"
