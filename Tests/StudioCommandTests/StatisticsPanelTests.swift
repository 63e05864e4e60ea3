import CamoTypes
import StudioKit
import Testing

@testable import camo_studio

/// What `--stats` draws in a terminal.
@Suite struct StatisticsPanelTests {
    private func statistics(_ number: Int) -> StudioStatistics {
        var statistics = StudioStatistics()
        statistics.size = PixelSize(width: 1280, height: 720)
        statistics.framesPerSecond = Double(number) * 15
        statistics.videoBitsPerSecond = 2_900_000
        statistics.audioBitsPerSecond = 128_000
        statistics.delay = .milliseconds(21)
        statistics.delayMostly = .milliseconds(30)
        statistics.missedPictures = UInt64(number * number)
        return statistics
    }

    @Test func `each second is a column more, and the highest there was fills the line`() {
        var panel = StatisticsPanel()
        var drawn = ""
        for number in 0...2 { drawn = panel.draw("Kitchen", statistics(number), outputs: ["sound: ran out 0 times"]) }
        let lines = drawn.split(separator: "\n").map(String.init)
        #expect(lines.first == "Kitchen" && lines.last == "sound: ran out 0 times")
        #expect(lines[1].hasPrefix("picture     1280x720 30.0 fps ") && lines[1].hasSuffix("  ▄█"))
        #expect(lines[2].hasPrefix("stream      3.0 Mb/s, sound 128 kb/s ") && lines[2].hasSuffix(" ███"))
        #expect(lines[3].hasPrefix("delay       21 ms, 95 % in 30 "))
        // As many as were lost in that second, not in all.
        #expect(lines[4].hasPrefix("lost        4 on the way ") && lines[4].hasSuffix("  ▃█"))
    }

    @Test func `a minute is shown, and what is not known is not drawn`() {
        var panel = StatisticsPanel()
        var drawn = ""
        for _ in 0..<100 { drawn = panel.draw("Kitchen", statistics(2), outputs: []) }
        #expect(drawn.split(separator: "\n")[1].filter { $0 == "█" }.count == 60)
        let empty = panel.draw("Kitchen", StudioStatistics(), outputs: [])
        #expect(empty.contains("delay       not known") && !empty.contains("producer"))
    }
}
