internal import DeviceCore
internal import Glibc
internal import MediaCore
internal import TransportCore

/// Looks at this machine. Opens devices for a moment, starts nothing, changes nothing.
package enum MachineSurvey {
    /// - Parameters:
    ///   - stateDirectory: As on the command line.
    ///   - port: The TCP port that is to be waited at.
    package static func look(
        for program: Examination.Program, stateDirectory: String?, port: Int?
    ) -> MachineView {
        var view = MachineView()
        view.user = user()
        view.state = Result { () throws(TransportError) in
            try StateInspection.inspect(chosen: stateDirectory, program: program.rawValue)
        }
        view.bus = service(at: busPath())
        view.avahi = service(at: "/run/avahi-daemon/socket")
        view.firewall = firewall()
        view.port = port.map { ($0, PortProbe.problem($0)) }
        view.wirelessInterfaces = wirelessInterfaces()
        view.usb = USBInspection.inspect()
        switch program {
        case .producer:
            lookAtCameras(&view)
            view.microphones = SoundDevice.list(.capture).map(Self.text)
            view.soundRefusal = SoundDevice.refusal(.capture)
            view.encodeTime = EncodeProbe.time()
        case .studio:
            lookAtVirtualCameras(&view)
            view.loudspeakers = SoundDevice.list(.playback).map(Self.text)
            view.soundRefusal = SoundDevice.refusal(.playback)
        }
        return view
    }

    private static let files = MachineFiles()

    // MARK: Devices

    /// What is given to `--alsa`, and whose it is.
    private static func text(_ device: SoundDevice) -> String { "\(device.pcmName) (\(device.name))" }

    private static func lookAtCameras(_ view: inout MachineView) {
        view.videoNodes = SystemVideoNodes().paths()
        let survey = VideoDevice.survey()
        view.cameras = survey.devices.map { .init(path: $0.path, holders: NodeAccess.holders(of: $0.path)) }
        view.cameraProblems = survey.problems
    }

    private static func lookAtVirtualCameras(_ view: inout MachineView) {
        view.loopback = LoopbackModule.read()
        view.isLoopbackInstalled = view.loopback.isLoaded || isInstalled("v4l2loopback")
        for device in view.loopback.devices {
            do throws(DeviceError) {
                try VirtualCamera.checkAccess(device.path)
                view.loopbackNodes.append(
                    .init(path: device.path, holders: NodeAccess.holders(of: device.path)))
            } catch {
                view.loopbackProblems.append(error)
            }
        }
    }

    /// Modules that came with the kernel are in `modules.dep`, those built afterwards in `updates/dkms`.
    private static func isInstalled(_ module: String) -> Bool {
        var name = utsname()
        guard uname(&name) == 0 else { return false }
        let release = withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let folders = ["updates/dkms", "extra", "misc"].map { "/lib/modules/\(release)/\($0)" }
        return folders.flatMap(files.names(in:)).contains { $0.hasPrefix(module + ".ko") }
    }

    // MARK: The network

    private static func busPath() -> String {
        let variable = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) } ?? ""
        let lead = "unix:path="
        guard variable.hasPrefix(lead) else { return "/run/dbus/system_bus_socket" }
        return String(variable.dropFirst(lead.count).prefix { $0 != "," && $0 != ";" })
    }

    private static func service(at path: String) -> MachineView.Service {
        switch PortProbe.connect(toSocket: path) {
        case 0: .answers
        case ENOENT, ENOTDIR: .absent
        case let error: .refused(String(cString: strerror(error)))
        }
    }

    private static func firewall() -> MachineView.Firewall? {
        let configuration = files.text("/etc/ufw/ufw.conf") ?? ""
        if configuration.split(separator: "\n").contains("ENABLED=yes") { return .ufw }
        return files.text("/run/firewalld.pid") != nil ? .firewalld : nil
    }

    private static func wirelessInterfaces() -> [String] {
        let folder = "/sys/class/net"
        return files.names(in: folder).filter { files.names(in: "\(folder)/\($0)").contains("phy80211") }
    }

    // MARK: The user

    private static func user() -> MachineView.User {
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        groups = Array(groups.prefix(max(0, Int(count)))) + [getegid()]
        return MachineView.User(isRoot: geteuid() == 0, groups: groups.compactMap(name(ofGroup:)))
    }

    private static func name(ofGroup group: gid_t) -> String? {
        var entry = Glibc.group()
        var result: UnsafeMutablePointer<Glibc.group>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            guard let start = buffer.baseAddress,
                getgrgid_r(group, &entry, start, buffer.count, &result) == 0, let result
            else { return nil }
            return String(cString: result.pointee.gr_name)
        }
    }
}
