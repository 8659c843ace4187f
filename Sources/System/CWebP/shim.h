#if !__has_include(<webp/demux.h>)
#error "libwebp's headers are missing: install libwebp-dev (tools/setup does)"
#endif
#include <webp/decode.h>
#include <webp/demux.h>
