#include "CPlatform.h"

#if defined(__GLIBC__)
#include <malloc.h>

size_t cplatform_memory_free(void) {
  struct mallinfo2 info = mallinfo2();
  return info.fordblks;
}

void cplatform_memory_return(void) { malloc_trim(0); }

#else

size_t cplatform_memory_free(void) { return 0; }
void cplatform_memory_return(void) {}

#endif
