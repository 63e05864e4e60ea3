#!/usr/bin/env python3
"""Writes the test vectors from docs/wire-protocol.md, independently of the Swift code.

Only Python's own modules: struct for the packets, json for the messages, hmac and hashlib for pairing.
Run it; the files in this folder must come out unchanged unless the protocol changed. With a folder as its argument it
writes the same bytes there instead, as seeds for the fuzzer.
"""
import base64
import hashlib
import hmac
import json
import os
import struct
import sys
from urllib.parse import quote

CONTROL, VIDEO, AUDIO, METADATA = 0, 1, 2, 3
FIRST, LAST, KEYFRAME, REPEAT, DISCONTINUITY, CUT = 1, 2, 4, 8, 16, 32
PACKET, HEADER, UNIT_HEADER = 16_000, 16, 8


HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = sys.argv[1] if len(sys.argv) > 1 else None


def write(name, about, vectors):
    if SEEDS:
        return
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
        json.dump({"about": about, "vectors": vectors}, file, indent=2, ensure_ascii=False)
        file.write("\n")


def header(kind, flags, stream, length, time):
    return struct.pack(">BBHIq", kind, flags, stream, length, time)


def headers():
    good = [
        ("control, whole message", CONTROL, FIRST | LAST, 0, 96, 1_000_000),
        ("first piece of a keyframe", VIDEO, FIRST | KEYFRAME, 1, 15_984, 123_456_789),
        ("last piece", VIDEO, LAST, 1, 1, 123_456_789),
        ("sound", AUDIO, FIRST | LAST | KEYFRAME, 3, 328, -1),
        ("repeated picture after a jump", VIDEO, FIRST | LAST | REPEAT | DISCONTINUITY, 65_535, 9, 2**63 - 1),
        ("cut", VIDEO, CUT, 1, 0, -(2**63)),
        ("unknown flags are ignored", METADATA, FIRST | LAST | 64 | 128, 5, 20, 0),
        ("an unknown type is skipped by its length", 127, 0, 9, 15_984, 0),
    ]
    bad = [
        ("payload one byte too long", header(VIDEO, 0, 1, 15_985, 0), "packetTooLong"),
        ("payload of 4 GiB", header(VIDEO, 0, 1, 2**32 - 1, 0), "packetTooLong"),
        ("reserved type 128", header(128, 0, 1, 0, 0), "reservedPacketType"),
        ("reserved type 255", header(255, 0, 1, 0, 0), "reservedPacketType"),
        ("fifteen bytes", header(VIDEO, 0, 1, 0, 0)[:15], "headerTooShort"),
    ]
    write("headers.json", "The first 16 bytes of a packet.", [
        {"name": n, "hex": header(k, f, s, l, t).hex(), "type": k, "flags": f, "stream": s, "payloadLength": l,
         "presentationTimeMicroseconds": t}
        for n, k, f, s, l, t in good
    ] + [{"name": n, "hex": b.hex(), "error": e} for n, b, e in bad])


def content(length):
    """Bytes that say where they are: 0, 1, … 250, 0, …"""
    return bytes(i % 251 for i in range(length))


def split(kind, flags, stream, number, time, unit):
    packets, offset = [], 0
    while offset < len(unit) or not packets:
        prefix = struct.pack(">II", len(unit), number) if offset == 0 else b""
        piece = unit[offset:offset + PACKET - HEADER - len(prefix)]
        own = (FIRST | flags if offset == 0 else 0) | (LAST if offset + len(piece) == len(unit) else 0)
        packets.append(header(kind, own, stream, len(prefix) + len(piece), time) + prefix + piece)
        offset += len(piece)
    return packets


