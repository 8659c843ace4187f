#if !__has_include(<gif_lib.h>)
#error "giflib's header is missing: install libgif-dev (tools/setup does)"
#endif
#include <gif_lib.h>
