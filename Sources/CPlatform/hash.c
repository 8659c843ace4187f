// XXH3 with 128 bits, from the xxHash header.
#include "CPlatform.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= CPLATFORM_HASH_SIZE && _Alignof(XXH3_state_t) <= CPLATFORM_HASH_ALIGNMENT, "the state fits");

void cplatform_hash_begin(void *state) { XXH3_128bits_reset(state); }

void cplatform_hash_append(void *state, const void *bytes, size_t count) { XXH3_128bits_update(state, bytes, count); }

void cplatform_hash_end(const void *state, uint8_t digest[16]) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
  memcpy(digest, canonical.digest, 16);
}
