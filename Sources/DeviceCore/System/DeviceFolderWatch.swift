import CamoTypes
import Confinement
import Glibc

/// Watches `/dev` for cameras and sound cards: the kernel makes their nodes there, and udev gives them group and mode
/// some time later, which is told too. Where it is asked for, cameras that go are told as well. Costs nothing while
/// nothing happens (inotify(7)).
///
/// Unchecked: the descriptor never changes; ``DeviceNews`` allows one thread at a time, which alone uses `soundWatch`.
package final class DeviceFolderWatch: DeviceNews, @unchecked Sendable {
    package let tellsArrivals = true
    private let descriptor: Int32
    private let folder: String
    /// Of the folder of sound nodes, which the kernel makes with the first card; nil while there is none.
    private var soundWatch: Int32?

    private static let arrivals = UInt32(IN_CREATE | IN_ATTRIB | IN_MOVED_TO)
    private static let departures = UInt32(IN_DELETE | IN_MOVED_FROM)

    /// Nil when the system has no watch left to give.
    ///
    /// - Parameter tellsDepartures: Cameras that go are told too.
    package convenience init?(tellsDepartures: Bool = false) {
        self.init(folder: "/dev", tellsDepartures: tellsDepartures)
    }

    init?(folder: String, tellsDepartures: Bool = false) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        self.folder = folder
        guard descriptor >= 0 else { return nil }
        let events = tellsDepartures ? Self.arrivals | Self.departures : Self.arrivals
        guard inotify_add_watch(descriptor, folder, events) >= 0 else {
            close(descriptor)
            return nil
        }
        watchSound()
    }

    deinit { close(descriptor) }

    private func watchSound() {
        let watch = inotify_add_watch(descriptor, folder + "/snd", Self.arrivals)
        soundWatch = watch >= 0 ? watch : nil
    }

    package func wait(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness {
        let clock = SystemClock()
        let end = clock.now + limit
        while true {
            let left = max(.zero, end - clock.now)
            var entries = [
                pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&entries, 2, PollTime.milliseconds(left))
            if entries[0].revents != 0 { return .woken }
            if entries[1].revents != 0, takeEvents() { return .ready }
            if left == .zero { return .timedOut }
        }
    }

    /// Takes all that has happened; whether any of it was a camera or a sound card.
    private func takeEvents() -> Bool {
        var isNews = false
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                isNews = take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) || isNews
            }
        }
        return isNews
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let header = MemoryLayout<inotify_event>.size
        var (isNews, offset) = (false, 0)
        while offset + header <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = min(bytes.count, offset + header + Int(event.len))
            let name = String(decoding: bytes[(offset + header)..<end].prefix { $0 != 0 }, as: UTF8.self)
            isNews = isDevice(event, name) || isNews
            offset = end
        }
        return isNews
    }

    private func isDevice(_ event: inotify_event, _ name: String) -> Bool {
        // Some were lost: any may be among them.
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
        if event.wd == soundWatch {
            // The folder has gone with the last card.
            if event.mask & UInt32(IN_IGNORED) != 0 {
                soundWatch = nil
                return false
            }
            return name.hasPrefix("pcm") || name.hasPrefix("control")
        }
        if name == "snd", event.mask & Self.departures == 0 {
            watchSound()
            return true
        }
        return name.hasPrefix("video")
    }
}
