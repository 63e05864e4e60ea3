import Glibc
import ProducerKit

/// A producer in this process, set up as all sides of a measurement are.
extension CodingOptions {
    func producer(of size: PixelSize, stateDirectory: String) -> ProducerConfiguration {
        var configuration = ProducerConfiguration()
        configuration.stateDirectory = stateDirectory
        configuration.advertises = false
        configuration.usb = .off
        configuration.definition = .enclosing(size)
        configuration.framesPerSecond = Double(framesPerSecond)
        configuration.bitsPerSecond = bitsPerSecond
        configuration.preset = preset
        configuration.encoderThreads = threads
        return configuration
    }
}

/// Lets all paired studios in.
final class Host: ProducerControllerDelegate {
    func producerControllerShouldAcceptIncomingConnection(
        _ controller: ProducerController, from peer: Peer
    ) -> Bool { true }
    func producerController(_ controller: ProducerController, stateDidChangeTo state: ProducerControllerState) {}
}

/// What this process has spent, in its own code and in the kernel.
enum ProcessorTime {
    static var milliseconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func milliseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000 }
        return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime)
    }
}
