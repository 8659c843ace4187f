#include "CKernelSources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// clang-format off
#define SOURCES(X) \
  X(arg) \
  X(attention) \
  X(attention_few) \
  X(attention_form) \
  X(attention_tile) \
  X(binary) \
  X(cast) \
  X(channel) \
  X(common) \
  X(conv) \
  X(einsum) \
  X(functions) \
  X(group_attention) \
  X(group_plain) \
  X(group_product) \
  X(group_ptx) \
  X(make) \
  X(measure) \
  X(move) \
  X(norm) \
  X(pad) \
  X(parts) \
  X(pool) \
  X(probe_half) \
  X(probe_launch) \
  X(probe_mma) \
  X(probe_ptx) \
  X(quantize) \
  X(recurrent) \
  X(reduce) \
  X(resample) \
  X(sample) \
  X(scan) \
  X(scatter) \
  X(select) \
  X(slice) \
  X(softmax) \
  X(sort) \
  X(stored) \
  X(stored_form) \
  X(tile) \
  X(tile_slice) \
  X(unary) \
  X(vector) \
  X(warp_attention) \
  X(warp_attention_floats) \
  X(warp_conv) \
  X(warp_norm) \
  X(warp_pack) \
  X(warp_patch) \
  X(warp_plain) \
  X(warp_product) \
  X(warp_ptx) \
  X(warp_scores) \
  X(warp_stored)
// clang-format on

static const char arg[] = {
#embed "cl/arg.cl" suffix(, 0)
};
static const char attention[] = {
#embed "cl/attention.cl" suffix(, 0)
};
static const char attention_few[] = {
#embed "cl/attention_few.cl" suffix(, 0)
};
static const char attention_form[] = {
#embed "cl/attention_form.cl" suffix(, 0)
};
static const char attention_tile[] = {
#embed "cl/attention_tile.cl" suffix(, 0)
};
static const char binary[] = {
#embed "cl/binary.cl" suffix(, 0)
};
static const char cast[] = {
#embed "cl/cast.cl" suffix(, 0)
};
static const char channel[] = {
#embed "cl/channel.cl" suffix(, 0)
};
static const char common[] = {
#embed "cl/common.cl" suffix(, 0)
};
static const char conv[] = {
#embed "cl/conv.cl" suffix(, 0)
};
static const char einsum[] = {
#embed "cl/einsum.cl" suffix(, 0)
};
static const char functions[] = {
#embed "cl/functions.cl" suffix(, 0)
};
static const char group_attention[] = {
#embed "nvidia/group_attention.cl" suffix(, 0)
};
static const char group_plain[] = {
#embed "nvidia/group_plain.cl" suffix(, 0)
};
static const char group_product[] = {
#embed "nvidia/group_product.cl" suffix(, 0)
};
static const char group_ptx[] = {
#embed "nvidia/group_ptx.cl" suffix(, 0)
};
static const char make[] = {
#embed "cl/make.cl" suffix(, 0)
};
static const char measure[] = {
#embed "cl/measure.cl" suffix(, 0)
};
static const char move[] = {
#embed "cl/move.cl" suffix(, 0)
};
static const char norm[] = {
#embed "cl/norm.cl" suffix(, 0)
};
static const char pad[] = {
#embed "cl/pad.cl" suffix(, 0)
};
static const char parts[] = {
#embed "cl/parts.cl" suffix(, 0)
};
static const char pool[] = {
#embed "cl/pool.cl" suffix(, 0)
};
static const char probe_half[] = {
#embed "cl/probe_half.cl" suffix(, 0)
};
static const char probe_launch[] = {
#embed "cl/probe_launch.cl" suffix(, 0)
};
static const char probe_mma[] = {
#embed "cl/probe_mma.cl" suffix(, 0)
};
static const char probe_ptx[] = {
#embed "cl/probe_ptx.cl" suffix(, 0)
};
static const char quantize[] = {
#embed "cl/quantize.cl" suffix(, 0)
};
static const char recurrent[] = {
#embed "cl/recurrent.cl" suffix(, 0)
};
static const char reduce[] = {
#embed "cl/reduce.cl" suffix(, 0)
};
static const char resample[] = {
#embed "cl/resample.cl" suffix(, 0)
};
static const char sample[] = {
#embed "cl/sample.cl" suffix(, 0)
};
static const char scan[] = {
#embed "cl/scan.cl" suffix(, 0)
};
static const char scatter[] = {
#embed "cl/scatter.cl" suffix(, 0)
};
static const char select[] = {
#embed "cl/select.cl" suffix(, 0)
};
static const char slice[] = {
#embed "cl/slice.cl" suffix(, 0)
};
static const char softmax[] = {
#embed "cl/softmax.cl" suffix(, 0)
};
static const char sort[] = {
#embed "cl/sort.cl" suffix(, 0)
};
static const char stored[] = {
#embed "cl/stored.cl" suffix(, 0)
};
static const char stored_form[] = {
#embed "cl/stored_form.cl" suffix(, 0)
};
static const char tile[] = {
#embed "cl/tile.cl" suffix(, 0)
};
static const char tile_slice[] = {
#embed "cl/tile_slice.cl" suffix(, 0)
};
static const char unary[] = {
#embed "cl/unary.cl" suffix(, 0)
};
static const char vector[] = {
#embed "cl/vector.cl" suffix(, 0)
};
static const char warp_attention[] = {
#embed "nvidia/warp_attention.cl" suffix(, 0)
};
static const char warp_attention_floats[] = {
#embed "nvidia/warp_attention_floats.cl" suffix(, 0)
};
static const char warp_conv[] = {
#embed "nvidia/warp_conv.cl" suffix(, 0)
};
static const char warp_norm[] = {
#embed "nvidia/warp_norm.cl" suffix(, 0)
};
static const char warp_pack[] = {
#embed "nvidia/warp_pack.cl" suffix(, 0)
};
static const char warp_patch[] = {
#embed "nvidia/warp_patch.cl" suffix(, 0)
};
static const char warp_plain[] = {
#embed "nvidia/warp_plain.cl" suffix(, 0)
};
static const char warp_product[] = {
#embed "nvidia/warp_product.cl" suffix(, 0)
};
static const char warp_ptx[] = {
#embed "nvidia/warp_ptx.cl" suffix(, 0)
};
static const char warp_scores[] = {
#embed "nvidia/warp_scores.cl" suffix(, 0)
};
static const char warp_stored[] = {
#embed "nvidia/warp_stored.cl" suffix(, 0)
};

#define ENTRY(name) {#name, name, sizeof name - 1},
static const struct {
  const char *name;
  const char *text;
  size_t length;
} sources[] = {SOURCES(ENTRY)};

size_t ck_source_count(void) { return sizeof sources / sizeof sources[0]; }
const char *ck_source_name(size_t index) { return index < ck_source_count() ? sources[index].name : NULL; }
const char *ck_source_text(size_t index) { return index < ck_source_count() ? sources[index].text : NULL; }
size_t ck_source_length(size_t index) { return index < ck_source_count() ? sources[index].length : 0; }
