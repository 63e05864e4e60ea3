import CamoTypes
import Confinement
import Foundation
import MediaCore
import Testing
import TransportCore

@testable import StudioKit

/// `camo-studio` itself, against a producer's endpoint in this process: with nothing on a terminal, as scripts run it.
@Suite(.serialized) struct ProgramTests {
    private let folder: TemporaryFolder
    private let producer: FakeProducer
    private let state: String

    init() throws {
        folder = try TemporaryFolder()
        producer = try FakeProducer()
        state = folder.file("state")
    }

    private func run(_ arguments: String..., output: FileHandle? = nil) throws -> StudioProgram {
        try StudioProgram(arguments + ["--state-dir", state], output: output)
    }

    /// Both know one another, without a code.
    private func pair() throws {
        let directory = try StateDirectory(chosen: state, program: "camo-studio", report: { _ in })
        let identity = try Identity.loadOrCreate(in: directory)
        try PairedDeviceStore(in: directory).add(
            PairedDevice(
                id: producer.identity.id, name: "Porch", role: .producer, pairedAtMilliseconds: 1_700_000_000_000))
        try producer.store.add(
            PairedDevice(id: identity.id, name: "Desk", role: .studio, pairedAtMilliseconds: 0))
    }

    private let frameBytes = RawPictureFormat.i420.byteCount(FakeProducer.size)

    // MARK: Devices

    @Test(arguments: [
        ("--v4l2", "/dev/video77", "sudo modprobe v4l2loopback exclusive_caps=1 card_label=Camo video_nr=77"),
        ("--v4l2", "/dev/null", "not a V4L2 device"),
        ("--alsa", "hw:CARD=NoSuchCard", "no sound device"),
    ])
    func `a device that cannot be had ends the command before anything is connected`(
        option: String, device: String, text: String
    ) async throws {
        try pair()
        let program = try run(option, device, "--connect", "127.0.0.1:1")
        #expect(await program.exitCode() == (device == "/dev/null" ? 69 : 66))
        #expect(program.errors.contains(text), "\(program.errors)")
        // One line, whatever ALSA has to say.
        #expect(program.errors.split(separator: "\n").count == 1)
    }

    @Test func `doctor tells how each thing stands, and by its exit code whether any is missing`() async throws {
        let program = try run("doctor", "--json", "--listen", "1")
        let code = await program.exitCode()
        let checks = program.events(program.output)
        #expect(checks.count > 8)
        #expect(checks.allSatisfy { $0["event"] as? String == "check" && $0["text"] as? String != nil })
        let outcomes = checks.compactMap { $0["outcome"] as? String }
        #expect(outcomes.count == checks.count)
        #expect(code == (outcomes.contains("missing") ? 69 : 0))
        #expect(checks.contains { $0["name"] as? String == "virtualCamera" })
        // Nothing was made.
        #expect(!FileManager.default.fileExists(atPath: state))

        let lines = try run("doctor")
        #expect(await lines.exitCode() == (outcomes.contains("missing") ? 69 : 0))
        #expect(lines.output.contains("avahi: the Avahi daemon"))
    }

    // MARK: Pairing

    @Test func `pair tells a code as its first event, and ends with 0 once a producer has used it`() async throws {
        let program = try run("pair", "--json")
        #expect(await eventually { program.output.contains("\n") })
        let first = try #require(program.events(program.output).first)
        #expect(first["event"] as? String == "pairing" && first["schema"] as? Int == 1)
        let payload = try #require(first["payload"] as? String)
        _ = try await producer.pair(payload)
        #expect(await program.exitCode() == 0)
        let last = try #require(program.events(program.output).last)
        #expect(last["event"] as? String == "paired" && last["name"] as? String == "Porch")
        #expect(last["id"] as? String == producer.identity.id.short)

        let devices = try run("devices")
        #expect(await devices.exitCode() == 0)
        #expect(devices.output.hasPrefix("\(producer.identity.id.short)  20") && devices.output.hasSuffix("  Porch\n"))
    }

