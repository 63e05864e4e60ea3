/// The checks of each program, in the order in which trouble is best looked for.
package enum Examination {
    package static func producer(_ view: MachineView) -> [Check] {
        [
            DeviceChecks.cameras(view), DeviceChecks.microphones(view), DeviceChecks.groups(view),
            EncoderCheck.check(view),
        ] + shared(view, .producer)
    }

    package static func studio(_ view: MachineView) -> [Check] {
        [DeviceChecks.virtualCamera(view), DeviceChecks.loudspeakers(view), DeviceChecks.groups(view)]
            + shared(view, .studio)
    }

    private static func shared(_ view: MachineView, _ program: Program) -> [Check] {
        [
            NetworkChecks.bus(view), NetworkChecks.avahi(view), NetworkChecks.port(view), NetworkChecks.firewall(view),
            NetworkChecks.wireless(view), USBChecks.device(view, program), USBChecks.host(view),
        ] + StateChecks.all(view, program)
    }

    /// Which program is asked for.
    package enum Program: String, Sendable {
        case producer = "camo-producer"
        case studio = "camo-studio"
    }
}