def units():
    vectors = []
    for name, kind, flags, stream, number, time, length in [
        ("one byte", VIDEO, KEYFRAME, 1, 0, 0, 1),
        ("exactly one packet", VIDEO, KEYFRAME, 1, 1, 33_333, 15_976),
        ("one byte more than a packet", VIDEO, 0, 1, 2, 66_666, 15_977),
        ("exactly two packets", VIDEO, REPEAT, 1, 3, 66_667, 15_976 + 15_984),
        ("two packets and a byte", VIDEO, KEYFRAME | DISCONTINUITY, 1, 2**32 - 1, 99_999, 15_976 + 15_984 + 1),
        ("a large keyframe", VIDEO, KEYFRAME, 1, 7, 133_333, 50_000),
        ("sound", AUDIO, KEYFRAME, 3, 70_000, 140_000, 160),
        ("metadata", METADATA, 0, 5, 9, 150_000, 40),
    ]:
        packets = split(kind, flags, stream, number, time, content(length))
        vectors.append({
            "name": name, "type": kind, "stream": stream, "number": number, "presentationTimeMicroseconds": time,
            "keyframe": bool(flags & KEYFRAME), "repeat": bool(flags & REPEAT),
            "discontinuity": bool(flags & DISCONTINUITY), "unitLength": length,
            "packets": [{"length": len(p), "startHex": p[:32].hex(), "sha256": hashlib.sha256(p).hexdigest()}
                        for p in packets],
        })
    write("units.json", "How units are split. Byte i of a unit is i mod 251.", vectors)


def streams():
    """Packets of one stream of video, and what a receiver makes of them."""
    def unit(number, flags=0, length=20):
        return b"".join(split(VIDEO, flags, 1, number, number * 1000, content(length)))

    def piece(flags, payload, kind=VIDEO, stream=1):
        return header(kind, flags, stream, len(payload), 0) + payload

    start = struct.pack(">II", 30, 0)
    vectors = [
        ("in order", unit(0, KEYFRAME) + unit(1) + unit(2), [[0, 0], [1, 0], [2, 0]], None),
        ("starts in the middle: nothing before a keyframe", unit(8) + unit(9, KEYFRAME) + unit(10),
         [[9, 0], [10, 0]], None),
        ("a gap: waits for a keyframe", unit(0, KEYFRAME) + unit(2) + unit(3) + unit(4, KEYFRAME),
         [[0, 0], [4, 3]], None),
        ("a gap right before a keyframe", unit(0, KEYFRAME) + unit(3, KEYFRAME), [[0, 0], [3, 2]], None),
        ("the number wraps", unit(2**32 - 1, KEYFRAME) + unit(0) + unit(1), [[2**32 - 1, 0], [0, 0], [1, 0]], None),
        ("cut in the middle", unit(0, KEYFRAME) + split(VIDEO, 0, 1, 1, 1000, content(20_000))[0] + piece(CUT, b"")
         + unit(2) + unit(3, KEYFRAME), [[0, 0], [3, 2]], None),
        ("unknown packet types between pieces are skipped",
         unit(0, KEYFRAME) + header(99, 0, 77, 3, 0) + b"abc" + unit(1), [[0, 0], [1, 0]], None),
        ("a number that goes back", unit(5, KEYFRAME) + unit(4), [[5, 0]], "unitNumberOutOfOrder"),
        ("a number that stays", unit(5, KEYFRAME) + unit(5), [[5, 0]], "unitNumberOutOfOrder"),
        ("a piece that belongs to no unit", piece(LAST, b"x"), [], "pieceOutOfOrder"),
        ("a unit inside a unit", piece(FIRST, start + b"x") + piece(FIRST, start + b"x"), [], "pieceOutOfOrder"),
        ("a first piece without length and number", piece(FIRST | LAST, b"1234567"), [], "unitHeaderTooShort"),
        ("an empty unit", piece(FIRST | LAST, struct.pack(">II", 0, 0)), [], "unitLengthOutOfRange"),
        ("a unit of 16 MiB and a byte", piece(FIRST, struct.pack(">II", 2**24 + 1, 0)), [], "unitLengthOutOfRange"),
        ("longer than announced", piece(FIRST | LAST, start + b"x" * 31), [], "unitLengthMismatch"),
        ("shorter than announced", piece(FIRST | LAST, start + b"x" * 29), [], "unitLengthMismatch"),
        ("complete, but not marked as last", piece(FIRST, start + b"x" * 30), [], "unitLengthMismatch"),
        ("another stream", piece(FIRST | LAST, start + b"x" * 30, stream=3), [], "wrongStream"),
        ("another type", piece(FIRST | LAST, start + b"x" * 30, kind=AUDIO), [], "wrongStream"),
    ]
    write("streams.json",
          "Bytes of stream 1, video, from its beginning: the units delivered as [number, missed before], and the error "
          "that ends it.",
          [{"name": n, "hex": b.hex(), "units": u, **({"error": e} if e else {})} for n, b, u, e in vectors])


