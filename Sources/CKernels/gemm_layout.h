// Sizes of the packed layout, chosen for the registers of each instruction set: TILE x 2 accumulator vectors, two
// vectors of B and one of A. With lane-indexed FMA there are as many vectors of A as hold TILE elements.
#pragma once
#include "vector.h"

#if defined(CK_TARGET_AVX512)
#define CK_TILE 14
#elif defined(CK_TARGET_AVX2)
#define CK_TILE 6
#elif defined(CK_TARGET_NEON)
#define CK_TILE 12
#else
#define CK_TILE 4
#endif

enum { CK_K_BLOCK = 256 };  // a panel of B of this K length fits L1

extern const ck_unary_row CK_BASE_FN(unary_rows_f32)[];
