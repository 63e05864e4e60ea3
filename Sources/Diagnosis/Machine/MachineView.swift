package import CamoTypes
package import DeviceCore
package import MediaCore
package import TransportCore

/// What was found on a machine, before anybody has judged it. A value, so that a test can make any machine up.
package struct MachineView: Sendable {
    /// Something that can be reached through a socket.
    package enum Service: Hashable, Sendable {
        case answers
        /// There is no such socket.
        case absent
        /// Its socket is there, and connecting to it failed.
        case refused(String)
    }

    package enum Firewall: String, Hashable, Sendable {
        case ufw
        case firewalld
    }

    package struct User: Hashable, Sendable {
        package var isRoot = false
        package var groups: [String] = []
        package init(isRoot: Bool = false, groups: [String] = []) { (self.isRoot, self.groups) = (isRoot, groups) }
    }

    package struct Node: Hashable, Sendable {
        package var path: String
        /// Programs that have it open, as `name (pid)`, as far as they can be seen.
        package var holders: [String]
        package init(path: String, holders: [String] = []) { (self.path, self.holders) = (path, holders) }
    }

    package var user = User()

    /// Every `/dev/video*`.
    package var videoNodes: [String] = []
    package var cameras: [Node] = []
    package var cameraProblems: [DeviceError] = []

    /// By ALSA's name for them, which is what the programs are given, and their own: `hw:CARD=C920,DEV=0 (HD Webcam)`.
    package var microphones: [String] = []
    package var loudspeakers: [String] = []
    /// Why a sound device cannot be opened that is there.
    package var soundRefusal: DeviceError?

    package var loopback = LoopbackModule(isLoaded: false, devices: [])
    /// Its file is among the kernel's modules.
    package var isLoopbackInstalled = false
    package var loopbackNodes: [Node] = []
    /// Of those, the ones that this user may not open.
    package var loopbackProblems: [DeviceError] = []

    package var bus = Service.absent
    package var avahi = Service.absent
    package var firewall: Firewall?
    /// Nil: no port was named.
    package var port: (number: Int, problem: String?)?
    package var wirelessInterfaces: [String] = []

    package var usb = USBInspection()

    package var state: Result<StateInspection, TransportError>?
    /// The time that one picture of 1280x720 takes.
    package var encodeTime: Result<Microseconds, MediaError> = .success(.zero)
    /// By name, why each is not used; nil where it is.
    package var hardwareEncoders: [(name: String, problem: String?)] = []

    package init() {}
}
