import CamoTypes
import Confinement
import DeviceCore
import Foundation
import MediaCore
import Testing

@testable import ProducerKit

/// A studio's code, seen instead of typed.
@Suite struct PairingCodeReaderTests {
    private let machine = FakeMachine("A")
    private let code = "camo:pair?v=1&k=one"
    private var reader: PairingCodeReader { PairingCodeReader(machine: machine) }

    private func picture(_ texts: String...) throws -> VideoFrame {
        let symbols = try texts.map { try #require(QRSymbol($0)) }
        let (scale, side) = (4, (symbols.map(\.range.count).max() ?? 0) * 4)
        let bytes = (0..<side * side * symbols.count).map { index -> UInt8 in
            let (x, y) = (index % (side * symbols.count), index / (side * symbols.count))
            let quiet = QRSymbol.quietZone
            return symbols[x / side].isDark(x: x % side / scale - quiet, y: y / scale - quiet) ? 16 : 235
        }
        let size = PixelSize(width: side * symbols.count, height: side)
        return try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .gray) }
    }

    private func show(_ pictures: VideoFrame...) { machine.change("A") { $0.pictures = pictures } }

    private func refusal(_ body: () async throws -> String) async -> ProducerPairingError? {
        do {
            Issue.record("read \(try await body())")
            return nil
        } catch {
            return error as? ProducerPairingError
        }
    }

    @Test func `a camera is looked through until a code is in view, and closed then`() async throws {
        let nothing = try VideoFrame.grey(90)
        show(nothing, nothing, try picture("https://example.org"), nothing, try picture("WIFI:S:x;;", code))
        let name = Locked("")
        let found = try await reader.code(seenBy: nil) { text in name.withLock { $0 = text } }
        #expect(found == code)
        #expect(name.withLock(\.self) == "Camera A")
        #expect(machine.state.value.events == ["open A", "close A"])
    }

    @Test func `two codes at once are refused`() async throws {
        show(try VideoFrame.grey(90), try picture(code, "camo:pair?v=1&k=two"))
        guard case .invalidCode(let text)? = await refusal({ try await reader.code(seenBy: "A") }) else {
            return #expect(Bool(false), "it was read")
        }
        #expect(text.contains("2 different"))
        #expect(machine.state.value.open.isEmpty)
    }

    @Test func `a search that is given up ends at once`() async throws {
        show(try VideoFrame.grey(90))
        let search = Task { [reader] in try await reader.code(seenBy: "A") }
        await machine.state.wait { $0.open == ["A"] }
        search.cancel()
        let began = SystemClock().now
        #expect(await refusal { try await search.value } == .cancelled)
        #expect(SystemClock().now - began < .seconds(Int64(1)))
        #expect(machine.state.value.open.isEmpty)
    }

    @Test func `no code in time, no picture, no camera`() throws {
        let device = machine.devices()[0]
        func search() -> PairingCodeSearch {
            var search = PairingCodeSearch(machine: machine, clock: SystemClock())
            (search.patience, search.pictureTime) = (.milliseconds(100), .milliseconds(50))
            return search
        }
        #expect {
            try search().find(with: device)
        } throws: { error in
            if case ProducerPairingError.timedOut(let text) = error { text.contains("Camera A") } else { false }
        }
        machine.change("A") { $0.isDead = true }
        #expect { try search().find(with: device) } throws: { ($0 as? ProducerError)?.code == .deviceLost }
        machine.change("A") { $0.failure = DeviceError(.busy, device: "/dev/video0", "in use by obs (12)") }
        #expect {
            try search().find(with: device)
        } throws: { error in
            (error as? ProducerError)?.code == .busy && "\(error)".contains("obs")
        }
        #expect(machine.state.value.open.isEmpty)
    }

    @Test func `a picture file has one code, none, or too many`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "code-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func saved(_ frame: VideoFrame) throws -> String {
            let path = folder.appending(path: "\(UUID().uuidString).png").path
            try Snapshot.write(frame, to: path)
            return path
        }
        #expect(try reader.code(inImage: saved(picture(code))) == code)
        for (frame, word) in [
            (try VideoFrame.grey(90), "no pairing code"), (try picture("https://example.org"), "something else"),
            (try picture(code, "camo:pair?v=1&k=two"), "2 different"),
        ] {
            let path = try saved(frame)
            #expect { try reader.code(inImage: path) } throws: { "\($0)".contains(word) }
        }
        #expect { try reader.code(inImage: folder.path + "/none.png") } throws: {
            ($0 as? ProducerError)?.code == .notFound
        }
    }
}
