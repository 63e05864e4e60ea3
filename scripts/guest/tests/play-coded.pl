#!/usr/bin/perl
# play-coded.pl NODE WIDTH HEIGHT RATE FILE: is an H.264 camera: writes the pictures of an Annex B stream into a V4L2
# output (v4l2loopback), one a buffer, at their rate and over and over. Each picture in the file begins with an access
# unit delimiter (x264-params aud=1). ffmpeg has no H.264 for such a node.
use strict;
use warnings;
my ($node, $width, $height, $rate, $file) = @ARGV;

open(my $input, '<:raw', $file) or die "$file: $!\n";
my $stream = do { local $/; <$input> };
my @pictures = grep { length } split /(?=\x00\x00\x00\x01\x09)/, $stream;

open(my $output, '+<:raw', $node) or die "$node: $!\n";
# struct v4l2_format: V4L2_BUF_TYPE_VIDEO_OUTPUT, then struct v4l2_pix_format with V4L2_FIELD_NONE.
my $format = pack 'L x4 L2 a4 L3 x176', 2, $width, $height, 'H264', 1, 0, 1 << 20;
# VIDIOC_S_FMT: _IOWR('V', 5, struct v4l2_format).
ioctl($output, 0xC0D05605, $format) or die "$node: VIDIOC_S_FMT: $!\n";
while (1) {
    for my $picture (@pictures) {
        defined syswrite($output, $picture) or die "$node: $!\n";
        select undef, undef, undef, 1 / $rate;
    }
}
