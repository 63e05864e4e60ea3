import CamoTypes
import Confinement
import Glibc
import Testing

@testable import DeviceCore

/// The watch over a folder that is filled like `/dev`.
@Suite final class DeviceFolderWatchTests {
    private let folder: String
    private let watch: DeviceFolderWatch
    private let wake: WakeUp

    init() throws {
        var template = Array("/tmp/device-folder.XXXXXX".utf8CString)
        folder = String(cString: try #require(mkdtemp(&template)))
        watch = try #require(DeviceFolderWatch(folder: folder))
        wake = try #require(WakeUp())
    }

    deinit { shell("rm -rf '\(folder)'") }

    private func shell(_ command: String) { system(command) }
    private func happens(_ command: String) -> Readiness {
        shell("cd '\(folder)' && \(command)")
        return watch.wait(wake, atMost: .zero)
    }

    @Test("A camera's node is told when it is made and when its mode changes; what else there is, is not")
    func camera() {
        #expect(happens(": > null; : > tty7; chmod 600 tty7") == .timedOut)
        #expect(happens(": > video3") == .ready)
        #expect(happens(":") == .timedOut)
        #expect(happens("chmod 660 video3") == .ready)
        #expect(happens("rm video3") == .timedOut)
        #expect(happens(": > tmp; mv tmp video3") == .ready)
    }

    @Test("A camera that goes is told where that is asked for, and no card is")
    func departures() throws {
        let watch = try #require(DeviceFolderWatch(folder: folder, tellsDepartures: true))
        func happens(_ command: String) -> Readiness {
            shell("cd '\(folder)' && \(command)")
            return watch.wait(wake, atMost: .zero)
        }
        #expect(happens(": > video3; : > video4; mkdir snd") == .ready)
        #expect(happens("rm video3") == .ready)
        #expect(happens("mv video4 other") == .ready)
        #expect(happens("rm -r snd other") == .timedOut)
    }

    @Test("A sound card is told, the first of all too, and the next after the last has gone")
    func sound() {
        #expect(happens(":") == .timedOut)
        for _ in 0..<2 {
            #expect(happens("mkdir snd") == .ready)
            #expect(happens(": > snd/pcmC0D0c") == .ready)
            #expect(happens(": > snd/seq") == .timedOut)
            #expect(happens("chmod 660 snd/controlC0 2>/dev/null || : > snd/controlC0") == .ready)
            #expect(happens("rm -r snd") == .timedOut)
        }
    }

    @Test("A wait ends by the wake-up at once, and by the time")
    func ends() {
        let begin = SystemClock().now
        #expect(watch.wait(wake, atMost: .milliseconds(20)) == .timedOut)
        #expect(SystemClock().now - begin >= .milliseconds(20))
        wake.signal()
        #expect(watch.wait(wake, atMost: .seconds(Int64(3_600))) == .woken)
        #expect(happens(": > video0") == .woken)
    }
}