SUBSCRIPTION = {"video": True, "audio": False, "metadata": True, "definition": "high",
                "audioCodecs": ["lpcm", "opus"], "samplesPerPacket": 480}
CAPABILITIES = {"definitions": ["economy", "high"], "defaultDefinition": "high",
                "audioCodecs": ["opus", "lpcm"], "encoders": ["h264_v4l2m2m", "libx264"],
                "features": ["selectCamera", "setControl"]}

MESSAGES = [
    {"message": "hello", "versions": [1], "product": "camo-studio 1.0", "role": "studio", "name": "Büro/2 📷",
     "session": "000102030405060708090a0b0c0d0e0f", "subscription": SUBSCRIPTION},
    {"message": "hello", "versions": [2, 3], "product": "camo-studio 9.0", "role": "studio"},
    {"message": "welcome", "version": 1, "product": "camo-producer 1.0", "name": "Lab", "resumed": True,
     "capabilities": CAPABILITIES},
    {"message": "goodbye", "reason": "full"},
    {"message": "goodbye", "reason": "unsupportedVersion", "text": "update", "versions": [1]},
    {"message": "goodbye", "reason": "reasonFromTheFuture"},
    {"message": "subscribe", "request": 1, "subscription": SUBSCRIPTION},
    {"message": "subscribe", "request": 2,
     "subscription": {"video": False, "audio": True, "metadata": False, "audioCodecs": []}},
    {"message": "pause", "request": 3, "paused": True},
    {"message": "mute", "request": 4, "kind": "audio", "muted": True},
    {"message": "setDefinition", "request": 5, "definition": "super"},
    {"message": "setDefinition", "request": 6},
    {"message": "streamConfiguration", "stream": 1, "kind": "video",
     "video": {"codec": "h264", "width": 1280, "height": 720, "framesPerSecond": 29.97, "definition": "high",
               "color": {"matrix": 6, "primaries": 1, "transfer": 13, "fullRange": False}}},
    {"message": "streamConfiguration", "stream": 3, "kind": "audio",
     "audio": {"codec": "opus", "sampleRate": 48000, "channels": 2, "samplesPerPacket": 480}},
    {"message": "streamConfiguration", "stream": 5, "kind": "metadata"},
    {"message": "streamConfiguration", "stream": 65535, "kind": "ended"},
    {"message": "keyframeRequest", "stream": 1},
    {"message": "report", "periodMicroseconds": 1000123, "videoBitsPerSecond": 3000000, "audioBitsPerSecond": 128000,
     "framesReceived": 30, "framesMissed": 1, "framesDecoded": 29, "audioUnitsReceived": 100, "audioUnitsMissed": 2,
     "arrivalDelayMicroseconds": 12345, "arrivalDelayMaximumMicroseconds": 45678, "decodedDelayMicroseconds": 17000},
    {"message": "result", "request": 4294967295, "code": "ok"},
    {"message": "result", "request": 7, "code": "notFound", "text": "there is no camera \"x\""},
    {"message": "ping", "id": 8},
    {"message": "pong", "id": 8, "receivedMicroseconds": 2**53, "sentMicroseconds": -1},
    {"message": "cameras", "cameras": [{"id": "usb-1.2", "name": "Front"}, {"id": "usb-1.3", "name": "Back"}],
     "selected": "usb-1.3"},
    {"message": "selectCamera", "request": 9, "camera": "usb-1.2"},
    {"message": "controls", "camera": "usb-1.2", "controls": [
        {"id": "brightness", "name": "Brightness", "kind": "integer", "minimum": -64, "maximum": 64, "step": 1,
         "default": 0, "value": 7, "menu": [], "inactive": False, "readOnly": False},
        {"id": "power_line_frequency", "name": "Power Line Frequency", "kind": "menu", "minimum": 0, "maximum": 2,
         "step": 1, "default": 1, "value": 2, "inactive": True, "readOnly": True,
         "menu": [{"value": 0, "name": "Off"}, {"value": 2, "name": "60 Hz"}]}]},
    {"message": "setControl", "request": 10, "control": "brightness", "value": -(2**53)},
    {"message": "controlChanged", "control": "brightness", "value": 12, "inactive": True},
    {"message": "cameraParameters", "timeMicroseconds": 123456, "width": 1920, "height": 1080, "focalXPixels": 1450.5,
     "focalYPixels": 1452, "exposureMicroseconds": 20000, "gainDecibels": -1.5, "whiteBalanceKelvin": 5600, "focusDiopters": 0.25, "fieldOfViewDegrees": 78.5},
    {"message": "motion", "samples": [
        {"timeMicroseconds": 1, "acceleration": {"x": 0, "y": 9.81, "z": -0.5},
         "rotationRate": {"x": 0.125, "y": 0, "z": 1}},
        {"timeMicroseconds": 2}]},
    {"message": "movement", "timeMicroseconds": 123456, "regions": [
        {"x": 0.25, "y": 0.5, "width": 0.125, "height": 0.25}, {"x": 0, "y": 0, "width": 1, "height": 1}]},
    {"message": "statistics", "periodMicroseconds": 1000000, "framesCaptured": 30, "framesEncoded": 28,
     "framesDropped": {"encoderBusy": 1, "linkBusy": 1}, "targetBitsPerSecond": 3000000, "encodeMicroseconds": 8000,
     "roundTripMicroseconds": 900, "unsentBytes": 4096, "viewers": 2},
    {"message": "definitionChanged", "definition": "standard", "cause": "link"},
    {"message": "muteChanged", "kind": "video", "muted": False},
    {"message": "talk", "request": 11, "active": True},
    {"message": "recordings", "request": 12},
    {"message": "result", "request": 12, "code": "ok", "recordings": [
        {"id": "0a1b2c3d", "startedMilliseconds": 1700000000123, "durationMicroseconds": 90000000, "width": 1280,
         "height": 720, "byteCount": 33000000, "sound": True}]},
    {"message": "playRecording", "request": 13, "recording": "0a1b2c3d", "positionMicroseconds": 2500000},
    {"message": "controlPlayback", "request": 14, "action": "pause"},
    {"message": "controlPlayback", "request": 15, "action": "resume"},
    {"message": "controlPlayback", "request": 16, "action": "seek", "positionMicroseconds": 42000000},
    {"message": "controlPlayback", "request": 17, "action": "stop"},
    {"message": "playback", "recording": "0a1b2c3d", "state": "playing", "positionMicroseconds": 42000000,
     "durationMicroseconds": 90000000, "timeMicroseconds": 123456},
    {"message": "playback", "recording": "0a1b2c3d", "state": "failed", "positionMicroseconds": 43000000,
     "durationMicroseconds": 90000000, "timeMicroseconds": 123457, "text": "it breaks off"},
    {"message": "talkEnded", "text": "the producer is paused"},
    {"message": "capabilitiesChanged", "capabilities": CAPABILITIES},
    {"message": "pairingProof", "versions": [1], "product": "camo-producer 1.0", "role": "producer", "name": "Lab",
     "pairingID": "0123456789abcdef", "proof": bytes(range(32)).hex()},
    {"message": "pairingAccepted", "version": 1, "product": "camo-studio 1.0", "role": "studio", "name": "Desk",
     "proof": bytes(range(32, 64)).hex()},
    {"message": "pairingStored"},
    {"message": "cableGreeting", "versions": [1], "product": "camo-studio 1.0", "role": "studio", "name": "Desk"},
]


