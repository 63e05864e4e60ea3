import CamoTypes
import Confinement
import TransportCore

/// Many bytes one way, and their sum back.
final class SendTurn: LinkTurn, Turn {
    private var left: Int
    private let byteCount: Int
    private let block = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    private let begin = SystemClock().now
    private var sum = FlowSum()
    private var answer: [UInt8] = []

    init(_ link: USBLink, byteCount: Int) {
        (left, self.byteCount) = (byteCount, byteCount)
        super.init(link)
    }

    func step() -> Progress {
        while true {
            if isAllSent, left > 0 {
                let next = block.prefix(left)
                left -= next.count
                next.withUnsafeBytes { sum.add($0) }
                send(next)
            }
            guard flush() else { return .lost(nil) }
            if !isAllSent { return .goOn }
            guard left == 0 else { continue }
            switch read({ answer.append(contentsOf: $0) }) {
            case .goOn: break
            case nil: return .goOn
            case let end?: return end
            }
            guard answer.count >= sum.bytes.count else { continue }
            let seconds = (SystemClock().now - begin).inSeconds
            let isRight = answer == sum.bytes
            return .done("sent \(byteCount) right \(isRight) megabytesPerSecond \(Double(byteCount) / 1e6 / seconds)")
        }
    }
}

final class TakeTurn: LinkTurn, Turn {
    private var left: Int
    private let byteCount: Int
    private var sum = FlowSum()
    private var isAnswered = false

    init(_ link: USBLink, byteCount: Int) {
        (left, self.byteCount) = (byteCount, byteCount)
        super.init(link)
    }

    func step() -> Progress {
        while true {
            if left == 0, !isAnswered {
                isAnswered = true
                send(sum.bytes)
            }
            guard flush() else { return .lost(nil) }
            switch read({
                left -= $0.count
                sum.add($0)
            }) {
            case .goOn: continue
            case nil: return .goOn
            // The other end has the answer.
            case .lost where isAnswered: return .done("took \(byteCount)")
            case let end?: return end
            }
        }
    }
}

/// A sum that no two bytes can change places in: in words of 8 bytes, so that it costs little beside the cable.
struct FlowSum {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325
    private var rest: [UInt8] = []

    var bytes: [UInt8] {
        let last = rest.reduce(value) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return withUnsafeBytes(of: last.bigEndian) { Array($0) }
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while !rest.isEmpty, rest.count < 8, offset < bytes.count {
            rest.append(bytes[offset])
            offset += 1
        }
        if rest.count == 8 {
            rest.withUnsafeBytes { mix($0.loadUnaligned(as: UInt64.self)) }
            rest.removeAll(keepingCapacity: true)
        }
        while bytes.count - offset >= 8 {
            mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        rest.append(contentsOf: bytes[offset...])
    }

    private mutating func mix(_ word: UInt64) { value = (value ^ word) &* 0x0000_0100_0000_01B3 }
}
