// PTX post-processing for sm_90: hidden instructions and directives become active, and launches get the requested
// shared memory.

#include "tests.h"

#define HEAD ".version 9.0\n.target sm_90, texmode_independent\n.address_size 64\n"
#define UNCOVERED_HEAD                                                                                                 \
  ".version 9.0\n.target sm_90a, texmode_independent\n.address_size 64\n"                                              \
  ".extern .shared .align 1024 .b8 coreml_shared[];\n"
#define CLUSTER(count) " .explicitcluster\n.reqnctapercluster 1, 1, " count "\n"

// MARK: texts

static void check_becomes(const char *ptx, const char *expected) {
  message[0] = 0;
  char *text = ptx_run_passes(ptx, strlen(ptx), message, sizeof message);
  if (!text) fprintf(stderr, "refused: %s\n", message);
  CHECK(text);
  if (strcmp(text, expected)) fprintf(stderr, "the text is:\n%s\nand not:\n%s\n", text, expected);
  CHECK(strcmp(text, expected) == 0);
  CHECK(!message[0]);
  free(text);
}

static void check_instructions(void) {
  check_becomes(HEAD "//@ a;\n", UNCOVERED_HEAD "a;\n");
  check_becomes(HEAD " \t//@ a;\n{\n//@ b;\n//@ c;\n}", UNCOVERED_HEAD " \ta;\n{\nb;\nc;\n}");
  check_becomes(HEAD "\t//@  a; //@ b\r\n", UNCOVERED_HEAD "\t a; //@ b\r\n");
  // Only at the start of a line, and once.
  check_becomes(HEAD "a; //@ b;\n", UNCOVERED_HEAD "a; //@ b;\n");
  check_becomes(HEAD "///@ b;\n", UNCOVERED_HEAD "///@ b;\n");
  check_becomes(HEAD "//@ //@ b;\n", UNCOVERED_HEAD "//@ b;\n");
  // OpenCL-only registers are replaced in hidden instructions, too.
  check_becomes(HEAD "//@ mov %r1, %envreg6;", UNCOVERED_HEAD "mov %r1, %nctaid.x;");
  check_becomes("//@ a;\n" HEAD, "a;\n" UNCOVERED_HEAD);
}

static void check_directives(void) {
  // The target and the address size are found wherever they are, but not in comments and strings.
  check_becomes(".version 9.0 .target sm_90\n//@ a;\n", ".version 9.0 .target sm_90a\na;\n");
  check_becomes(".version .target sm_90 .address_size 64//@",
                ".version .target sm_90a .address_size 64\n.extern .shared .align 1024 .b8 coreml_shared[];//@");
  check_becomes("// .target sm_80 .address_size 64\n" HEAD "\"\n.target sm_80\"\n//@ a;",
                "// .target sm_80 .address_size 64\n" UNCOVERED_HEAD "\"\n.target sm_80\"\na;");
  check_becomes(HEAD "//@ a;\n.address_size 64\n", UNCOVERED_HEAD "a;\n.address_size 64\n");
  check_becomes(".version .target sm_90 .address_size 32\n//@ a;", ".version .target sm_90a .address_size 32\na;");
}

static void check_clusters(void) {
  check_becomes(HEAD ".entry f(.param .u32 a)\n.reqntid 128, 1, 1\n{\n\t//@cluster 4\n\tret;\n}\n",
                UNCOVERED_HEAD ".entry f(.param .u32 a)\n.reqntid 128, 1, 1\n" CLUSTER("4")
                "{\n\t//@cluster 4\n\tret;\n}\n");
  // Every kernel gets the cluster size, also kernels before the directive. Braces in comments, strings, bodies and
  // other functions do not count.
  check_becomes(HEAD ".entry f() /* { */ // {\n.pragma \"{\"; .entry g() { {} }\n.func h() {}\n//@cluster 8\n",
                UNCOVERED_HEAD ".entry f() /* { */ // {\n.pragma \"{\"; .entry g() " CLUSTER("8")
                "{ {} }\n.func h() {}\n//@cluster 8\n");
  check_becomes(HEAD ".entry f() /* { */ // {\n{}\n.entry g()\"{\"\n{}\n//@cluster 2\n//@cluster 2",
                UNCOVERED_HEAD ".entry f() /* { */ // {\n" CLUSTER("2") "{}\n.entry g()\"{\"\n" CLUSTER("2")
                "{}\n//@cluster 2\n//@cluster 2");
  // A declaration has no body; the last one is incomplete.
  check_becomes(HEAD ".extern .entry f();\n{}\n//@cluster 8\n.entry",
                UNCOVERED_HEAD ".extern .entry f();\n{}\n//@cluster 8\n.entry");
}

