import CamoTypes
import Confinement
import Dispatch
import Foundation
import TransportCore

/// Opens one end of the cable, fills it, and lets go of it at a random moment, again and again. Used on the queue.
///
/// Unchecked: see above.
final class Churn: @unchecked Sendable {
    private let side: ProbeOptions.Side
    private let queue: DispatchQueue
    private var roundsLeft: Int
    private let count: Int
    private var links = 0
    private var slowest = Microseconds(0)
    private var talk: Talk?

    init(_ side: ProbeOptions.Side, count: Int, _ queue: DispatchQueue) {
        (self.side, self.count, self.queue) = (side, count, queue)
        roundsLeft = count
    }

    func start() {
        guard roundsLeft > 0 else {
            Program.tell("closed \(count) links \(links) slowestMicroseconds \(slowest.count)")
            exit(0)
        }
        roundsLeft -= 1
        let talk = Talk(ProbeOptions(side, .churn(count: count)), queue)
        self.talk = talk
        talk.start()
        queue.asyncAfter(deadline: .now() + .milliseconds(.random(in: 0...longest))) { [self] in stop(talk) }
    }

    /// Milliseconds that a round takes at most: a device has to be found first.
    private var longest: Int { if case .host = side { 400 } else { 2_000 } }

    private func stop(_ talk: Talk) {
        links += talk.linkCount
        let began = SystemClock().now
        talk.letGo { [self] in
            slowest = max(slowest, SystemClock().now - began)
            // From a turn of its own: nothing of the last round is left on the stack.
            queue.async { [self] in start() }
        }
    }
}

/// Writes as much as fits, and reads what comes.
final class NoiseTurn: LinkTurn, Turn {
    private static let noise = [UInt8](repeating: 0x5A, count: 50_000)

    func step() -> Progress {
        for _ in 0..<16 {
            if isAllSent { send(Self.noise) }
            guard flush() else { return .lost(nil) }
            switch read({ _ in }) {
            case .goOn: continue
            case nil: return .goOn
            case let end?: return end
            }
        }
        // Others on the queue have their turn.
        link.notifyWhenWritable()
        return .goOn
    }
}
