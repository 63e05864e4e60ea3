/// What the kernel says of v4l2loopback, the module whose devices are virtual cameras: one program puts pictures in,
/// others find a webcam. Read from sysfs, which needs neither root nor a node that may be opened.
package struct LoopbackModule: Hashable, Sendable {
    package struct Device: Hashable, Sendable {
        /// `/dev/video9`.
        package var path: String
        /// What programs show: `Camo`.
        package var label: String
        /// `exclusive_caps=1`: a camera and nothing else while it is fed. Without it the device says at all times that
        /// it also takes pictures, and Chromium leaves out what does (its `video_capture_device_factory_v4l2.cc`).
        package var isExclusive: Bool

        package init(path: String, label: String, isExclusive: Bool) {
            self.path = path
            self.label = label
            self.isExclusive = isExclusive
        }
    }

    package var isLoaded: Bool
    /// By their numbers.
    package var devices: [Device]

    package init(isLoaded: Bool, devices: [Device]) {
        self.isLoaded = isLoaded
        self.devices = devices
    }

    package static func read(_ files: any SystemFiles = MachineFiles()) -> LoopbackModule {
        let module = "/sys/module/v4l2loopback"
        guard !files.names(in: module).isEmpty else { return LoopbackModule(isLoaded: false, devices: []) }
        func list(_ parameter: String) -> [String] {
            files.text("\(module)/parameters/\(parameter)")?.split(separator: ",").map(String.init) ?? []
        }
        let (exclusive, numbers) = (list("exclusive_caps"), list("video_nr"))
        let folder = "/sys/devices/virtual/video4linux"
        let nodes = files.names(in: folder)
            .compactMap { name in name.hasPrefix("video") ? Int(name.dropFirst(5)) : nil }
            // Other modules make virtual nodes too; this attribute is v4l2loopback's.
            .filter { files.text("\(folder)/video\($0)/max_openers") != nil }
            .sorted()
        let devices = nodes.enumerated().map { place, number in
            // The parameters go by the module's own count of devices; `video_nr` says -1 where the kernel has chosen.
            let index = numbers.firstIndex(of: String(number)) ?? place
            return Device(
                path: "/dev/video\(number)", label: files.text("\(folder)/video\(number)/name") ?? "video\(number)",
                isExclusive: exclusive.indices.contains(index) && ["Y", "1"].contains(exclusive[index]))
        }
        return LoopbackModule(isLoaded: true, devices: devices)
    }

    /// The command that makes a virtual camera of this name in /dev, ready for every program.
    package static func loadCommand(for path: String = "/dev/video9") -> String {
        let digits = path.hasPrefix("/dev/video") ? path.dropFirst("/dev/video".count) : ""
        let number = Int(digits).map { " video_nr=\($0)" } ?? ""
        return "sudo modprobe v4l2loopback exclusive_caps=1 card_label=Camo\(number)"
    }

    /// The same where the module is loaded already; every program that uses it has to be closed before.
    package static func reloadCommand(for path: String = "/dev/video9") -> String {
        "sudo modprobe -r v4l2loopback && " + loadCommand(for: path)
    }

    package static let installCommand = "sudo apt-get install v4l2loopback-dkms"
}
