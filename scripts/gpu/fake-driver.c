// A VA-API driver without a GPU, for tests: libva loads it in the place of Intel's or Mesa's, and FFmpeg's h264_vaapi
// makes pictures by it that decode. Every macroblock is I_PCM (H.264, 7.3.5): the samples as they are, nothing is
// compressed, and the rate that it is told is written to stderr.
//
// Of the structures it fills libva's va_backend.h; what is not listed in __vaDriverInit_1_17 answers "unimplemented".
// FAKE_GPU=vbr, cqp, lowpower, decode: has constant rate not; no rate at all; the low-power half alone; no encoder.
// With drmGetNodeTypeFromFd below (LD_PRELOAD) any file is a render node.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <va/va.h>
#include <va/va_backend.h>
#include <va/va_enc_h264.h>

int drmGetNodeTypeFromFd(int fd) { return 2; /* DRM_NODE_RENDER */ }

enum { most = 1024, coded_room = 4 << 20 };

static struct surface {
    int width, height, stride, rows;
    unsigned char *nv12;
} surfaces[most];

static struct buffer {
    bool is_used;
    VABufferType type;
    void *data;
    // Of an image: it is this surface's memory.
    int surface;
} buffers[most];

// What belongs to the picture that is being made.
enum { header_sequence, header_slice, header_other, header_kinds };
static struct {
    struct surface *surface;
    int coded;
    VAEncSliceParameterBufferH264 slice;
    unsigned char header[header_kinds][4096];
    int header_bits[header_kinds];
    int header_kind;
} picture;
static VAEncSequenceParameterBufferH264 sequence;
static unsigned rate;

static bool is(const char *manner) {
    const char *chosen = getenv("FAKE_GPU");
    return chosen && strcmp(chosen, manner) == 0;
}

static VAStatus unimplemented(void) { return VA_STATUS_ERROR_UNIMPLEMENTED; }
static VAStatus done(void) { return VA_STATUS_SUCCESS; }

// Abilities. Of this profile FFmpeg makes CAVLC, in which an I_PCM macroblock is two codes and its samples.

static VAStatus profiles(VADriverContextP c, VAProfile *list, int *count) {
    list[0] = VAProfileH264ConstrainedBaseline;
    *count = 1;
    return VA_STATUS_SUCCESS;
}

static VAStatus entrypoints(VADriverContextP c, VAProfile profile, VAEntrypoint *list, int *count) {
    list[0] = is("decode") ? VAEntrypointVLD : is("lowpower") ? VAEntrypointEncSliceLP : VAEntrypointEncSlice;
    *count = 1;
    return VA_STATUS_SUCCESS;
}

static VAStatus attributes(VADriverContextP c, VAProfile profile, VAEntrypoint e, VAConfigAttrib *list, int count) {
    for (int i = 0; i < count; i++) {
        switch (list[i].type) {
        case VAConfigAttribRTFormat: list[i].value = VA_RT_FORMAT_YUV420; break;
        case VAConfigAttribRateControl:
            list[i].value = is("cqp") ? VA_RC_CQP : is("vbr") ? VA_RC_VBR : VA_RC_CBR | VA_RC_VBR | VA_RC_CQP;
            break;
        case VAConfigAttribEncPackedHeaders:
            list[i].value = VA_ENC_PACKED_HEADER_SEQUENCE | VA_ENC_PACKED_HEADER_SLICE | VA_ENC_PACKED_HEADER_MISC
                | VA_ENC_PACKED_HEADER_RAW_DATA;
            break;
        case VAConfigAttribEncMaxRefFrames:
        case VAConfigAttribEncMaxSlices: list[i].value = 1; break;
        default: list[i].value = VA_ATTRIB_NOT_SUPPORTED;
        }
    }
    return VA_STATUS_SUCCESS;
}