    @Test func `pair can go on watching`() async throws {
        let path = folder.file("out.mp4")
        let program = try run("pair", "--json", "--then-watch", "--record", path)
        #expect(await eventually { program.output.contains("\n") })
        let payload = try #require(program.events(program.output).first?["payload"] as? String)
        _ = try await producer.pair(payload)
        #expect(await eventually { program.output.contains(#""event":"recording""#) })
        program.signal(SIGTERM)
        #expect(await program.exitCode() == 0)
    }

    @Test func `a code that nobody uses says so`() async throws {
        let picture = folder.file("code.png")
        let program = try run("pair", "--valid", "1", "--qr", picture)
        #expect(await program.exitCode() == 69)
        #expect(program.output.hasPrefix("camo:pair?v=1&") && program.output.hasSuffix("\n"))
        #expect(program.errors.contains("nobody used the pairing code in time"))
        // The drawing is as secret as the code.
        let mode = try FileManager.default.attributesOfItem(atPath: picture)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(folder.contents(of: "code.png")?.prefix(4) == [0x89, 0x50, 0x4E, 0x47])
    }

    // MARK: Outputs

    @Test func `raw pictures are whole, and SIGTERM ends with 0`() async throws {
        try pair()
        try producer.start()
        let program = try run("--connect", producer.address, "--stdout", "i420")
        let frameBytes = frameBytes
        #expect(await eventually { program.outputByteCount > 20 * frameBytes })
        program.signal(SIGTERM)
        #expect(await program.exitCode() == 0)
        #expect(!program.wasLeftBehind)
        let bytes = program.outputBytes
        #expect(bytes.count % frameBytes == 0)
        // Each picture is one grey, a step lighter than the one before unless one was left out.
        let lumas = stride(from: frameBytes / 3, to: bytes.count, by: frameBytes).map { bytes[$0] }
        #expect(Set(lumas).count > 10)
        producer.stop()
    }

    @Test func `a studio that was first waits for its producer`() async throws {
        try pair()
        let port = unusedPort()
        let program = try run("--connect", "127.0.0.1:\(port)", "--stdout", "h264")
        #expect(await eventually { program.errors.contains("trying again") })
        try producer.start(port: port)
        #expect(await eventually { program.outputByteCount > 1_000 })
        // It comes back: the session goes on by itself, beginning with a keyframe.
        producer.stop()
        let before = program.outputByteCount
        try producer.start(port: port)
        #expect(await eventually { program.outputByteCount > before + 1_000 })
        program.signal(SIGINT)
        #expect(await program.exitCode() == 130)
        #expect(program.outputBytes.prefix(4) == [0, 0, 0, 1])
        producer.stop()
    }

    @Test func `a recording is finished on SIGINT, and plays`() async throws {
        try pair()
        try producer.start()
        let folder = folder
        let path = folder.file("out.mp4")
        let program = try run("--connect", producer.address, "--record", path)
        #expect(await eventually { (folder.contents(of: "out.mp4")?.count ?? 0) > 5_000 })
        program.signal(SIGINT)
        #expect(await program.exitCode() == 130)
        #expect(!program.wasLeftBehind)
        let file = try MediaFile(path: path)
        #expect(file.size == FakeProducer.size)
        var pictures = 0
        while let item = try file.next() { if case .picture = item { pictures += 1 } }
        #expect(pictures > 10)
        #expect(program.errors.contains("Recorded") && program.errors.contains(path))
        producer.stop()
    }

    @Test func `the end of the source ends the command with 0 and the file finished`() async throws {
        try pair()
        try producer.start()
        let path = folder.file("out.mp4")
        let program = try run("--connect", producer.address, "--record", path, "--stdout", "gray", "--json")
        #expect(await eventually { program.outputByteCount > 10 * FakeProducer.size.area })
        producer.stop(reason: .ended)
        #expect(await program.exitCode() == 0)
        #expect(try MediaFile(path: path).size == FakeProducer.size)
        #expect(program.outputByteCount % FakeProducer.size.area == 0)
        // Standard output has the pictures, so the events are on standard error.
        let names = program.events(program.errors).compactMap { $0["event"] as? String }
        #expect(names.contains("connected") && names.contains("recorded"))
    }

