import CommandCore
import DeviceCore

/// A microphone and what it can record, as `list` shows it.
struct MicrophoneListing {
    private let microphone: SoundDevice
    private let abilities: SoundAbilities

    init(_ microphone: SoundDevice, _ abilities: SoundAbilities) {
        (self.microphone, self.abilities) = (microphone, abilities)
    }

    var lines: [String] {
        let rates = abilities.sampleRates.map(String.init).joined(separator: ", ")
        let channels = abilities.channels.map(String.init).joined(separator: ", ")
        return [
            "\(microphone.pcmName)  \(microphone.name)  \(microphone.id)", "    \(rates) Hz; \(channels) channels",
        ]
    }

    var event: Event {
        Event(
            "microphone",
            [
                "id": .string(microphone.id), "name": .string(microphone.name), "alsa": .string(microphone.pcmName),
                "sampleRates": .array(abilities.sampleRates.map { JSONValue($0) }),
                "channels": .array(abilities.channels.map { JSONValue($0) }),
            ])
    }
}
