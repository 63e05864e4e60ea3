#pragma once

#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/display.h>
#include <libavutil/hwcontext.h>
#include <libavutil/error.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
#include <stddef.h>
#include <stdint.h>

// Macros that Swift cannot import.
static inline int32_t cff_error_eof(void) { return AVERROR_EOF; }
static inline int32_t cff_error_again(void) { return AVERROR(EAGAIN); }
static inline int32_t cff_error_no_memory(void) { return AVERROR(ENOMEM); }
static inline int32_t cff_error_invalid_data(void) { return AVERROR_INVALIDDATA; }
static inline int32_t cff_error_external(void) { return AVERROR_EXTERNAL; }
static inline int32_t cff_error(int32_t number) { return AVERROR(number); }
static inline int64_t cff_no_pts(void) { return AV_NOPTS_VALUE; }

// An output that hands its bytes to `write`, which answers their number or an AVERROR. (The type of the callback's
// second argument gained a `const` in a later FFmpeg.) Free with cff_output_free.
AVIOContext *cff_output(int32_t size, void *opaque, int32_t (*write)(void *, uint8_t *, int32_t));
void cff_output_free(AVIOContext *output);

// Moves full-range samples (0...255) into limited range, `count` bytes from `source` to `target`; both may be the
// same. Luma: 16 + x * 219 / 255. Chroma: 128 + (x - 128) * 224 / 255 (ITU-R BT.601-7, 2.5.3; JFIF 1.02, page 3).
void cff_limit_luma(const uint8_t *source, uint8_t *target, size_t count);
void cff_limit_chroma(const uint8_t *source, uint8_t *target, size_t count);
// The other way for luma, for grey pictures: (x - 16) * 255 / 219, held within 0...255.
void cff_expand_luma(const uint8_t *source, uint8_t *target, size_t count);