def canonical(message):
    return json.dumps(message, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def messages():
    vectors = [{"message": m["message"], "json": canonical(m).decode()} for m in MESSAGES]
    hello = split(CONTROL, 0, 0, 0, 1_000_000, canonical(MESSAGES[0]))
    vectors[0]["packetHex"] = hello[0].hex()
    write("messages.json",
          "One message of each kind with all its keys, as this project writes it. packetHex: the whole packet, as "
          "message number 0 of its link, made at 1,000,000 microseconds.", vectors)


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def field(data):
    return struct.pack(">H", len(data)) + data


def pairing():
    def key(label):
        return hashlib.sha256(label.encode()).digest()

    vectors = []
    for name, device_name, addresses, extra in [
        ("plain", "Desk", ["192.168.1.7:5701"], ""),
        ("a name that is not ASCII, two addresses", "Büro 2", ["192.168.1.7:5701", "[fe80::1%eth0]:5701"], ""),
        ("a key from a later version is bound too", "Desk", ["studio.local:5701"], "&x=future"),
    ]:
        studio, producer = key("studio of " + name), key("producer of " + name)
        secret, exporter = key("secret of " + name)[:16], key("exporter of " + name)
        code = (f"camo:pair?v=1&k={base64url(studio)}&s={base64url(secret)}&n={quote(device_name, safe='-._~:[],!')}"
                + "".join("&a=" + quote(a, safe="-._~:[],!") for a in addresses) + extra)
        pairing_id = hmac.new(secret, b"camo pairing id", hashlib.sha256).digest()[:8]
        vector = {
            "name": name, "code": code, "studioHex": studio.hex(), "producerHex": producer.hex(),
            "secretHex": secret.hex(), "exporterHex": exporter.hex(), "deviceName": device_name,
            "addresses": addresses, "pairingIDHex": pairing_id.hex(),
            "codeHashHex": hashlib.sha256(code.encode()).hexdigest(),
        }
        for prover in ("producer", "studio"):
            transcript = b"".join(field(f) for f in [
                f"camo pair v1 {prover}".encode(), exporter, studio, producer, pairing_id,
                hashlib.sha256(code.encode()).digest()])
            vector[prover + "TranscriptHex"] = transcript.hex()
            vector[prover + "ProofHex"] = hmac.new(secret, transcript, hashlib.sha256).hexdigest()
        vectors.append(vector)
    write("pairing.json", "Codes, what is in them, and both proofs.", vectors)


def codes():
    k, s = base64url(bytes(range(32))), base64url(bytes(range(16)))
    start = "camo:pair?"

    def code(v="v=1", k="k=" + k, s="s=" + s, n="n=Desk", a="a=10.0.0.2:5701"):
        return start + "&".join(x for x in (v, k, s, n, a) if x)

    good = [
        ("plain", code()), ("no address", code(a=None)), ("no name", code(n=None)), ("an empty name", code(n="n=")),
        ("another order", start + f"a=10.0.0.2:5701&n=Desk&s={s}&k={k}&v=1"),
        ("an unknown key, twice", code() + "&zz=1&zz=2"), ("a plus is a plus", code(n="n=a+b")),
        ("IPv6 with a scope", code(a="a=[fe80::1%25eth0]:5701")), ("a host name", code(a="a=studio.local:65535")),
        ("four addresses", code() + "&a=10.0.0.3:1&a=10.0.0.4:1&a=[::1]:1"),
        ("line feed behind", code() + "\n"), ("CR LF behind", code() + "\r\n"), ("spaces around", "  " + code() + "\t "),
        ("byte order mark in front", "\ufeff" + code()), ("no-break spaces around", "\u00a0" + code() + "\u00a0"),
    ]
    bad = [
        ("nothing", "", "empty"), ("only white space", " \n\ufeff", "empty"),
        ("another scheme", "https://example.com/?v=1", "notACode"), ("capital letters", code().replace("camo", "CAMO"), "notACode"),
        ("one byte too long", code() + "&z=" + "x" * (301 - len(code()) - 3), "tooLong"),
        ("a line feed inside", code().replace("&s=", "&\ns="), "lineBreakInside"),
        ("CR LF inside", code().replace("&s=", "\r\n&s="), "lineBreakInside"),
        ("a line separator inside", code().replace("&s=", "\u2028&s="), "lineBreakInside"),
        ("a space inside", code(n="n=My Desk"), "invalidCharacter"), ("a letter that is not ASCII", code(n="n=Büro"), "invalidCharacter"),
        ("a NUL", code() + "\u0000", "invalidCharacter"),
        ("a field without =", code() + "&x", "malformedField"), ("a field without a key", code() + "&=x", "malformedField"),
        ("& at the end", code() + "&", "malformedField"), ("nothing behind the ?", start, "malformedField"),
        ("version 0", code(v="v=0"), "unsupportedVersion"), ("version 2", code(v="v=2"), "unsupportedVersion"),
        ("version 01", code(v="v=01"), "unsupportedVersion"), ("version of words", code(v="v=one"), "unsupportedVersion"),
        ("no version", code(v=None), "missing v"), ("no key", code(k=None), "missing k"), ("no secret", code(s=None), "missing s"),
        ("version twice", code() + "&v=1", "repeated v"), ("key twice", code() + "&k=" + k, "repeated k"),
        ("secret twice", code() + "&s=" + s, "repeated s"), ("name twice", code() + "&n=x", "repeated n"),
        ("key of 31 bytes", code(k="k=" + base64url(bytes(31))), "invalidKey"),
        ("key of 33 bytes", code(k="k=" + base64url(bytes(33))), "invalidKey"),
        ("key with a letter outside the alphabet", code(k="k=" + k[:-1] + "!"), "invalidKey"),
        ("key with padding", code(k="k=" + k + "="), "invalidKey"),
        ("key with stray bits", code(k="k=" + k[:-1] + chr(ord(k[-1]) + 1)), "keyNotCanonical"),
        ("an empty key", code(k="k="), "invalidKey"),
        ("secret of 15 bytes", code(s="s=" + base64url(bytes(15))), "invalidSecret"),
        ("secret of 17 bytes", code(s="s=" + base64url(bytes(17))), "invalidSecret"),
        ("secret in the other alphabet", code(s="s=" + s[:-2] + "+" + s[-1]), "invalidSecret"),
        ("secret with stray bits", code(s="s=" + s[:-1] + "x"), "secretNotCanonical"),
        ("half an escape", code(n="n=a%2"), "invalidEscape n"), ("an escape that is none", code(n="n=a%zz"), "invalidEscape n"),
        ("a name that is not UTF-8", code(n="n=%ff%fe"), "notUTF8 n"),
        ("an address that is not UTF-8", code(a="a=%ff:1"), "notUTF8 a"),
        ("an address without port", code(a="a=10.0.0.2"), "invalidAddress"), ("port 0", code(a="a=10.0.0.2:0"), "invalidAddress"),
        ("port 65536", code(a="a=10.0.0.2:65536"), "invalidAddress"), ("an empty address", code(a="a="), "invalidAddress"),
        ("IPv6 without brackets", code(a="a=fe80::1:5701"), "invalidAddress"),
        ("an address with a line feed", code(a="a=10.0.0.2%0A:5701"), "invalidAddress"),
        ("five addresses", code() + "&a=a:1&a=b:1&a=c:1&a=d:1", "tooManyAddresses"),
    ]
    write("codes.json", "Texts of pairing codes: what is in them, or what is wrong with them.", [
        {"name": n, "text": t, "valid": True, "keyHex": bytes(range(32)).hex(), "secretHex": bytes(range(16)).hex()}
        for n, t in good] + [{"name": n, "text": t, "valid": False, "error": e} for n, t, e in bad])


def seeds():
    """The first byte says what the rest is: see Sources/wire-fuzz."""
    os.makedirs(SEEDS, exist_ok=True)

    def seed(kind, number, data):
        with open(os.path.join(SEEDS, f"seed-{kind}-{number}"), "wb") as file:
            file.write(bytes([kind]) + data)

    lines = [canonical(m) for m in MESSAGES]
    for number, line in enumerate(lines):
        seed(1, number, line)
    for start in range(0, len(lines), 4):
        seed(3, start, b"\n".join(b"\5" + line for line in lines[start:start + 4]))
    for number, (kind, length) in enumerate([(VIDEO, 40), (VIDEO, 17_000), (AUDIO, 160), (METADATA, 9)]):
        data = b"".join(split(kind, KEYFRAME, kind, 0, 5, content(length)) + split(kind, 0, kind, 1, 6, content(30)))
        # In pieces, each behind its length.
        seed(0, number, b"".join(bytes([len(p)]) + p for p in (data[i:i + 255] for i in range(0, len(data), 255))))
    key, secret = base64url(bytes(range(32))), base64url(bytes(range(16)))
    for number, rest in enumerate(["", "&n=Desk", "&n=B%C3%BCro&a=10.0.0.2:5701&a=[fe80::1%25eth0]:1&x=y"]):
        seed(2, number, f"camo:pair?v=1&k={key}&s={secret}{rest}".encode())


headers()
units()
streams()
messages()
pairing()
codes()
if SEEDS:
    seeds()
