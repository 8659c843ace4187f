#include "check.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHECKED_MEMORY 1
#endif
#endif

enum { MOST_FAILURES = 5, MOST_PIECES = 256 };
static const uint32_t blank_bits = 0x7fc0dead;  // a NaN that no kernel produces

static uint64_t state;
static const char *family_name, *set_name, *kernel_name = "";
static char shape_text[256];
static size_t comparisons, failures;

void random_seed(uint64_t seed) {
  state = seed * 0x9e3779b97f4a7c15u + 1;
}

uint64_t random_bits(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

size_t random_size(size_t least, size_t most) {
  return least + (size_t)(random_bits() % (most - least + 1));
}

double random_real(double low, double high) {
  return low + (high - low) * (double)(random_bits() >> 11) * 0x1p-53;
}

static struct piece {
  unsigned char *begin, *memory;
  size_t mapped;
} pieces[MOST_PIECES];
static size_t piece_count;

// The sanitizer watches memory from malloc. Without it, each allocation ends at a page that cannot be accessed.
void *take(size_t bytes) {
  if (piece_count == MOST_PIECES) fprintf(stderr, "too many pieces of memory in one case\n"), exit(2);
  struct piece *p = &pieces[piece_count++];
#if defined(CHECKED_MEMORY)
  p->begin = p->memory = malloc(bytes);
  if (p->memory == NULL) exit(2);
#else
  size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;
  p->mapped = room + 2 * page;
  p->begin = mmap(NULL, p->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p->begin == MAP_FAILED || mprotect(p->begin + page + room, page, PROT_NONE) != 0) perror("memory"), exit(2);
  p->memory = p->begin + page + room - bytes;
  memset(p->begin, 0xa5, (size_t)(p->memory - p->begin));
#endif
  return p->memory;
}

void release(void) {
  for (; piece_count > 0; piece_count--) {
    struct piece *p = &pieces[piece_count - 1];
#if defined(CHECKED_MEMORY)
    free(p->begin);
#else
    bool whole = true;
    for (unsigned char *byte = p->begin; byte < p->memory; byte++) whole &= *byte == 0xa5;
    if (!whole) expect_true(false, "nothing is written in front of memory");
    munmap(p->begin, p->mapped);
#endif
  }
}

float *floats(size_t n, double low, double high) {
  float *p = take(n * sizeof *p);
  for (size_t i = 0; i < n; i++) p[i] = (float)random_real(low, high);
  return p;
}

double *reals(size_t n, double low, double high) {
  double *p = take(n * sizeof *p);
  for (size_t i = 0; i < n; i++) p[i] = random_real(low, high);
  return p;
}

int32_t *integers(size_t n, int32_t low, int32_t high) {
  int32_t *p = take(n * sizeof *p);
  for (size_t i = 0; i < n; i++) p[i] = (int32_t)(low + (int64_t)(random_bits() % (uint64_t)((int64_t)high - low + 1)));
  return p;
}

float *blank(size_t n) {
  float *p = take(n * sizeof *p);
  for (size_t i = 0; i < n; i++) memcpy(p + i, &blank_bits, sizeof blank_bits);
  return p;
}

double *zeros(size_t n) {
  double *p = take(n * sizeof *p);
  memset(p, 0, n * sizeof *p);
  return p;
}

void at(const char *kernel, const char *format, ...) {
  kernel_name = kernel;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(shape_text, sizeof shape_text, format, arguments);
  va_end(arguments);
}

static void failed(const char *format, ...) {
  if (++failures > MOST_FAILURES) return;
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  printf("%s: %s [%s] (%s): %s\n", family_name, kernel_name, set_name, shape_text, text);
}

static bool is_close(double expected, double found, double relative, double absolute) {
  if (expected != expected) return found != found;
  if (isinf(expected) || isinf(found)) return expected == found;
  return fabs(found - expected) <= relative * fabs(expected) + absolute;
}

void expect(const double *expected, const float *found, size_t n, double relative, double absolute) {
  comparisons++;
  for (size_t i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, found + i, sizeof bits);
    bool written = bits != blank_bits;
    if (expected[i] == UNTOUCHED) {
      if (!written) continue;
      failed("element %zu of %zu is %.9g, expected not to be written", i, n, (double)found[i]);
      return;
    }
    // A result beyond the range of fp32 is expected as an infinity.
    double goal = fabs(expected[i]) > 0x1.ffffffp127 ? copysign(INFINITY, expected[i]) : expected[i];
    if (written && is_close(goal, (double)found[i], relative, absolute)) continue;
    if (written) {
      failed(
          "element %zu of %zu is %.9g, expected %.9g within %.1e of it and %.1e", i, n, (double)found[i], expected[i],
          relative, absolute);
    } else {
      failed("element %zu of %zu was not written, expected %.9g", i, n, expected[i]);
    }
    return;
  }
}

void expect_doubles(const double *expected, const double *found, size_t n, double relative, double absolute) {
  comparisons++;
  for (size_t i = 0; i < n; i++) {
    if (is_close(expected[i], found[i], relative, absolute)) continue;
    failed(
        "element %zu of %zu is %.17g, expected %.17g within %.1e of it and %.1e", i, n, found[i], expected[i], relative,
        absolute);
    return;
  }
}

void expect_integers(const int32_t *expected, const int32_t *found, size_t n) {
  comparisons++;
  for (size_t i = 0; i < n; i++) {
    if (expected[i] == found[i]) continue;
    failed("element %zu of %zu is %d, expected %d", i, n, found[i], expected[i]);
    return;
  }
}

void expect_bytes(const void *expected, const void *found, size_t n) {
  comparisons++;
  const unsigned char *a = expected, *b = found;
  for (size_t i = 0; i < n; i++) {
    if (a[i] == b[i]) continue;
    failed("byte %zu of %zu is %02x, expected %02x", i, n, b[i], a[i]);
    return;
  }
}

void expect_true(bool holds, const char *what) {
  comparisons++;
  if (!holds) failed("expected that %s", what);
}

#if !defined(CHECKED_MEMORY)
/// Names a kernel that makes an invalid access before the process ends.
static void crashed(int number) {
  char text[512];
  int n = snprintf(
      text, sizeof text, "%s: %s [%s] (%s): ended by signal %d\n", family_name, kernel_name, set_name, shape_text,
      number);
  if (n > 0 && write(STDOUT_FILENO, text, (size_t)n) < 0) _exit(3);
  _exit(3);
}
#endif

bool run_family(const struct family *family, uint64_t seed) {
  family_name = family->name, comparisons = failures = 0;
#if !defined(CHECKED_MEMORY)
  for (size_t i = 0; i < 4; i++) signal((int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL}[i], crashed);
#endif
  char sets[128] = "";
  for (int isa = 0; isa < CK_ISA_COUNT; isa++) {
    if (!ck_force_isa_for_tests((ck_isa)isa)) continue;
    set_name = family->once ? "all" : ck_isa_name((ck_isa)isa);
    random_seed(seed);
    family->run();
    release();
    size_t used = strlen(sets);
    snprintf(sets + used, sizeof sets - used, " %s", set_name);
    if (family->once) break;
  }
  printf("%s: %zu comparisons,%s%s\n", family_name, comparisons, sets, failures > 0 ? ": failed" : "");
  if (failures > MOST_FAILURES) printf("%s: %zu failures more\n", family_name, failures - MOST_FAILURES);
  fflush(stdout);
  return failures == 0;
}