static VAStatus make_configuration(
    VADriverContextP c, VAProfile profile, VAEntrypoint e, VAConfigAttrib *list, int count, VAConfigID *id) {
    *id = 1;
    return VA_STATUS_SUCCESS;
}

static VAStatus surface_attributes(VADriverContextP c, VAConfigID id, VASurfaceAttrib *list, unsigned *count) {
    if (list) {
        list[0].type = VASurfaceAttribPixelFormat;
        list[0].flags = VA_SURFACE_ATTRIB_GETTABLE | VA_SURFACE_ATTRIB_SETTABLE;
        list[0].value.type = VAGenericValueTypeInteger;
        list[0].value.value.i = VA_FOURCC_NV12;
    }
    *count = 1;
    return VA_STATUS_SUCCESS;
}

// Memory.

static VAStatus make_surfaces(
    VADriverContextP c, unsigned format, unsigned width, unsigned height, VASurfaceID *ids, unsigned count,
    VASurfaceAttrib *list, unsigned attribute_count) {
    for (unsigned i = 0; i < count; i++) {
        int id = 0;
        while (id < most && surfaces[id].nv12) id++;
        if (id == most) return VA_STATUS_ERROR_ALLOCATION_FAILED;
        struct surface *s = &surfaces[id];
        *s = (struct surface){width, height, (width + 63) / 64 * 64, (height + 15) / 16 * 16, NULL};
        if (!(s->nv12 = calloc(s->rows * 3 / 2, s->stride))) return VA_STATUS_ERROR_ALLOCATION_FAILED;
        ids[i] = id;
    }
    return VA_STATUS_SUCCESS;
}

static VAStatus free_surfaces(VADriverContextP c, VASurfaceID *ids, int count) {
    for (int i = 0; i < count; i++) {
        free(surfaces[ids[i]].nv12);
        surfaces[ids[i]].nv12 = NULL;
    }
    return VA_STATUS_SUCCESS;
}

static VAStatus make_context(
    VADriverContextP c, VAConfigID configuration, int width, int height, int flag, VASurfaceID *ids, int count,
    VAContextID *id) {
    *id = 1;
    return VA_STATUS_SUCCESS;
}

static int free_buffer(void) {
    int id = 0;
    while (id < most && buffers[id].is_used) id++;
    return id;
}

static VAStatus make_buffer(
    VADriverContextP c, VAContextID context, VABufferType type, unsigned size, unsigned count, void *data,
    VABufferID *id) {
    int index = free_buffer();
    size_t room = type == VAEncCodedBufferType ? sizeof(VACodedBufferSegment) + coded_room : (size_t)size * count;
    void *memory = index < most ? calloc(1, room) : NULL;
    if (!memory) return VA_STATUS_ERROR_ALLOCATION_FAILED;
    if (data) memcpy(memory, data, (size_t)size * count);
    buffers[index] = (struct buffer){true, type, memory, -1};
    *id = index;
    return VA_STATUS_SUCCESS;
}

static VAStatus map_buffer(VADriverContextP c, VABufferID id, void **memory) {
    *memory = buffers[id].surface < 0 ? buffers[id].data : surfaces[buffers[id].surface].nv12;
    return VA_STATUS_SUCCESS;
}

static VAStatus drop_buffer(VADriverContextP c, VABufferID id) {
    free(buffers[id].data);
    buffers[id] = (struct buffer){0};
    return VA_STATUS_SUCCESS;
}

static VAStatus image_formats(VADriverContextP c, VAImageFormat *list, int *count) {
    list[0] = (VAImageFormat){.fourcc = VA_FOURCC_NV12, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 12};
    *count = 1;
    return VA_STATUS_SUCCESS;
}

