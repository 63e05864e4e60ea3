#include "CFFmpegShims.h"

// All three stay within 16 bits, so that the compiler can work on whole vectors. The division by 255 is exact for
// every value below 65 535: v / 255 == (v + 1 + (v >> 8)) >> 8.
static inline uint8_t divided_by_255(uint16_t v) { return (uint8_t)((uint16_t)(v + 1 + (v >> 8)) >> 8); }

void cff_limit_luma(const uint8_t *source, uint8_t *target, size_t count) {
    for (size_t i = 0; i < count; i++)
        target[i] = (uint8_t)(16 + divided_by_255((uint16_t)(source[i] * 219 + 127)));
}

void cff_limit_chroma(const uint8_t *source, uint8_t *target, size_t count) {
    for (size_t i = 0; i < count; i++)
        target[i] = divided_by_255((uint16_t)(source[i] * 224 + 128 * 31 + 127));
}

void cff_expand_luma(const uint8_t *source, uint8_t *target, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int x = source[i] < 16 ? 0 : source[i] > 235 ? 219 : source[i] - 16;
        // 255 / 219 in 8.8 fixed point, off by less than half a step over the whole range.
        target[i] = (uint8_t)((x * 298 + 128) >> 8);
    }
}

AVIOContext *cff_output(int32_t size, void *opaque, int32_t (*write)(void *, uint8_t *, int32_t)) {
    uint8_t *buffer = av_malloc((size_t)size);
    if (!buffer) return NULL;
    AVIOContext *output = avio_alloc_context(buffer, size, 1, opaque, NULL, (void *)write, NULL);
    if (!output) av_free(buffer);
    return output;
}

void cff_output_free(AVIOContext *output) {
    if (output) av_freep(&output->buffer);
    avio_context_free(&output);
}
