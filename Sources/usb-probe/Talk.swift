import Confinement
import Dispatch
import Foundation
import TransportCore

/// One end of the cable: gives each link that begins to the job. Used on the queue.
///
/// Unchecked: see above.
final class Talk: @unchecked Sendable {
    private let options: ProbeOptions
    private let queue: DispatchQueue
    private var host: USBHostService?
    private var gadget: USBGadgetService?
    private var keeper: USBGadgetKeeper?
    private var turn: Turn?
    private(set) var linkCount = 0
    private var isOver = false

    init(_ options: ProbeOptions, _ queue: DispatchQueue) {
        self.options = options
        self.queue = queue
    }

    func start() {
        do throws(TransportError) {
            switch options.side {
            case .host:
                let service = USBHostService(on: queue) { [self] event in
                    switch event {
                    case .opened(let link): opened(link)
                    case .left(let name): Program.say("\(name) is out")
                    case .failed(let error): Program.say("failed: \(error)")
                    }
                }
                host = service
                try service.start()
            case .gadget(nil):
                let keeper = USBGadgetKeeper(on: queue) { [self] event in
                    if case .opened(let link) = event { opened(link) }
                } failed: { error in
                    Program.say("failed: \(error)")
                }
                self.keeper = keeper
                try keeper.start()
            case .gadget(let directory?):
                let service = USBGadgetService(on: queue) { [self] event in
                    if case .opened(let link) = event { opened(link) }
                }
                gadget = service
                try service.start(directory)
            }
            Program.tell("ready")
        } catch {
            Program.say("usb-probe: \(error)")
            exit(69)
        }
    }

    /// Lets go of the cable, whatever is under way.
    func letGo(_ done: @escaping @Sendable () -> Void) {
        isOver = true
        if let host { host.stop(done) }
        if let gadget { gadget.stop(done) }
        (host, gadget) = (nil, nil)
    }

    private func opened(_ link: USBLink) {
        linkCount += 1
        Program.say("link over \(link.peerAddress)")
        let turn: any Turn =
            switch options.job {
            case .echo: EchoTurn(link)
            case .check(let count): CheckTurn(link, count: count)
            case .send(let count): SendTurn(link, byteCount: count)
            case .take(let count): TakeTurn(link, byteCount: count)
            case .ping(let count): PingTurn(link, count: count)
            case .ack: AckTurn(link)
            case .churn: NoiseTurn(link)
            }
        self.turn = turn
        link.open(
            on: queue, onReadable: { [self] in step(link) }, onWritable: { [self] in step(link) })
    }

    private func step(_ link: USBLink) {
        guard !isOver else { return link.close {} }
        switch turn?.step() {
        case .goOn, nil: break
        case .lost(let error):
            Program.say("link is over: \(error.map(String.init(describing:)) ?? "ended")")
            turn = nil
            link.close {}
        case .done(let text):
            Program.tell(text)
            link.finishWriting()
            link.close { [self] in stop() }
        }
    }

    private func stop() {
        // What was said last has to go out: the other end closes when it has it.
        let end: @Sendable () -> Void = { exit(0) }
        if let host { host.stop(end) }
        if let keeper { queue.asyncAfter(deadline: .now() + .milliseconds(500)) { keeper.stop(end) } }
        if let gadget { queue.asyncAfter(deadline: .now() + .milliseconds(500)) { gadget.stop(end) } }
    }
}

/// What is done over one link, a step each time there is something to read or room.
protocol Turn: AnyObject {
    func step() -> Progress
}

enum Progress {
    case goOn
    case lost(TransportError?)
    case done(String)
}

/// What all turns do: read all there is, write all that fits.
class LinkTurn {
    let link: USBLink
    private var unsent: [UInt8] = []
    private var sent = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    init(_ link: USBLink) { self.link = link }
    deinit { buffer.deallocate() }

    var isAllSent: Bool { sent == unsent.count }

    func send(_ bytes: some Sequence<UInt8>) {
        if isAllSent {
            unsent.removeAll(keepingCapacity: true)
            sent = 0
        }
        unsent.append(contentsOf: bytes)
    }

    /// False when the link is over.
    func flush() -> Bool {
        while !isAllSent {
            switch unsent.withUnsafeBytes({ link.write(UnsafeRawBufferPointer(rebasing: $0[sent...])) }) {
            case .bytes(let count): sent += count
            case .notYet:
                link.notifyWhenWritable()
                return true
            case .ended, .failed: return false
            }
        }
        return true
    }

    /// Nil: nothing to read now.
    func read(_ take: (UnsafeRawBufferPointer) -> Void) -> Progress? {
        switch link.read(into: buffer) {
        case .bytes(let count):
            take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return .goOn
        case .notYet: return nil
        case .ended: return .lost(nil)
        case .failed(let error): return .lost(error)
        }
    }
}

final class EchoTurn: LinkTurn, Turn {
    func step() -> Progress {
        while true {
            guard flush() else { return .lost(nil) }
            // What can't be sent back yet isn't read: the cable holds the other end up.
            guard isAllSent else { return .goOn }
            switch read({ send($0) }) {
            case .goOn: continue
            case nil: return .goOn
            case let end?: return end
            }
        }
    }
}