static void check_plain(void) {
  const char *ptx = HEAD ".entry f()\n{ // @ /@ \n// @shared 5\n mov coreml_shared; }\n";
  check_becomes(ptx, ptx);
}

// MARK: kernels

/// Both kernels of the text have this shared memory size.
static void check_memory(const char *ptx, uint32_t bytes) {
  char *text = ptx_run_passes(ptx, strlen(ptx), message, sizeof message);
  CHECK(text);
  Entry *entries;
  size_t count;
  OK(ptx_kernels(text, &entries, &count, message, sizeof message));
  CHECK(count == 2);
  for (size_t index = 0; index < count; index++) {
    CHECK(entries[index].shared_bytes == bytes);
    CHECK(entries[index].group[0] == 64);
  }
  ptx_kernels_free(entries, count);
  free(text);
}

#define TWO_KERNELS(hidden) HEAD ".entry f()\n.reqntid 64\n{\n" hidden "}\n.entry g()\n.reqntid 64\n{\n"

static void check_entries(void) {
  check_memory(TWO_KERNELS("ret;\n") "}", 0);
  check_memory(TWO_KERNELS("//@ ret;\n") "}", 0);
  check_memory(TWO_KERNELS("\t//@shared 65536\n") "}", 65536);
  check_memory(TWO_KERNELS("\t//@cluster 2\n//@shared 5\n") "//@shared 7 \t\r\n//@shared 6\n}", 7);
  check_memory(TWO_KERNELS("") "}\n//@shared 232448", 232448);
  check_memory(TWO_KERNELS("ret; //@shared 5\n") "}", 0);
}

// MARK: refusals

/// The text is refused, with a message that contains these words.
static void check_refused(const char *ptx, const char *words) {
  message[0] = 0;
  char *text = ptx_run_passes(ptx, strlen(ptx), message, sizeof message);
  if (text || !strstr(message, words)) fprintf(stderr, "%s\nis not refused with: %s, but: %s\n", ptx, words, message);
  CHECK(!text);
  CHECK(strstr(message, words));
}

static void check_refusals(void) {
  check_refused(".version .target sm_80, a\n//@ a;", "of sm_90 and is for \"sm_80\"");
  check_refused(".version .target sm_90a\n//@ a;", "is for \"sm_90a\"");
  check_refused(".version .target sm_900\n//@shared 5", "is for \"sm_900\"");
  check_refused(".version .target sm_9\n//@shared 5", "is for \"sm_9\"");
  check_refused(".version\n//@\n.target", "is for \"\"");
  check_refused(".version // .target sm_90\n//@ a;", "has no target");
  check_refused(".version .target sm_90\n//@ a coreml_shared;", "uses coreml_shared and has no .address_size 64");
  check_refused(".version .target sm_90 .address_size 32\n//@ a coreml_shared;", "has no .address_size 64");
  check_refused(HEAD "//@shared 232449\n", "asks for 232449 bytes of a group's memory, more than 232448");
  check_refused(HEAD "//@shared 999999", "asks for 999999 bytes");
  check_refused(HEAD "//@shared 99999999999999999999999999", "bytes of a group's memory, more than");
  check_refused(HEAD "//@shared 4294967297", "asks for 4294967297 bytes");
  check_refused(HEAD "//@cluster 1\n", "asks for clusters of 1 groups, not 2 to 8");
  check_refused(HEAD "//@cluster 9", "asks for clusters of 9 groups");
  check_refused(HEAD "//@cluster 4294967298", "asks for clusters of 4294967298 groups");
  check_refused(HEAD "//@cluster 2\n//@cluster 4\n", "asks for clusters of 2 groups and of 4");
  static const char *const unreadable[] = {
      "//@shared", "//@shared ", "//@shared\n5",  "//@shared -1", "//@shared 5 6", "//@shared 5x", "//@shared5",
      "//@cluster", "//@cluster\t", "//@cluster x", "//@clusters 2", "//@a;", "//@\ta;", "//@@ a;",
  };
  for (size_t index = 0; index < sizeof unreadable / sizeof *unreadable; index++) {
    char ptx[200];
    snprintf(ptx, sizeof ptx, HEAD " %s", unreadable[index]);
    check_refused(ptx, "cannot be read");
  }
  // A mark that hides nothing.
  check_becomes(HEAD "//@", UNCOVERED_HEAD "//@");
  check_becomes(HEAD "//@ ", UNCOVERED_HEAD);
  check_becomes(HEAD "//@\t\r\n//@ \n", UNCOVERED_HEAD "//@\t\r\n\n");
}

