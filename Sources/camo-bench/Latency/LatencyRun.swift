import CamoTypes
import CommandCore
import Confinement
import Glibc

/// One measurement: feeds a rig, reads what comes out, and takes the figures of a window after warm-up.
struct LatencyRun {
    /// Encoder and rate control have settled by then, and all that is made on first use is made.
    private static let warmUp = Microseconds.seconds(3 as Int64)
    /// A picture that takes longer counts as lost.
    private static let patience = Microseconds.seconds(1 as Int64)
    /// Without a picture for this long, a rig is given up.
    private static let silence = Microseconds.seconds(15 as Int64)

    let rig: Rig
    let size: PixelSize
    let content: Confined<Content>
    let framesPerSecond: Int
    let seconds: Int
    private let clock = SystemClock()

    init(rig: Rig, size: PixelSize, content: Confined<Content>, framesPerSecond: Int, seconds: Int) {
        self.rig = rig
        self.size = size
        self.content = content
        self.framesPerSecond = framesPerSecond
        self.seconds = seconds
    }

    func measure() throws(BenchError) -> Measurement {
        let feeder = FrameFeeder()
        feeder.feed(content, into: rig.sender.input, framesPerSecond: framesPerSecond)
        defer {
            // Reading on lets the sender's pipe drain, so that the feeder is not stuck in a write; ending the sender
            // breaks the pipe if it is all the same.
            feeder.stop()
            rig.end()
            content.sync { _ in }
        }

        let code = BarCode(size)
        let picture = UnsafeMutableRawBufferPointer.allocate(
            byteCount: PixelFormat.i420.byteCount(size), alignment: 64)
        defer { picture.deallocate() }

        var arrivals: [Int: MonotonicTime] = [:]
        var window: Window?
        let begin = clock.now
        var deadline = begin + Self.silence
        while true {
            guard try readPicture(into: picture, until: deadline, feeder) else {
                throw BenchError(
                    "no picture came for a while\(rig.sender.lastWords)\(rig.receiver.lastWords)")
            }
            let now = clock.now
            deadline = now + Self.silence
            if let number = code.read(luma: UnsafeBufferPointer(picture.bindMemory(to: UInt8.self))) {
                // A picture shown twice counts when it came first.
                if arrivals[number] == nil { arrivals[number] = now }
            }
            if window == nil { window = Window(opens: now + Self.warmUp) }
            if window?.update(now, rig, length: .seconds(Int64(seconds)), patience: Self.patience) == true { break }
        }
        guard let window else { throw BenchError("no window") }
        return window.measurement(feeder.snapshot, arrivals, rig)
    }

    /// Reads one whole picture; false when `deadline` passes first.
    private func readPicture(
        into picture: UnsafeMutableRawBufferPointer, until deadline: MonotonicTime, _ feeder: FrameFeeder
    ) throws(BenchError) -> Bool {
        var done = 0
        while done < picture.count {
            var watched = pollfd(fd: rig.receiver.output, events: Int16(POLLIN), revents: 0)
            let left = max(0, (deadline - clock.now).count / 1000)
            guard poll(&watched, 1, Int32(clamping: left)) > 0 else { return false }
            let count = read(rig.receiver.output, picture.baseAddress.map { $0 + done }, picture.count - done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw BenchError("the stream ended\(rig.sender.lastWords)\(rig.receiver.lastWords)")
            }
            done += count
        }
        return true
    }
}

/// The time over which figures are taken: opened after warm-up, closed `length` later, waited for a little more.
private struct Window {
    let opens: MonotonicTime
    private var opened: MonotonicTime?
    private var closed: MonotonicTime?
    private var senderCPU = 0.0
    private var receiverCPU = 0.0

    init(opens: MonotonicTime) { self.opens = opens }

    /// - Returns: Whether all is over.
    mutating func update(_ now: MonotonicTime, _ rig: Rig, length: Microseconds, patience: Microseconds) -> Bool {
        if opened == nil, now >= opens {
            opened = now
            senderCPU = -rig.sender.processorMilliseconds
            receiverCPU = -rig.receiver.processorMilliseconds
        }
        if let opened, closed == nil, now - opened >= length {
            closed = now
            senderCPU += rig.sender.processorMilliseconds
            receiverCPU += rig.receiver.processorMilliseconds
        }
        return closed.map { now - $0 >= patience } ?? false
    }

    func measurement(_ log: FrameFeeder.Log, _ arrivals: [Int: MonotonicTime], _ rig: Rig) -> Measurement {
        guard let opened, let closed else { return Measurement() }
        var result = Measurement()
        for (number, start) in log.started.enumerated() where start >= opened && start < closed {
            result.sent += 1
            result.driverLateness = max(result.driverLateness, log.lateness[number].inMilliseconds)
            if let arrival = arrivals[number] {
                result.delays.append((arrival - start).inMilliseconds)
            } else {
                result.lost += 1
            }
        }
        let received = arrivals.values.count { $0 >= opened && $0 < closed }
        result.senderCPU = senderCPU / Double(max(1, result.sent))
        result.receiverCPU = receiverCPU / Double(max(1, received))
        result.senderMemory = rig.sender.peakMegabytes
        result.receiverMemory = rig.receiver.peakMegabytes
        return result
    }
}
