// Elementwise functions, conversions of types, transposition, interpolation, and measurements.
#include "../portable/unary.h"
#include "../portable/binary.h"
#include "../portable/convert.h"
#include "../portable/transpose.h"
#include "../portable/resize.h"
#include "../portable/measure.h"