static VAStatus derive_image(VADriverContextP c, VASurfaceID id, VAImage *image) {
    int index = free_buffer();
    if (index == most) return VA_STATUS_ERROR_ALLOCATION_FAILED;
    buffers[index] = (struct buffer){true, VAImageBufferType, NULL, id};
    struct surface *s = &surfaces[id];
    *image = (VAImage){
        .image_id = index, .buf = index, .width = s->width, .height = s->height, .num_planes = 2,
        .pitches = {s->stride, s->stride}, .offsets = {0, s->stride * s->rows}, .data_size = s->stride * s->rows * 3 / 2,
        .format = {.fourcc = VA_FOURCC_NV12, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 12}};
    return VA_STATUS_SUCCESS;
}

static VAStatus drop_image(VADriverContextP c, VAImageID id) { return drop_buffer(c, id); }

// Pictures.

static VAStatus begin(VADriverContextP c, VAContextID context, VASurfaceID id) {
    memset(&picture, 0, sizeof picture);
    picture.surface = &surfaces[id];
    return VA_STATUS_SUCCESS;
}

static void take(struct buffer *buffer) {
    switch (buffer->type) {
    case VAEncSequenceParameterBufferType: memcpy(&sequence, buffer->data, sizeof sequence); break;
    case VAEncSliceParameterBufferType: memcpy(&picture.slice, buffer->data, sizeof picture.slice); break;
    case VAEncPictureParameterBufferType:
        picture.coded = ((VAEncPictureParameterBufferH264 *)buffer->data)->coded_buf;
        break;
    case VAEncMiscParameterBufferType: {
        VAEncMiscParameterBuffer *other = buffer->data;
        if (other->type != VAEncMiscParameterTypeRateControl) break;
        unsigned told = ((VAEncMiscParameterRateControl *)other->data)->bits_per_second;
        if (told != rate) fprintf(stderr, "fake-gpu: rate %u\n", told);
        rate = told;
        break;
    }
    case VAEncPackedHeaderParameterBufferType: {
        VAEncPackedHeaderParameterBuffer *header = buffer->data;
        picture.header_kind = header->type == VAEncPackedHeaderSequence ? header_sequence
            : header->type == VAEncPackedHeaderSlice                   ? header_slice
                                                                       : header_other;
        picture.header_bits[picture.header_kind] = header->bit_length;
        break;
    }
    case VAEncPackedHeaderDataBufferType: {
        size_t count = (picture.header_bits[picture.header_kind] + 7) / 8;
        if (count <= sizeof picture.header[0]) memcpy(picture.header[picture.header_kind], buffer->data, count);
        break;
    }
    default: break;
    }
}

static VAStatus render(VADriverContextP c, VAContextID context, VABufferID *ids, int count) {
    for (int i = 0; i < count; i++) take(&buffers[ids[i]]);
    return VA_STATUS_SUCCESS;
}

static unsigned char bits[coded_room];
static size_t bit_count;

static void put(unsigned value, int count) {
    while (count--) {
        if (bit_count % 8 == 0) bits[bit_count / 8] = 0;
        if (value >> count & 1) bits[bit_count / 8] |= 0x80 >> bit_count % 8;
        bit_count++;
    }
}

// Exp-Golomb (H.264, 9.1).
static void put_ue(unsigned value) {
    int length = 0;
    while ((value + 1) >> (length + 1)) length++;
    put(0, length);
    put(value + 1, length + 1);
}

// A sample of 0 is not allowed in I_PCM of 8 bits in older editions.
static void put_sample(unsigned char sample) { put(sample ? sample : 1, 8); }

static void put_macroblock(const struct surface *s, int column, int row) {
    const unsigned char *luma = s->nv12 + row * 16 * s->stride + column * 16;
    const unsigned char *chroma = s->nv12 + s->rows * s->stride + row * 8 * s->stride + column * 16;
    // mb_type of I_PCM: 25, in P slices after those of P (Tables 7-11 and 7-13), and none skipped before it.
    if (picture.slice.slice_type % 5 == 0) {
        put_ue(0);
        put_ue(30);
    } else {
        put_ue(25);
    }
    while (bit_count % 8) put(0, 1);
    for (int i = 0; i < 256; i++) put_sample(luma[i / 16 * s->stride + i % 16]);
    for (int plane = 0; plane < 2; plane++)
        for (int i = 0; i < 64; i++) put_sample(chroma[i / 8 * s->stride + i % 8 * 2 + plane]);
}

