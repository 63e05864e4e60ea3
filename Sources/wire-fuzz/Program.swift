import CamoTypes
import WireProtocol

// For libFuzzer: `swift build -c release --sanitize=fuzzer --sanitize=address --product wire-fuzz`. Built without, this
// is a program that does nothing: it has to be one file, not called main.swift, for both to link.

/// What a peer can send, from its bytes to the state machines. The first byte chooses what the others are.
///
/// Crashes are what the sanitizers and Swift's own checks make of a mistake; a broken promise (what was read is written
/// and read again as the same) is a precondition here.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Array(UnsafeBufferPointer(start: bytes, count: count))[...]
    switch input.popFirst().map({ $0 % 4 }) {
    case 0: readPackets(input)
    case 1: readMessage(Array(input))
    case 2: readCode(String(decoding: input, as: UTF8.self))
    case 3: driveMachines(input)
    default: break
    }
    return 0
}

/// A link's whole life: pieces of any size, units of four streams.
func readPackets(_ input: ArraySlice<UInt8>) {
    var parser = PacketParser()
    var assemblers = PacketType.all.map { UnitAssembler(type: $0, stream: UInt16($0.rawValue)) }
    var rest = input
    do throws(WireError) {
        while let size = rest.popFirst() {
            let piece = Array(rest.prefix(Int(size)))
            rest = rest.dropFirst(piece.count)
            piece.withUnsafeBytes { parser.append($0) }
            while let packet = try parser.next() {
                precondition(packet.payload.count <= Limits.packetPayloadByteCount)
                let index = Int(packet.header.type.rawValue)
                guard let unit = try assemblers[index].accept(packet) else { continue }
                precondition(unit.unit.bytes.count <= packet.header.type.unitByteCountLimit)
                if packet.header.type == .control { readMessage(unit.unit.bytes) }
            }
            precondition(parser.leftoverByteCount <= Limits.packetByteCount)
        }
    } catch {
        precondition(!error.detail.isEmpty)
    }
}

func readMessage(_ bytes: [UInt8]) {
    do throws(WireError) {
        guard let message = try ControlMessage.decode(bytes) else { return }
        let again = try ControlMessage.decode(message.encoded())
        precondition(again == message, "\(message) comes back as \(String(describing: again))")
    } catch {
        precondition(error.code == .invalidMessage)
    }
}

func readCode(_ text: String) {
    guard let code = try? PairingCode.parse(text) else { return }
    precondition(code.text.utf8.count <= Limits.codeByteCount)
    precondition((try? PairingCode.parse(code.text)) == code)
    precondition(!"\(code)".contains(code.text))
}

/// Messages in any order and times that jump, to both ends of a session's beginning and to the clocks.
func driveMachines(_ input: ArraySlice<UInt8>) {
    var now = MonotonicTime(microseconds: 0)
    var producer = ProducerHandshake(now: now)
    var studio = StudioHandshake(hello: Hello(product: "fuzz", details: nil))
    var heartbeat = Heartbeat(now: now)
    var mapping = ClockMapping()
    _ = studio.linkSecured(at: now)
    for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
        let step = Int64(line.first ?? 0) * 10_000
        now = now + Microseconds(step)
        _ = producer.bytesReceived(line.count) + producer.timePassed(now: now)
        _ = studio.bytesReceived(line.count) + studio.timePassed(now: now)
        _ = heartbeat.tick(now: now)
        guard let message = try? ControlMessage.decode(Array(line.dropFirst())) else { continue }
        for case .askConsent in producer.messageReceived(message, at: now) {
            let actions = producer.admitted(
                product: "fuzz", name: "fuzz", isResumed: false, capabilities: Capabilities())
            precondition(producer.isConnected && actions.count == 2)
        }
        _ = studio.messageReceived(message)
        heartbeat.heard(at: now)
        if case .pong(let pong) = message, let sample = heartbeat.pongReceived(pong, at: now) {
            mapping.add(sample)
            _ = mapping.localTime(ofRemote: pong.sent)
            _ = mapping.remoteTime(ofLocal: now)
        }
    }
}
