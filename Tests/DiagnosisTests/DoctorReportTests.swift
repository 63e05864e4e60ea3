import CamoTypes
import CommandCore
import Testing

@testable import Diagnosis

@Suite struct DoctorReportTests {
    @Test func `people get a line, and below it what mends it`() {
        #expect(
            DoctorReport.lines(Check("avahi", .ok, "the Avahi daemon answers"))
                == "ok       avahi: the Avahi daemon answers\n")
        #expect(
            DoctorReport.lines(Check("groups", .missing, "not in video", remedy: "sudo usermod -aG video \"$USER\""))
                == "missing  groups: not in video\n         sudo usermod -aG video \"$USER\"\n")
    }

    @Test func `programs get an event with the same words`() {
        let event = DoctorReport.event(Check("wifi", .warning, "wlan0", remedy: nil))
        #expect(event.name == "check")
        #expect(
            event.fields == [
                JSONMember("name", "wifi"), JSONMember("outcome", "warning"), JSONMember("text", "wlan0"),
                JSONMember("remedy", .null),
            ])
    }

    @Test func `each program asks for what it needs`() {
        var view = MachineView()
        view.encodeTime = .success(.milliseconds(1))
        let producer = Set(Examination.producer(view).map(\.name))
        let studio = Set(Examination.studio(view).map(\.name))
        #expect(producer.isSuperset(of: ["cameras", "microphones", "encoder", "groups", "avahi", "dbus", "wifi"]))
        #expect(studio.isSuperset(of: ["virtualCamera", "loudspeakers", "groups", "avahi", "port", "firewall"]))
        #expect(!studio.contains("cameras") && !producer.contains("virtualCamera"))
    }

    /// On whatever machine this runs: it comes to an end, and says something of everything.
    @Test func `this machine is looked at, and nothing is changed`() {
        let view = MachineSurvey.look(for: .producer, stateDirectory: "/nonexistent/camo", port: nil)
        let checks = Examination.producer(view)
        #expect(checks.allSatisfy { !$0.text.isEmpty && !$0.text.contains("\n") })
        #expect(checks.first { $0.name == "state" }?.outcome == .ok)
        #expect(checks.first { $0.name == "encoder" }?.outcome != .missing)
    }
}
