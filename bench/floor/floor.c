// The floor of scripts/bench: the least that any program of this kind must do, and nothing else. Raw BGRA pictures
// from standard input, libyuv, x264, one write per access unit on TCP; at the other end one read, the decoder, and
// I420 pictures on standard output. No encryption, no sound, no clock, no second viewer, no recovery from anything.
//
//   floor receive PORT
//   floor send HOST PORT WIDTH HEIGHT FPS BITS_PER_SECOND PRESET THREADS
//   floor encode WIDTH HEIGHT FPS BITS_PER_SECOND PRESET THREADS RING COUNT
//
// The last reads RING pictures, encodes them over and over until it has done a second's worth to warm up and COUNT
// more, and prints the processor time and the bytes of these, and each one's time in milliseconds.
//
// An access unit travels as its length (32 bits, big-endian) and its bytes (H.264, Annex B).

#include <arpa/inet.h>
#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavutil/opt.h>
#include <libyuv.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST_UNIT = 16 << 20 };

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "floor: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(1);
}

// Returns 0 at the end of the input before the first byte, 1 when all was read.
static int read_all(int descriptor, uint8_t *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t part = read(descriptor, bytes + done, count - done);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return 0;
        done += (size_t)part;
    }
    return 1;
}

static void write_all(int descriptor, const uint8_t *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t part = write(descriptor, bytes + done, count - done);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) exit(errno == EPIPE || errno == ECONNRESET ? 0 : 1);
        done += (size_t)part;
    }
}

static int number(const char *text, int least, int most) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || end == text || value < least || value > most) fail("'%s' is not from %d to %d", text, least, most);
    return (int)value;
}

static struct sockaddr_in address(const char *host, const char *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)number(port, 1, 65535))};
    if (inet_pton(AF_INET, host, &address.sin_addr) != 1) fail("'%s' is not an IPv4 address", host);
    return address;
}

