/// The lamp of a camera while a photo is taken with it.
///
/// A torch shines from before the exposure settles, so that the camera sets itself to the light that the photo is taken
/// in, whatever its shutter; a lamp that can but flash does so once it has settled.
struct PhotoFlash {
    private let panel: any ControlPanel
    private let lamp: CameraLamp

    /// Switches it on, or makes it ready. Blocks for as long as the camera's driver takes.
    ///
    /// - Throws: ``ProducerError`` `notFound` where the camera has no lamp, or what hindered setting it.
    init(_ panel: any ControlPanel, _ name: String) throws(ProducerError) {
        guard let lamp = CameraLamp(try panel.read()) else {
            throw ProducerError(.notFound, "\(name) has no lamp that this program could switch on for a photo")
        }
        (self.panel, self.lamp) = (panel, lamp)
        do throws(ProducerError) {
            try set(lamp.hasTorch ? lamp.settings(torch: 1) : lamp.strobeSettings.ready)
        } catch {
            switchOff()
            throw error
        }
    }

    /// The exposure has settled. True where it flashes now: one of the next pictures is the light one.
    func fire() throws(ProducerError) -> Bool {
        guard !lamp.hasTorch else { return false }
        try set(lamp.strobeSettings.flash)
        return true
    }

    /// Back to how it was. A camera that has gone has no lamp that shines.
    func switchOff() {
        for setting in lamp.restoringSettings { _ = try? panel.set(setting.control, to: setting.value) }
    }

    private func set(_ settings: [CameraLamp.Setting]) throws(ProducerError) {
        for setting in settings { _ = try panel.set(setting.control, to: setting.value) }
    }
}
