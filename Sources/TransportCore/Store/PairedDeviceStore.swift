package import CamoTypes
internal import Confinement
package import Dispatch

/// The devices that this installation has paired with, on disk; all processes of the user see the same.
///
/// Any thread. Asking is quick and never touches the disk, so it may be done in a verify callback; changing writes to
/// the disk before it returns.
package final class PairedDeviceStore: Sendable {
    /// What became different, by this process or another. A device whose name, role or addresses changed is in
    /// `changed` as it is now.
    package struct Change: Sendable, Equatable {
        package var added: [PairedDevice] = []
        package var removed: [PairedDevice] = []
        package var changed: [PairedDevice] = []
    }

    private struct Observer: Sendable {
        var queue: DispatchQueue
        var body: @Sendable (Change) -> Void
    }

    private struct Known: Sendable {
        var devices: [PairedDevice]
        var observers: [UInt64: Observer] = [:]
        var nextObserver: UInt64 = 0
    }

    /// Held while the disk is read or written, and until the result is in `known`: so results come in order.
    private let file: Locked<PairedDeviceFile>
    private let known: Locked<Known>
    private let report: @Sendable (String) -> Void
    private let watch: Locked<FileWatch?> = Locked(nil)

    /// Loads the devices. Damage isn't an error: it is reported, and the last good copy is used.
    package init(in directory: StateDirectory) throws(TransportError) {
        let file = PairedDeviceFile(in: directory)
        self.file = Locked(file)
        report = directory.report
        known = Locked(Known(devices: try file.load()))
        let queue = DispatchQueue(label: "camo.paired-devices", qos: .utility)
        let watch = FileWatch(path: directory.path + "/" + PairedDeviceFile.name, queue: queue) { [weak self] in
            self?.reload()
        }
        self.watch.withLock { $0 = watch }
        // What happened between the first look and the watch.
        reload()
    }

    /// Longest paired first.
    package var devices: [PairedDevice] { known.withLock { $0.devices } }

    /// The device with this key, if it is paired. Compares with all of them, in constant time.
    package func device(for id: DeviceID) -> PairedDevice? {
        var found: PairedDevice?
        for device in devices where device.id.matches(id) { found = device }
        return found
    }

    /// Adds a device, or takes the place of the one with the same key. Its name and addresses are cleaned.
    package func add(_ device: PairedDevice) throws(TransportError) {
        let device = device.cleaned()
        try update { devices throws(TransportError) in
            if let index = devices.firstIndex(where: { $0.id == device.id }) {
                devices[index] = device
            } else {
                guard devices.count < PairedDeviceDocument.maximumDeviceCount else {
                    throw TransportError(
                        .tooManyDevices, "\(devices.count) devices are paired already. Remove some (devices remove ID)")
                }
                devices.append(device)
            }
        }
    }

    /// Removes the device with this key. Nil if it wasn't paired.
    @discardableResult
    package func remove(_ id: DeviceID) throws(TransportError) -> PairedDevice? {
        var removed: PairedDevice?
        try update { devices throws(TransportError) in
            removed = devices.first { $0.id == id }
            devices.removeAll { $0.id == id }
        }
        return removed
    }

    /// Removes the one device that `text` names: its name, or the beginning of its ID.
    @discardableResult
    package func remove(matching text: String) throws(TransportError) -> PairedDevice {
        var removed: PairedDevice?
        try update { devices throws(TransportError) in
            let device = try devices.one(matching: text)
            devices.removeAll { $0.id == device.id }
            removed = device
        }
        guard let removed else { throw TransportError(.deviceUnknown, "no paired device is called \"\(text)\"") }
        return removed
    }

    /// The one device that `text` names: its name, or the beginning of its ID.
    package func device(matching text: String) throws(TransportError) -> PairedDevice {
        try devices.one(matching: text)
    }

    /// Remembers what a device calls itself now and where it was reached, for the next time. Only for one that has
    /// proven its key.
    ///
    /// - Parameter address: nil where it dialled.
    package func note(name: String, address: HostPort?, of id: DeviceID) throws(TransportError) {
        func noted(_ device: PairedDevice) -> PairedDevice {
            var device = device
            device.name = name
            // Those that are too many fall off at the end.
            if let text = address?.description { device.addresses = [text] + device.addresses.filter { $0 != text } }
            return device.cleaned()
        }
        guard let known = device(for: id), noted(known) != known else { return }
        try update { devices throws(TransportError) in
            guard let index = devices.firstIndex(where: { $0.id == id }) else { return }
            devices[index] = noted(devices[index])
        }
    }

    // MARK: Changes

    /// Tells `body`, on `queue`, of each change from now on, whoever makes it; those of other processes within a second.
    /// Until the observation is cancelled or gone; a call that is on its way by then still comes.
    package func observe(
        on queue: DispatchQueue, _ body: @escaping @Sendable (Change) -> Void
    ) -> PairedDeviceObservation {
        let number = known.withLock { known in
            known.nextObserver += 1
            known.observers[known.nextObserver] = Observer(queue: queue, body: body)
            return known.nextObserver
        }
        return PairedDeviceObservation { [weak self] in
            self?.known.withLock { _ = $0.observers.removeValue(forKey: number) }
        }
    }

    private func update(
        _ change: (inout [PairedDevice]) throws(TransportError) -> Void
    ) throws(TransportError) {
        try file.withLock { file throws(TransportError) in accept(try file.update(change)) }
    }

    /// Looks at the file again: somebody has changed it.
    private func reload() {
        file.withLock { file in
            do throws(TransportError) {
                accept(try file.load())
                file.refreshCopy()
            } catch {
                report("can't read the paired devices again: \(error)")
            }
        }
    }

    private func accept(_ devices: [PairedDevice]) {
        known.withLock { known in
            guard known.devices != devices else { return }
            let change = Change(from: known.devices, to: devices)
            known.devices = devices
            for observer in known.observers.values { observer.queue.async { observer.body(change) } }
        }
    }
}

/// Somebody's interest in changes of the paired devices; ends when it is cancelled or gone.
package final class PairedDeviceObservation: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }

    package func cancel() { end() }
}

extension PairedDeviceStore.Change {
    init(from old: [PairedDevice], to new: [PairedDevice]) {
        let before = Dictionary(old.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        let after = Set(new.map(\.id))
        added = new.filter { before[$0.id] == nil }
        removed = old.filter { !after.contains($0.id) }
        changed = new.filter { device in before[device.id].map { $0 != device } ?? false }
    }
}

extension [PairedDevice] {
    /// The one device that `text` names: its name, or the beginning of its ID or fingerprint.
    fileprivate func one(matching text: String) throws(TransportError) -> PairedDevice {
        let shown = DeviceName(text, fallback: "?").text
        let digits = text.filter { !$0.isWhitespace }.lowercased()
        let found = filter { device in
            device.name == shown || (!digits.isEmpty && device.id.hexadecimal.hasPrefix(digits))
        }
        switch found.count {
        case 1: return found[0]
        case 0:
            throw TransportError(
                .deviceUnknown, "no paired device has the name \"\(shown)\" or an ID that begins so. List them: devices"
            )
        default:
            let list = found.map { "\($0.id.short) \($0.name)" }.joined(separator: ", ")
            throw TransportError(
                .deviceAmbiguous, "\"\(shown)\" may be any of \(list). Write more of the ID")
        }
    }
}