static void without_delay(int link) {
    int yes = 1;
    setsockopt(link, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

// The settings of the product's encoder: see X264Encoder.swift.
static AVCodecContext *open_encoder(int width, int height, int fps, int bits, const char *preset, int threads) {
    const AVCodec *codec = avcodec_find_encoder_by_name("libx264");
    AVCodecContext *context = codec ? avcodec_alloc_context3(codec) : NULL;
    if (!context) fail("there is no libx264");
    context->width = width;
    context->height = height;
    context->pix_fmt = AV_PIX_FMT_YUV420P;
    context->framerate = (AVRational){fps, 1};
    context->time_base = (AVRational){1, fps};
    context->thread_count = threads;
    context->thread_type = FF_THREAD_SLICE;
    context->max_b_frames = 0;
    context->color_range = AVCOL_RANGE_MPEG;
    context->bit_rate = bits;
    context->rc_max_rate = bits;
    context->rc_buffer_size = bits / 4;
    av_opt_set(context->priv_data, "preset", preset, 0);
    av_opt_set(context->priv_data, "tune", "zerolatency", 0);
    av_opt_set(context->priv_data, "forced-idr", "1", 0);
    av_opt_set(context->priv_data, "x264-params", "scenecut=0:keyint=infinite", 0);
    if (avcodec_open2(context, codec, NULL) < 0) fail("cannot open libx264");
    return context;
}

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double processor_milliseconds(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
}

static AVFrame *new_frame(int width, int height) {
    AVFrame *frame = av_frame_alloc();
    if (!frame) fail("no memory");
    frame->width = width;
    frame->height = height;
    frame->format = AV_PIX_FMT_YUV420P;
    if (av_frame_get_buffer(frame, 0) < 0) fail("no memory");
    return frame;
}

// Leaves the access unit in `packet`.
static void encode(AVCodecContext *encoder, const uint8_t *bgra, AVFrame *frame, AVPacket *packet, int64_t count) {
    if (av_frame_make_writable(frame) < 0) fail("no memory");
    // BGRA in memory is what libyuv calls ARGB.
    ARGBToI420(
        bgra, frame->width * 4, frame->data[0], frame->linesize[0], frame->data[1], frame->linesize[1], frame->data[2],
        frame->linesize[2], frame->width, frame->height);
    frame->pts = count;
    frame->pict_type = count % (2 * encoder->framerate.num) == 0 ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    if (avcodec_send_frame(encoder, frame) < 0 || avcodec_receive_packet(encoder, packet) < 0) fail("no packet");
}

static void encode_pictures(char **argv) {
    int width = number(argv[2], 2, 8192), height = number(argv[3], 2, 4320), fps = number(argv[4], 1, 240);
    AVCodecContext *encoder =
        open_encoder(width, height, fps, number(argv[5], 50000, 200000000), argv[6], number(argv[7], 1, 16));
    int ring = number(argv[8], 1, 240), count = number(argv[9], 1, 1000000);
    size_t picture_bytes = (size_t)width * (size_t)height * 4;
    uint8_t *pictures = malloc(picture_bytes * (size_t)ring);
    double *times = malloc(sizeof(double) * (size_t)count);
    AVFrame *frame = new_frame(width, height);
    AVPacket *packet = av_packet_alloc();
    if (!pictures || !times || !packet) fail("no memory");
    if (!read_all(STDIN_FILENO, pictures, picture_bytes * (size_t)ring)) fail("there are fewer pictures");

    double processor = 0;
    long bytes = 0;
    for (int n = -fps; n < count; n++) {
        if (n == 0) processor = processor_milliseconds();
        double begin = milliseconds();
        encode(encoder, pictures + picture_bytes * (size_t)((n + fps) % ring), frame, packet, n + fps);
        if (n >= 0) {
            times[n] = milliseconds() - begin;
            bytes += packet->size;
        }
        av_packet_unref(packet);
    }
    printf("%.3f %ld\n", processor_milliseconds() - processor, bytes);
    for (int n = 0; n < count; n++) printf("%.3f\n", times[n]);
}

static void send_pictures(char **argv) {
    int width = number(argv[4], 2, 8192), height = number(argv[5], 2, 4320), fps = number(argv[6], 1, 240);
    AVCodecContext *encoder =
        open_encoder(width, height, fps, number(argv[7], 50000, 200000000), argv[8], number(argv[9], 1, 16));

    struct sockaddr_in studio = address(argv[2], argv[3]);
    int link = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(link, (struct sockaddr *)&studio, sizeof studio) != 0) fail("connect: %s", strerror(errno));
    without_delay(link);

    size_t picture_bytes = (size_t)width * (size_t)height * 4;
    uint8_t *bgra = malloc(picture_bytes), *unit = malloc(LARGEST_UNIT);
    AVFrame *frame = new_frame(width, height);
    AVPacket *packet = av_packet_alloc();
    if (!bgra || !unit || !packet) fail("no memory");

    for (int64_t count = 0; read_all(STDIN_FILENO, bgra, picture_bytes); count++) {
        encode(encoder, bgra, frame, packet, count);
        if (packet->size > LARGEST_UNIT - 4) fail("an access unit of %d bytes", packet->size);
        uint32_t length = htonl((uint32_t)packet->size);
        memcpy(unit, &length, 4);
        memcpy(unit + 4, packet->data, (size_t)packet->size);
        write_all(link, unit, (size_t)packet->size + 4);
        av_packet_unref(packet);
    }
}

static void write_plane(uint8_t *to, const uint8_t *from, int stride, int width, int height) {
    for (int row = 0; row < height; row++) memcpy(to + (size_t)row * (size_t)width, from + (ptrdiff_t)row * stride, (size_t)width);
}

static void receive_pictures(char **argv) {
    const AVCodec *codec = avcodec_find_decoder(AV_CODEC_ID_H264);
    AVCodecContext *decoder = codec ? avcodec_alloc_context3(codec) : NULL;
    if (!decoder) fail("there is no H.264 decoder");
    decoder->thread_count = 1;
    decoder->flags |= AV_CODEC_FLAG_LOW_DELAY;
    if (avcodec_open2(decoder, codec, NULL) < 0) fail("cannot open the H.264 decoder");

    struct sockaddr_in here = address("127.0.0.1", argv[2]);
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) != 0 || listen(listener, 1) != 0)
        fail("port %s: %s", argv[2], strerror(errno));
    int link = accept(listener, NULL, NULL);
    if (link < 0) fail("accept: %s", strerror(errno));
    without_delay(link);

    uint8_t *unit = malloc(LARGEST_UNIT + AV_INPUT_BUFFER_PADDING_SIZE), *i420 = NULL;
    AVFrame *frame = av_frame_alloc();
    AVPacket *packet = av_packet_alloc();
    if (!unit || !frame || !packet) fail("no memory");
    uint32_t length;
    while (read_all(link, (uint8_t *)&length, 4)) {
        length = ntohl(length);
        if (length > LARGEST_UNIT || !read_all(link, unit, length)) fail("the stream is broken");
        memset(unit + length, 0, AV_INPUT_BUFFER_PADDING_SIZE);
        packet->data = unit;
        packet->size = (int)length;
        if (avcodec_send_packet(decoder, packet) < 0 || avcodec_receive_frame(decoder, frame) < 0) fail("no picture");
        int width = frame->width, height = frame->height;
        size_t luma = (size_t)width * (size_t)height, chroma = (size_t)(width / 2) * (size_t)(height / 2);
        if (!i420 && !(i420 = malloc(luma + 2 * chroma))) fail("no memory");
        write_plane(i420, frame->data[0], frame->linesize[0], width, height);
        write_plane(i420 + luma, frame->data[1], frame->linesize[1], width / 2, height / 2);
        write_plane(i420 + luma + chroma, frame->data[2], frame->linesize[2], width / 2, height / 2);
        write_all(STDOUT_FILENO, i420, luma + 2 * chroma);
        av_frame_unref(frame);
    }
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN);
    if (argc == 10 && strcmp(argv[1], "send") == 0) {
        send_pictures(argv);
    } else if (argc == 3 && strcmp(argv[1], "receive") == 0) {
        receive_pictures(argv);
    } else if (argc == 10 && strcmp(argv[1], "encode") == 0) {
        encode_pictures(argv);
    } else {
        fail("usage: see the first lines of floor.c");
    }
    return 0;
}
