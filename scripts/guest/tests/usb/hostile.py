#!/usr/bin/env python3
"""hostile.py host|device KIND COUNT…: what sits at one end of the cable and wishes the program at the other nothing good.

It speaks the link by docs/wire-protocol.md ("Over a USB cable"), sharing no code with the programs. The host goes through
usbfs (linux/usbdevice_fs.h), the device through the FunctionFS at /dev/usb-ffs/camo, which somebody plugs in once it has
said `ready`. It says how much it sent of each kind, and `all` at its end.

  garbage    COUNT transfers of any length and content
  promises   COUNT transfers that begin a chunk, and say that more of it follows than does
  empties    COUNT transfers of nothing
  openings   COUNT links that are over as soon as they are open
  silence    COUNT seconds of a link on which nothing is said
  noise      COUNT links with 64 KiB of anything instead of TLS
  records    COUNT links with 128 KiB of the longest records of TLS: a first message that never ends
"""

import ctypes
import fcntl
import glob
import os
import queue
import random
import struct
import sys
import threading
import time

TRANSFER = 16 << 10
RESET, READY, START, CLOSE = 1, 2, 3, 5


def padded(payload, header, packet_size):
    """One chunk."""
    chunk = struct.pack(">H", header) + payload
    is_whole = len(chunk) % packet_size == 0 and len(chunk) < TRANSFER
    return chunk + b"\0" if is_whole else chunk


class Host:
    CLAIM, BULK, CLEAR_HALT = 0x8004550F, 0xC0185502, 0x80045515

    def __init__(self):
        while not (found := self.find()):
            time.sleep(0.05)
        device, self.endpoint, self.packet_size = found
        number = [int(open(f"{device}/{name}").read()) for name in ("busnum", "devnum")]
        self.file = os.open("/dev/bus/usb/%03d/%03d" % tuple(number), os.O_RDWR)
        fcntl.ioctl(self.file, self.CLAIM, struct.pack("I", 0))
        self.nonce = random.getrandbits(63)

    def find(self):
        for path in glob.glob("/sys/bus/usb/devices/*:1.0"):
            value = lambda name: int(open(f"{path}/{name}").read(), 16)
            if (value("bInterfaceClass"), value("bInterfaceSubClass")) != (0xFF, 0x43):
                continue
            for endpoint in glob.glob(f"{path}/ep_0*"):
                size = int(open(f"{endpoint}/wMaxPacketSize").read(), 16)
                return path.rsplit(":", 1)[0], int(endpoint[-2:], 16), size
        return None

    def write(self, data):
        buffer = ctypes.create_string_buffer(data, max(1, len(data)))
        call = struct.pack("IIIxxxxQ", self.endpoint, len(data), 5000, ctypes.addressof(buffer))
        try:
            fcntl.ioctl(self.file, self.BULK, call)
        except BrokenPipeError:
            fcntl.ioctl(self.file, self.CLEAR_HALT, struct.pack("I", self.endpoint))

    def opening(self):
        """What begins a link. Whether there is an answer makes no difference."""
        self.nonce += 1
        return RESET, START


class Device:
    packet_size = 512

    def __init__(self):
        folder = "/dev/usb-ffs/camo"
        interface = bytes([9, 4, 0, 0, 2, 0xFF, 0x43, 1, 1])
        ends = lambda size: b"".join(struct.pack("<BBBBHB", 7, 5, end, 2, size, 0) for end in (0x81, 0x02))
        body = interface + ends(64) + interface + ends(512)
        self.ep0 = os.open(f"{folder}/ep0", os.O_RDWR)
        os.write(self.ep0, struct.pack("<5I", 3, 20 + len(body), 3, 3, 3) + body)
        name = b"camo link 1\0"
        os.write(self.ep0, struct.pack("<4IH", 2, 18 + len(name), 1, 1, 0x0409) + name)
        self.to_host = os.open(f"{folder}/ep1", os.O_RDWR)
        self.from_host = os.open(f"{folder}/ep2", os.O_RDWR)
        self.resets = queue.Queue()
        self.nonce = None
        threading.Thread(target=self.listen, daemon=True).start()
        print("ready", flush=True)

    def listen(self):
        while True:
            try:
                chunk = os.read(self.from_host, TRANSFER)
            except OSError:
                # The host resets the device.
                time.sleep(0.01)
                continue
            if len(chunk) >= 22 and chunk[2:11] == b"camo usb" + bytes([RESET]):
                self.resets.put(struct.unpack(">Q", chunk[14:22])[0])

    def write(self, data):
        try:
            os.write(self.to_host, data)
        except OSError:
            time.sleep(0.01)

    def opening(self):
        while (nonce := self.resets.get()) == self.nonce:
            pass
        self.nonce = nonce
        return [READY]


class Hostile:
    def __init__(self, end):
        self.end = end
        self.count = self.byte_count = 0
        self.stock = random.randbytes(1 << 20)

    def anything(self, count):
        start = random.randrange(len(self.stock) - count)
        return self.stock[start : start + count]

    def write(self, data):
        self.end.write(data)
        self.count += 1
        self.byte_count += len(data)

    def tell(self, kind):
        message = b"camo usb" + bytes([kind, 1, 0, 0]) + struct.pack(">Q", self.end.nonce)
        self.write(padded(message, len(message) | 0x8000, self.end.packet_size))

    def open_link(self):
        for kind in self.end.opening():
            self.tell(kind)

    def say(self, data):
        for start in range(0, len(data), TRANSFER - 2):
            part = data[start : start + TRANSFER - 2]
            self.write(padded(part, len(part), self.end.packet_size))

    def garbage(self, count):
        for _ in range(count):
            self.write(self.anything(random.randint(1, TRANSFER)))

    def promises(self, count):
        for _ in range(count):
            length = random.choice([2, 3, 100, 511, 513, 8000, TRANSFER - 1, TRANSFER])
            self.write((struct.pack(">H", random.choice([0x3FFE, 0x3FFF, 0x7FFF, 0xFFFF])) + self.stock)[:length])

    def empties(self, count):
        for _ in range(count):
            self.write(b"")

    def openings(self, count):
        for _ in range(count):
            self.open_link()
            self.tell(CLOSE)

    def silence(self, count):
        self.open_link()
        time.sleep(count)

    def noise(self, count):
        for _ in range(count):
            self.open_link()
            self.say(self.anything(64 << 10))

    def records(self, count):
        for index in range(count):
            # Of a server or of a client: to its message 16 MiB are missing.
            message = bytes([1 + index % 2, 0xFF, 0xFF, 0xFF])
            records = b""
            while len(records) < 128 << 10:
                record = (message + self.stock)[: 1 << 14]
                records += b"\x16\x03\x03\x40\x00" + record
                message = b""
            self.open_link()
            self.say(records)


def main():
    side, *words = sys.argv[1:]
    hostile = Hostile(Host() if side == "host" else Device())
    for kind, count in zip(words[::2], words[1::2]):
        hostile.count = hostile.byte_count = 0
        getattr(hostile, kind)(int(count))
        print(f"{kind} sent {hostile.byte_count} bytes in {hostile.count} transfers", flush=True)
    print("all", flush=True)


main()