    @Test func `a full disk ends the recording, not the viewing, and the exit code tells`() async throws {
        try pair()
        try producer.start()
        let program = try run("--connect", producer.address, "--record", "/dev/full", "--stdout", "i420")
        #expect(await eventually { program.errors.contains("/dev/full") && program.errors.contains("space") })
        let before = program.outputByteCount
        let frameBytes = frameBytes
        #expect(await eventually { program.outputByteCount > before + 10 * frameBytes })
        program.signal(SIGTERM)
        #expect(await program.exitCode() == 73)
        producer.stop()
    }

    @Test func `a reader that has enough ends the command quietly`() async throws {
        try pair()
        try producer.start()
        let pipe = Foundation.Pipe()
        let program = try run(
            "--connect", producer.address, "--stdout", "i420", output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        let handle = pipe.fileHandleForReading
        let first = await offThread { handle.readData(ofLength: 1_000) }
        #expect(first.count == 1_000)
        try handle.close()
        #expect(await program.exitCode() == 0)
        #expect(!program.errors.contains("camo-studio:"))
        producer.stop()
    }

    @Test func `a snapshot, and its thumbnail`() async throws {
        try pair()
        try producer.start()
        let path = folder.file("photo.jpg")
        let program = try run("snapshot", path, "--connect", producer.address, "--thumbnail", "64x64")
        #expect(await program.exitCode(within: 15) == 0)
        #expect(folder.contents(of: "photo.jpg")?.prefix(2) == [0xFF, 0xD8])
        #expect(folder.contents(of: "photo-thumbnail.jpg")?.prefix(2) == [0xFF, 0xD8])
        producer.stop()
    }

    // MARK: Ends

    @Test(arguments: ["silent", "nobody", "listening", "searching", "pairing"])
    func `SIGINT ends within two seconds, whatever it waits for`(_ situation: String) async throws {
        try pair()
        // Accepts and says nothing: the kernel answers for it.
        let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(silent) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = bind(silent, pointer, length)
                _ = listen(silent, 8)
                _ = getsockname(silent, pointer, &length)
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        let program =
            switch situation {
            case "silent": try run("-v", "--connect", "127.0.0.1:\(port)", "--stdout", "i420")
            case "nobody": try run("-v", "--connect", "127.0.0.1:1", "--record", folder.file("out.mp4"))
            case "listening": try run("-v", "--listen", "\(unusedPort())")
            case "searching": try run("-v")
            default: try run("-v", "pair")
            }
        // It is at it.
        #expect(await eventually { !program.errors.isEmpty })
        program.signal(SIGINT)
        #expect(await program.exitCode() == 130)
        #expect(!program.wasLeftBehind)
        // Nothing was recorded, so nothing is left.
        #expect(folder.contents(of: "out.mp4") == nil)
    }

    @Test func `without a paired producer there is a hint, at once`() async throws {
        let program = try run("--connect", "127.0.0.1:5700", "--stdout", "i420")
        #expect(await program.exitCode() == 66)
        #expect(program.errors.contains("camo-studio pair"))
    }

    @Test func `a studio the producer does not know is refused`() async throws {
        try pair()
        _ = try producer.store.remove(
            try Identity.loadOrCreate(
                in: StateDirectory(chosen: state, program: "camo-studio", report: { _ in })
            ).id)
        try producer.start()
        let program = try run("--connect", producer.address, "--stdout", "i420")
        #expect(await program.exitCode() == 78)
        #expect(program.outputBytes.isEmpty)
        producer.stop()
    }

    @Test func `a state directory that cannot be made is a clear message`() async throws {
        let program = try StudioProgram(["devices", "--state-dir", "/dev/null/state"])
        let code = await program.exitCode()
        #expect(code == 73 || code == 77 || code == 69)
        #expect(program.errors.contains("/dev/null/state"))
    }

    @Test func `devices are removed by name, once`() async throws {
        try pair()
        let remove = try run("devices", "remove", "Porch")
        #expect(await remove.exitCode() == 0)
        let again = try run("devices", "remove", "Porch")
        #expect(await again.exitCode() == 66)
        let list = try run("devices", "--json")
        #expect(await list.exitCode() == 0)
        #expect(list.events(list.output).allSatisfy { $0["event"] as? String != "device" })
    }
}
