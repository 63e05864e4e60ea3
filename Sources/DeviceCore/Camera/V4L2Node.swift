internal import CLinuxShims
import CamoTypes
import Confinement
import Glibc

/// The owner of an open `/dev/video*`.
///
/// Unchecked: the descriptor is written in `close` alone, which ``VideoNode`` allows only after every `control`.
final class V4L2Node: VideoNode, @unchecked Sendable {
    let path: String
    private var descriptor: Int32

    /// - Throws: ``DeviceError`` `.notFound`, `.permissionDenied`, `.busy`, `.disconnected`, or `.failed`.
    init(_ path: String) throws(DeviceError) {
        // Non-blocking, so that VIDIOC_DQBUF never holds the thread: poll(2) alone waits.
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        let error = errno
        self.path = path
        guard descriptor >= 0 else { throw Self.openError(path, error) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else {
            Glibc.close(descriptor)
            descriptor = -1
            throw DeviceError(.notACaptureDevice, device: path, "not a device node; cameras are /dev/video0 and so on")
        }
    }

    deinit { close() }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    func control(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
        while ioctl(descriptor, request, argument) != 0 {
            let error = errno
            if error != EINTR { return error }
        }
        return 0
    }

    func map(length: Int, offset: Int) -> UnsafeMutableRawPointer? {
        let address = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(offset))
        return address == MAP_FAILED ? nil : address
    }

    func unmap(_ address: UnsafeMutableRawPointer, length: Int) { munmap(address, length) }

    func wait(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness {
        wait(wake, atMost: limit, for: POLLIN | POLLPRI)
    }

    func waitForEvent(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness {
        wait(wake, atMost: limit, for: POLLPRI)
    }

    private func wait(_ wake: WakeUp, atMost limit: Microseconds, for events: Int32) -> Readiness {
        var entries = [
            pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(events), revents: 0),
        ]
        let count = poll(&entries, 2, PollTime.milliseconds(limit))
        if entries[0].revents != 0 { return .woken }
        // Interrupted or failed: let the caller look, it learns the reason from VIDIOC_DQBUF.
        return count == 0 ? .timedOut : .ready
    }

    private static func openError(_ path: String, _ error: Int32) -> DeviceError {
        switch error {
        case ENOENT, ENOTDIR:
            DeviceError(
                .notFound, device: path, "there is no such camera; 'camo-producer list' shows those that are there")
        case ENODEV, ENXIO:
            DeviceError(.disconnected, device: path, systemError: error, "the node is there, but no device behind it")
        case EACCES:
            DeviceError(.permissionDenied, device: path, NodeAccess.permissionHint(path))
        case EPERM:
            // Not the file's mode: a device cgroup or a security module.
            DeviceError(
                .permissionDenied, device: path,
                "the system forbids it to this process; a container must be given the device")
        case EBUSY:
            DeviceError(.busy, device: path, "in use\(NodeAccess.holderText(path)); close that program first")
        case EISDIR:
            DeviceError(.notACaptureDevice, device: path, "not a device node; cameras are /dev/video0 and so on")
        default:
            DeviceError(.failed, device: path, systemError: error, "could not be opened")
        }
    }
}

/// The nodes of this machine: `/dev/video*` and their folders in sysfs.
package struct SystemVideoNodes: VideoNodes {
    package init() {}

    package func paths() -> [String] {
        SystemText.entries(of: "/dev")
            .compactMap { name in name.hasPrefix("video") ? Int(name.dropFirst(5)) : nil }
            .sorted().map { "/dev/video\($0)" }
    }

    package func open(_ path: String) throws(DeviceError) -> any VideoNode { try V4L2Node(path) }

    package func attribute(_ name: String, of path: String) -> String? {
        let real = SystemText.resolved(path) ?? path
        guard let node = real.split(separator: "/").last else { return nil }
        // Resolved before `..` is taken: `device` is a link to the interface, whose parent is the USB device.
        let parts = name.split(separator: "/").map(String.init)
        var folder = "/sys/class/video4linux/\(node)"
        for part in parts.dropLast() {
            guard let next = SystemText.resolved(folder + "/" + part) else { return nil }
            folder = next
        }
        return parts.last.flatMap { SystemText.content(of: folder + "/" + $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
