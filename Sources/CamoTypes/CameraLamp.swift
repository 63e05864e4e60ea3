/// The lamp beside a camera, as far as the camera's controls say that there is one (V4L2's flash control class): a torch,
/// which shines until it is switched off, or a flash, which lights one photo.
public struct CameraLamp: Hashable, Sendable {
    /// A control and what to set it to.
    public struct Setting: Hashable, Sendable {
        public var control: CameraControl.ID
        public var value: Int64

        public init(_ control: CameraControl.ID, _ value: Int64) {
            self.control = control
            self.value = value
        }
    }

    /// V4L2_CID_FLASH_LED_MODE and its values (V4L2_FLASH_LED_MODE_…).
    private enum Mode {
        static let off: Int64 = 0
        static let flash: Int64 = 1
        static let torch: Int64 = 2
    }

    private let mode: CameraControl
    private let strobe: CameraControl?
    private let torchIntensity: CameraControl?

    /// Nil where there is no lamp that could be switched on.
    ///
    /// - Parameter controls: All of the camera's.
    public init?(_ controls: [CameraControl]) {
        let known = Dictionary(controls.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        guard let mode = known["led_mode"], mode.kind == .menu, !mode.isReadOnly, mode.accepts(Mode.off) else {
            return nil
        }
        self.mode = mode
        strobe = known["strobe"].flatMap { $0.kind == .button ? $0 : nil }
        torchIntensity = known["intensity_torch_mode"].flatMap { $0.isReadOnly ? nil : $0 }
        guard hasTorch || canStrobe else { return nil }
    }

    public var hasTorch: Bool { mode.accepts(Mode.torch) }

    /// It can flash for a moment, brighter than a torch mostly.
    public var canStrobe: Bool { mode.accepts(Mode.flash) && strobe != nil }

    /// 0, off, to 1; nil without a torch.
    public var torchLevel: Double? {
        guard hasTorch else { return nil }
        guard mode.value == Mode.torch else { return 0 }
        guard let range = torchIntensity?.range, range.count > 1, let value = torchIntensity?.value else { return 1 }
        // The least that it can shine with is more than none.
        return Double(value - range.lowerBound + 1) / Double(range.count)
    }

    /// What has the torch shine, one after the other; nothing without one.
    ///
    /// - Parameter level: 0, off, to 1; the nearest that there is. A torch without levels shines with any but 0.
    public func settings(torch level: Double) -> [Setting] {
        guard hasTorch else { return [] }
        guard level > 0 else { return [Setting(mode.id, Mode.off)] }
        let intensity = torchIntensity.map { intensity in
            let range = intensity.range
            let step = (min(1, level) * Double(range.count)).rounded() - 1
            return Setting(intensity.id, range.lowerBound + Int64(max(0, min(step, Double(range.count - 1)))))
        }
        return [intensity, Setting(mode.id, Mode.torch)].compactMap { $0 }
    }

    /// What makes it ready to flash, and what has it flash; nothing where it cannot.
    public var strobeSettings: (ready: [Setting], flash: [Setting]) {
        guard canStrobe, let strobe else { return ([], []) }
        return ([Setting(mode.id, Mode.flash)], [Setting(strobe.id, 1)])
    }

    /// What brings it back to how it is now.
    public var restoringSettings: [Setting] {
        [torchIntensity.map { Setting($0.id, $0.value) }, Setting(mode.id, mode.value)].compactMap { $0 }
    }
}
