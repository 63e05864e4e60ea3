internal import CamoTypes
internal import Glibc

/// The file of paired devices with its last good copy. Not for two threads at once; other processes may use the same
/// files.
///
/// The copy never knows a device that the file doesn't, so that damage can't bring back what was removed.
struct PairedDeviceFile: Sendable {
    private let directory: StateDirectory
    private let file: StateFile
    private let copy: StateFile

    static let name = "paired-devices.json"
    static let copyName = "paired-devices.last-good.json"

    init(in directory: StateDirectory) {
        self.directory = directory
        file = directory.file(Self.name)
        copy = directory.file(Self.copyName)
    }

    /// The paired devices. Without a file there are none: removing it is a way to forget them all.
    func load() throws(TransportError) -> [PairedDevice] {
        guard let bytes = try file.read(atMost: PairedDeviceDocument.maximumByteCount) else { return [] }
        // Without the lock: a replaced file is always whole, and a holder who is stuck must not hide a removal.
        guard let document = try? PairedDeviceDocument(decoding: bytes) else { return try repair() }
        return document.devices
    }

    /// Changes the devices as they are now, whoever wrote them, and returns them as they are then.
    func update(_ change: (inout [PairedDevice]) throws(TransportError) -> Void) throws(TransportError)
        -> [PairedDevice]
    {
        let lock = try directory.lock()
        defer { _ = lock }
        let isNew = try file.read(atMost: 0) == nil
        let before = isNew ? [] : try loadLocked()
        var devices = before
        try change(&devices)
        guard devices != before else { return before }
        let bytes = try PairedDeviceDocument(devices: devices).encoded()
        // A copy from before the file was removed must not outlive it.
        if isNew { unlink(copy.path) }
        let kept = Set(devices.map(\.id))
        if before.allSatisfy({ kept.contains($0.id) }) {
            try file.replace(with: bytes)
            try copy.replace(with: bytes)
        } else {
            // A removal: first from the copy, so that it is never undone by one.
            try copy.replace(with: bytes)
            try file.replace(with: bytes)
        }
        return devices
    }

    /// Makes the copy what the file is, if it isn't: after a change by hand, or a crash between the two.
    ///
    /// May wait for the lock, so it comes after the devices are known. Without the lock, or room, the file goes on
    /// being good.
    func refreshCopy() {
        guard let bytes = try? file.read(atMost: PairedDeviceDocument.maximumByteCount),
            (try? copy.read(atMost: PairedDeviceDocument.maximumByteCount)) != bytes,
            let lock = try? directory.lock()
        else { return }
        defer { _ = lock }
        guard let bytes = try? file.read(atMost: PairedDeviceDocument.maximumByteCount),
            (try? PairedDeviceDocument(decoding: bytes)) != nil
        else { return }
        try? copy.replace(with: bytes)
    }

    // MARK: With the lock held

    private func loadLocked() throws(TransportError) -> [PairedDevice] {
        guard let bytes = try file.read(atMost: PairedDeviceDocument.maximumByteCount) else { return [] }
        do throws(PairedDeviceDocument.Damage) {
            return try PairedDeviceDocument(decoding: bytes).devices
        } catch {
            return try restore(because: error.reason)
        }
    }

    private func repair() throws(TransportError) -> [PairedDevice] {
        let lock = try directory.lock()
        defer { _ = lock }
        return try loadLocked()
    }

    /// Sets the damaged file aside and puts the last good copy, or nothing, in its place. If the disk is full or may
    /// not be written, everything stays where it is.
    private func restore(because reason: String) throws(TransportError) -> [PairedDevice] {
        let good = try? copy.read(atMost: PairedDeviceDocument.maximumByteCount)
            .flatMap { try? PairedDeviceDocument(decoding: $0) }
        let devices = good?.devices ?? []
        let outcome =
            good == nil
            ? "there is no good copy of it: no device is paired"
            : "the last good copy is used (\(devices.count) paired)"
        do throws(TransportError) {
            let aside = try setAside()
            do throws(TransportError) {
                try file.replace(with: try PairedDeviceDocument(devices: devices).encoded())
            } catch {
                unlink(aside)
                throw error
            }
            directory.report("\(file.path) is damaged: \(reason). It is kept as \(aside); \(outcome)")
        } catch {
            directory.report("\(file.path) is damaged: \(reason). It can't be set aside (\(error)); \(outcome)")
        }
        return devices
    }

    /// Gives the file a second name, so that it is never without one, and returns it.
    private func setAside() throws(TransportError) -> String {
        for number in 1...999 {
            let path = "\(file.path).damaged-\(number)"
            if link(file.path, path) == 0 { return path }
            guard errno == EEXIST else { throw TransportError(errno: errno, "can't make \(path)") }
        }
        throw TransportError(.system, "there are 999 damaged files already. Remove \(file.path).damaged-*")
    }
}
