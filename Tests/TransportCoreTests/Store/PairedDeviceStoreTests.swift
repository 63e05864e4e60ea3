import CamoTypes
import Confinement
import Dispatch
import Glibc
import Testing

@testable import TransportCore

/// A device with the number in its id and its name.
func device(_ number: UInt8, _ name: String? = nil, role: DeviceRole = .studio) -> PairedDevice {
    guard let id = DeviceID(bytes: [UInt8](repeating: number, count: 32)) else { fatalError("32 bytes make an id") }
    return PairedDevice(
        id: id, name: name ?? "studio \(number)", role: role, pairedAtMilliseconds: 1_700_000_000_000 + Int64(number))
}

@Suite(.timeLimit(.minutes(1))) struct PairedDeviceStoreTests {
    private let directory = TemporaryDirectory()
    private let file = "state/paired-devices.json"

    private func store() throws -> PairedDeviceStore { try PairedDeviceStore(in: directory.state()) }

    @Test func `what is added is there, here and in the next process`() throws {
        let store = try store()
        #expect(store.devices == [])
        var first = device(1, "Zoë's 📷 studio")
        first.addresses = ["192.168.1.7:5700", "[fe80::1%eth0]:5700"]
        try store.add(first)
        try store.add(device(2, role: .producer))
        #expect(store.devices == [first, device(2, role: .producer)])
        #expect(try self.store().devices == store.devices)
        #expect(directory.mode(file) == 0o600)
        #expect(directory.names() == ["lock", "paired-devices.json", "paired-devices.last-good.json"])
        #expect(directory.reports == [])
    }

    @Test func `a device is found by its key alone`() throws {
        let store = try store()
        try store.add(device(1))
        try store.add(device(2))
        #expect(store.device(for: device(2).id) == device(2))
        #expect(store.device(for: device(3).id) == nil)
    }

    @Test func `pairing again replaces what was known`() throws {
        let store = try store()
        try store.add(device(1, "old"))
        try store.add(device(2))
        try store.add(device(1, "new", role: .producer))
        #expect(store.devices.map(\.name) == ["new", "studio 2"])
        #expect(store.device(for: device(1).id)?.role == .producer)
    }

    @Test func `names and addresses are cleaned before they are stored`() throws {
        let store = try store()
        var dirty = device(1, "a\nb\u{202E}c\u{1B}[31m")
        dirty.addresses = ["nonsense", "h:1", "h:1", "h:2", "h:3", "h:4", "h:5", "x y:6"]
        try store.add(dirty)
        let name = try #require(store.devices.first?.name)
        #expect(!name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        #expect(store.devices.first?.addresses == ["h:1", "h:2", "h:3", "h:4"])
        // Nothing to be seen in it: its id takes the place.
        try store.add(device(2, "\u{200B}"))
        #expect(store.device(for: device(2).id)?.name == device(2).id.short)
    }

    @Test func `where a device was reached is remembered, the last first`() throws {
        let store = try store()
        try store.add(device(1))
        for port in [1, 2, 3, 4, 5, 3, 3] as [UInt16] {
            try store.note(name: device(1).name, address: HostPort(host: "box", port: port), of: device(1).id)
        }
        #expect(store.devices[0].addresses == ["box:3", "box:5", "box:4", "box:2"])
        // So is what it calls itself by now, cleaned.
        try store.note(name: "Attic\u{1B}[31m", address: nil, of: device(1).id)
        #expect(store.devices[0].addresses.first == "box:3")
        #expect(store.devices[0].name == device(1, "Attic\u{1B}[31m").cleaned().name)
        // Not for strangers.
        try store.note(name: "nobody", address: HostPort(host: "box", port: 1), of: device(9).id)
        #expect(store.devices.count == 1)
    }

    // MARK: Removing

    @Test func `a device is removed by its key, its name or the beginning of its ID`() throws {
        let store = try store()
        for number in 1...4 { try store.add(device(UInt8(number))) }
        #expect(try store.remove(device(1).id) == device(1))
        #expect(try store.remove(device(1).id) == nil)
        #expect(try store.remove(matching: "studio 2") == device(2))
        #expect(try store.remove(matching: "0303") == device(3))
        // As a fingerprint is shown.
        #expect(try store.remove(matching: device(4).id.fingerprint) == device(4))
        #expect(store.devices == [])
        #expect(try self.store().devices == [])
    }

    @Test func `what may be several is an error that lists them`() throws {
        let store = try store()
        try store.add(device(0x1A, "desk"))
        try store.add(device(0x1B, "desk"))
        try store.add(device(0x2C, "1a1a"))
        for text in ["desk", "1", "1a1a"] {
            let error = #expect(throws: TransportError.self) { try store.remove(matching: text) }
            #expect(error?.code == .deviceAmbiguous)
            #expect(error?.message.contains(device(0x1A).id.short) == true)
        }
        for text in ["no such", "ff", "", "1a1b"] {
            let error = #expect(throws: TransportError.self) { try store.remove(matching: text) }
            #expect(error?.code == .deviceUnknown, "\(text)")
        }
        #expect(store.devices.count == 3)
        #expect(try store.device(matching: "2c") == device(0x2C, "1a1a"))
    }

    @Test func `a thousand are enough`() throws {
        var devices = (0..<1_000).map { index in
            var bytes = [UInt8](repeating: 0, count: 32)
            (bytes[0], bytes[1]) = (UInt8(index >> 8), UInt8(index & 255))
            var device = device(1)
            device.id = DeviceID(bytes: bytes) ?? device.id
            return device
        }
        let state = try directory.state()
        directory.write(try PairedDeviceDocument(devices: devices).encoded(), to: file)
        let store = try PairedDeviceStore(in: state)
        #expect(store.devices.count == 1_000)
        let error = #expect(throws: TransportError.self) { try store.add(device(255)) }
        #expect(error?.code == .tooManyDevices)
        devices[0].name = "again"
        try store.add(devices[0])
    }

    // MARK: Other processes

    @Test func `two processes that add fifty each leave a hundred, and no half file is ever seen`() async throws {
        let path = directory.path + "/state"
        let isDone = Locked(false)
        _ = try directory.state()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await withTaskGroup(of: Void.self) { writers in
                    for half in 0..<2 {
                        writers.addTask {
                            await #expect(processExitsWith: .success) { [path = path as String, half = half as Int] in
                                let state = try StateDirectory(chosen: path, program: "camo-test", report: { _ in })
                                let store = try PairedDeviceStore(in: state)
                                for number in 0..<50 { try store.add(device(UInt8(half * 100 + number))) }
                                exit(EXIT_SUCCESS)
                            }
                        }
                    }
                }
                isDone.withLock { $0 = true }
            }
            group.addTask {
                while !isDone.withLock({ $0 }) {
                    if let bytes = directory.bytes(file) {
                        #expect(throws: Never.self) { try PairedDeviceDocument(decoding: bytes) }
                    }
                    await Task.yield()
                }
            }
        }
        #expect(try store().devices.count == 100)
        #expect(directory.names().filter { $0.hasSuffix(".new") || $0.contains("damaged") } == [])
    }

    @Test func `a process that is killed while it saves costs nothing that was saved`() async throws {
        let path = directory.path + "/state"
        for round in 0..<5 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
                let state = try StateDirectory(chosen: path, program: "camo-test", report: { _ in })
                let store = try PairedDeviceStore(in: state)
                try store.add(device(0, "at \(round)"))
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(3 + 7 * round)) {
                    kill(getpid(), SIGKILL)
                }
                while true { for number in 0..<200 { try store.add(device(UInt8(number), "at \(round)")) } }
            }
            let after = try store().devices
            #expect(after.first?.name == "at \(round)")
        }
        #expect(directory.reports == [])
        try store().add(device(250))
        #expect(directory.names().filter { $0.hasSuffix(".new") } == [])
    }

    @Test func `what another process adds and removes is told within a second`() async throws {
        let store = try store()
        try store.add(device(1))
        try store.add(device(2))
        let (changes, change) = AsyncStream.makeStream(of: PairedDeviceStore.Change.self)
        let observation = store.observe(on: DispatchQueue(label: "test.observer")) { change.yield($0) }
        let path = directory.path + "/state"
        await #expect(processExitsWith: .success) { [path = path as String] in
            let state = try StateDirectory(chosen: path, program: "camo-test", report: { _ in })
            let store = try PairedDeviceStore(in: state)
            try store.remove(matching: "studio 1")
            try store.add(device(3))
            exit(EXIT_SUCCESS)
        }
        let exited = SystemClock().now
        // One look may have seen both changes.
        var seen = PairedDeviceStore.Change()
        for await change in changes {
            seen.added += change.added
            seen.removed += change.removed
            if !seen.added.isEmpty { break }
        }
        #expect(SystemClock().now - exited < .seconds(1))
        #expect(seen.removed == [device(1)] && seen.added == [device(3)])
        #expect(store.devices == [device(2), device(3)])
        observation.cancel()
    }

    @Test func `own changes are told too, each once, until the observation ends`() async throws {
        let store = try store()
        let seen = Locked<[PairedDeviceStore.Change]>([])
        let queue = DispatchQueue(label: "test.observer")
        var observation: PairedDeviceObservation? = store.observe(on: queue) { change in
            seen.withLock { $0.append(change) }
        }
        _ = observation
        try store.add(device(1))
        try store.add(device(1))
        try store.add(device(1, "renamed"))
        try store.remove(device(1).id)
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(
            seen.withLock { $0 } == [
                .init(added: [device(1)]), .init(changed: [device(1, "renamed")]),
                .init(removed: [device(1, "renamed")]),
            ])
        observation = nil
        try store.add(device(2))
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(seen.withLock { $0.count } == 3)
    }

    @Test func `a store that is gone stops watching`() async throws {
        var store: PairedDeviceStore? = try store()
        weak let forgotten = store
        try store?.add(device(1))
        store = nil
        // A look at what was just written may be under way.
        while forgotten != nil, !Task.isCancelled { await Task.yield() }
        #expect(forgotten == nil)
    }

    // MARK: When it can't be written

    @Test func `a full disk leaves the old file as it is, says so and leaves no trace`() async throws {
        try store().add(device(1))
        let before = directory.bytes(file)
        let path = directory.path + "/state"
        // The limit is the process's, and by default its signal kills.
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_DFL)
            let state = try StateDirectory(chosen: path, program: "camo-test", report: { _ in })
            let store = try PairedDeviceStore(in: state)
            var limit = rlimit(rlim_cur: 250, rlim_max: 250)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            do throws(TransportError) {
                try store.add(device(2, "a name that makes the file longer than it may be"))
                exit(3)
            } catch {
                guard error.code == .diskFull, error.message.contains("paired-devices.json") else { exit(4) }
            }
            // What could not be stored isn't paired.
            guard store.devices == [device(1)] else { exit(5) }
            exit(EXIT_SUCCESS)
        }
        #expect(directory.bytes(file) == before)
        #expect(directory.names() == ["lock", "paired-devices.json", "paired-devices.last-good.json"])
    }

    @Test func `a directory that became read-only is an error, and reading goes on`() async throws {
        try store().add(device(1))
        let path = directory.path + "/state"
        await #expect(processExitsWith: .success) { [path = path as String] in
            OrdinaryUser.own(
                ["", "/lock", "/paired-devices.json", "/paired-devices.last-good.json"].map { path + $0 })
            chmod(path + "/..", 0o755)
            OrdinaryUser.become()
            chmod(path, 0o500)
            let state = try StateDirectory(chosen: path, program: "camo-test", report: { _ in })
            let store = try PairedDeviceStore(in: state)
            guard store.devices == [device(1)] else { OrdinaryUser.end(4) }
            do throws(TransportError) {
                try store.remove(device(1).id)
                OrdinaryUser.end(5)
            } catch {
                guard error.code == .noPermission else { OrdinaryUser.end(6) }
            }
            guard store.devices == [device(1)] else { OrdinaryUser.end(7) }
            OrdinaryUser.end()
        }
        chmod(path, 0o700)
    }
}
