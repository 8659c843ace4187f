#define _GNU_SOURCE
#include <locale.h>
#include <pthread.h>

#include "CPlatform.h"

static locale_t utf8;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The locale exists on every system with glibc 2.35 or later, and on Debian before that.
static void make(void) { utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

void *cplatform_use_utf8(void) {
  pthread_once(&once, make);
  return utf8 == (locale_t)0 ? NULL : (void *)uselocale(utf8);
}

void cplatform_use_locale(void *before) {
  if (before != NULL) uselocale((locale_t)before);
}