// The slice's header as FFmpeg has written it, without its start code and its emulation prevention bytes.
static void put_slice_header(void) {
    const unsigned char *header = picture.header[header_slice];
    int start = header[2] == 0 ? 4 : 3, count = picture.header_bits[header_slice], zeros = 0;
    bit_count = 0;
    for (int bit = start * 8; bit < count; bit += 8) {
        unsigned char byte = header[bit / 8];
        if (zeros >= 2 && byte == 3) {
            zeros = 0;
            continue;
        }
        zeros = byte ? 0 : zeros + 1;
        int left = count - bit < 8 ? count - bit : 8;
        put(byte >> (8 - left), left);
    }
}

static VAStatus end(VADriverContextP c, VAContextID context) {
    put_slice_header();
    for (int row = 0; row < sequence.picture_height_in_mbs; row++)
        for (int column = 0; column < sequence.picture_width_in_mbs; column++)
            put_macroblock(picture.surface, column, row);
    put(1, 1);
    while (bit_count % 8) put(0, 1);

    VACodedBufferSegment *segment = buffers[picture.coded].data;
    unsigned char *out = (unsigned char *)(segment + 1), *next = out;
    for (int kind = 0; kind < header_kinds; kind++) {
        if (kind == header_slice) continue;
        size_t count = (picture.header_bits[kind] + 7) / 8;
        memcpy(next, picture.header[kind], count);
        next += count;
    }
    memcpy(next, "\0\0\0\1", 4);
    next += 4;
    int zeros = 0;
    for (size_t i = 0; i < bit_count / 8; i++) {
        if (zeros >= 2 && bits[i] <= 3) {
            *next++ = 3;
            zeros = 0;
        }
        zeros = bits[i] ? 0 : zeros + 1;
        *next++ = bits[i];
    }
    *segment = (VACodedBufferSegment){.size = next - out, .buf = out};
    return VA_STATUS_SUCCESS;
}

VAStatus __vaDriverInit_1_17(VADriverContextP c) {
    struct VADriverVTable *table = c->vtable;
    for (size_t i = 0; i < sizeof *table / sizeof(void *); i++) ((void **)table)[i] = unimplemented;
    c->version_major = 1;
    c->version_minor = 17;
    c->max_profiles = c->max_entrypoints = c->max_image_formats = 1;
    c->max_attributes = 16;
    c->max_subpic_formats = c->max_display_attributes = 1;
    c->str_vendor = "fake";
    table->vaTerminate = (void *)done;
    table->vaQueryConfigProfiles = profiles;
    table->vaQueryConfigEntrypoints = entrypoints;
    table->vaGetConfigAttributes = attributes;
    table->vaCreateConfig = make_configuration;
    table->vaDestroyConfig = (void *)done;
    table->vaQuerySurfaceAttributes = surface_attributes;
    table->vaCreateSurfaces2 = make_surfaces;
    table->vaDestroySurfaces = free_surfaces;
    table->vaCreateContext = make_context;
    table->vaDestroyContext = (void *)done;
    table->vaCreateBuffer = make_buffer;
    table->vaMapBuffer = map_buffer;
    table->vaUnmapBuffer = (void *)done;
    table->vaDestroyBuffer = drop_buffer;
    table->vaQueryImageFormats = image_formats;
    table->vaDeriveImage = derive_image;
    table->vaDestroyImage = drop_image;
    table->vaBeginPicture = begin;
    table->vaRenderPicture = render;
    table->vaEndPicture = end;
    table->vaSyncSurface = (void *)done;
    table->vaSyncBuffer = (void *)done;
    return VA_STATUS_SUCCESS;
}
