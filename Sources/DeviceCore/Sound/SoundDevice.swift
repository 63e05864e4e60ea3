internal import CALSA
import CamoTypes

/// A sound device of this machine, to capture from or to play on.
///
/// Card numbers change from boot to boot; ``id`` does not.
package struct SoundDevice: Hashable, Sendable, Identifiable {
    /// Stable: `usb:046d:0825:AB12CD34:0` where the card has a serial number, else by the card's name,
    /// `card:Loopback:1`; for other names of ALSA the name itself. The last number is the card's device.
    package let id: String
    /// For people: `Loopback, Loopback PCM`.
    package let name: String
    /// What ALSA opens it by: `hw:CARD=Loopback,DEV=1`, `default`.
    package let pcmName: String

    package init(id: String, name: String, pcmName: String) {
        self.id = id
        self.name = name
        self.pcmName = pcmName
    }

    /// What ALSA's configuration names as the default, whatever it is.
    package static let `default` = SoundDevice(id: "default", name: "the default device", pcmName: "default")

    /// The devices of all cards for one direction. ``default`` is not among them.
    package static func list(_ direction: SoundDirection = .capture) -> [SoundDevice] {
        ALSAChatter.caught {
            var devices: [SoundDevice] = []
            var card: Int32 = -1
            // snd_card_next gives -1 after the last card, and an error where there is no /dev/snd.
            while snd_card_next(&card) == 0, card >= 0 { devices += list(card: card, direction) }
            return devices
        }
    }

    /// Why this user may not open sound devices that are there; nil where none is refused.
    package static func refusal(_ direction: SoundDirection) -> DeviceError? {
        SoundAccess.refusal("sound", direction)
    }

    /// The device that `text` names: an ``id``, a ``name``, or any name that ALSA understands, which is not checked
    /// before it is opened.
    package static func find(_ text: String, _ direction: SoundDirection = .capture) -> SoundDevice {
        if text == SoundDevice.default.id { return .default }
        return list(direction).first { $0.id == text || $0.name == text }
            ?? SoundDevice(id: text, name: text, pcmName: text)
    }

    private static func list(card: Int32, _ direction: SoundDirection) -> [SoundDevice] {
        var control: OpaquePointer?
        guard snd_ctl_open(&control, "hw:\(card)", SND_CTL_NONBLOCK) == 0, let control else { return [] }
        defer { snd_ctl_close(control) }
        var info: OpaquePointer?
        guard snd_pcm_info_malloc(&info) == 0, let info else { return [] }
        defer { snd_pcm_info_free(info) }
        let folder = "/sys/class/sound/card\(card)"
        let cardID = SystemText.content(of: folder + "/id") ?? "\(card)"
        var devices: [SoundDevice] = []
        var device: Int32 = -1
        while snd_ctl_pcm_next_device(control, &device) == 0, device >= 0 {
            snd_pcm_info_set_device(info, UInt32(bitPattern: device))
            snd_pcm_info_set_subdevice(info, 0)
            snd_pcm_info_set_stream(
                info, direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK)
            guard snd_ctl_pcm_info(control, info) == 0 else { continue }
            let pcm = snd_pcm_info_get_name(info).map { String(cString: $0) } ?? "\(device)"
            devices.append(
                SoundDevice(
                    id: usbIdentity(folder).map { "\($0):\(device)" } ?? "card:\(cardID):\(device)",
                    name: "\(cardName(card) ?? cardID), \(pcm)", pcmName: "hw:CARD=\(cardID),DEV=\(device)"))
        }
        return devices
    }

    private static func cardName(_ card: Int32) -> String? {
        var name: UnsafeMutablePointer<CChar>?
        guard snd_card_get_name(card, &name) == 0, let name else { return nil }
        defer { free(name) }
        return String(cString: name)
    }

    /// `usb:vendor:product:serial`; a card's `device` is the USB interface, its parent the USB device.
    private static func usbIdentity(_ folder: String) -> String? {
        guard let interface = SystemText.resolved(folder + "/device"),
            let usb = SystemText.resolved(interface + "/.."),
            let vendor = SystemText.content(of: usb + "/idVendor"),
            let product = SystemText.content(of: usb + "/idProduct"),
            let serial = SystemText.content(of: usb + "/serial"), !serial.isEmpty
        else { return nil }
        return "usb:\(vendor):\(product):\(serial)"
    }
}
