#pragma once

#include <stddef.h>

/// The OpenCL C sources of this directory, embedded when it is compiled.
size_t ck_source_count(void);
/// Name without directory and extension, or NULL past the end.
const char *_Nullable ck_source_name(size_t index);
/// Text, ended by a zero byte, or NULL past the end.
const char *_Nullable ck_source_text(size_t index);
/// Bytes of the text without the zero, or 0 past the end.
size_t ck_source_length(size_t index);