/// Any single byte is replaced; the text is read or refused. Sanitizers detect accesses outside of the text.
static void check_mutations(void) {
  static const char bytes[] = "\n/@ {}\"*;.9";
  char *ptx = strdup(hidden_sample);
  for (char *place = ptx; *place; place++) {
    char before = *place;
    for (size_t index = 0; index < sizeof bytes; index++) {
      *place = bytes[index];
      Entry *entries;
      size_t count;
      char *text = ptx_run_passes(ptx, strlen(ptx), message, sizeof message);
      if (text && !ptx_kernels(text, &entries, &count, message, sizeof message)) ptx_kernels_free(entries, count);
      free(text);
    }
    *place = before;
  }
  free(ptx);
}

// MARK: launches

/// The rig with the hidden sample's program and its kernel `note`.
static Rig with_hidden(const Rig *rig) {
  Rig other = *rig;
  other.program = program_of(rig->context, hidden_sample);
  other.note = kernel_of(other.program, "note");
  set_memory(other.note, 0, rig->memory);
  return other;
}

static void release(const Rig *other) {
  OK(cl.clReleaseKernel(other->note));
  OK(cl.clReleaseProgram(other->program));
}

/// Every launch gets the shared memory size of its own kernel, alone and in a graph.
static void check_launches(const Rig *rig) {
  Rig other = with_hidden(rig);
  CHECK(other.note->entry->shared_bytes == 66560);
  for (int round = 0; round < 3; round++) {
    notes(rig, 0, 4);
    finish(rig);
    CHECK(round || !fake->shared_bytes);
    notes(&other, 0, 4);
    finish(&other);
    CHECK(fake->shared_bytes == 66560);
  }
  CHECK(fake->captures == 2);
  CHECK(fake->graph_launches == 4);
  CHECK(fake->notes == 24);
  // The size was passed to the driver.
  other.note->entry->shared_bytes++;
  note(&other, 0);
  CHECK(cl.clFinish(rig->queue) == CL_INVALID_VALUE);
  release(&other);
  rig->note->entry->shared_bytes = (48 << 10) + 1;
  note(rig, 0);
  CHECK(cl.clFinish(rig->queue) == CL_INVALID_VALUE);
  rig->note->entry->shared_bytes = 0;
}

/// If the driver refuses the size, the next kernel requests it again. Kernels without it do not.
static void check_set_fails(const Rig *rig) {
  cl_int status;
  cl_program program = program_of(rig->context, hidden_sample);
  fail("cuFuncSetAttribute", 1, 1);
  OK(cl.clReleaseKernel(kernel_of(rig->program, "none")));
  CHECK(!cl.clCreateKernel(program, "note", &status));
  CHECK(status == CL_INVALID_VALUE);
  CHECK(strcmp(fake->failed, "cuFuncSetAttribute") == 0);
  OK(cl.clReleaseKernel(kernel_of(program, "note")));
  fail_never();
  OK(cl.clReleaseProgram(program));
}

/// The program's log states the reason.
static void check_log(const Rig *rig) {
  cl_program program = source_of(rig->context, HEAD "//@shared 999999");
  char log[300];
  CHECK(build(program) == CL_BUILD_PROGRAM_FAILURE);
  OK(cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  CHECK(strstr(log, "asks for 999999 bytes"));
  OK(cl.clReleaseProgram(program));
}

void check_sm90(void) {
  check_instructions();
  check_directives();
  check_clusters();
  check_plain();
  check_entries();
  check_refusals();
  check_mutations();
  Rig rig = rig_open(false);
  check_launches(&rig);
  check_set_fails(&rig);
  check_log(&rig);
  rig_close(&rig);
}
