import CamoTypes
import CommandCore
import DeviceCore

/// A camera and what it can send, as `list` shows it.
struct CameraListing {
    private let camera: VideoDevice
    private let offer: CameraOffer
    private let controls: [CameraControl]

    init(_ camera: VideoDevice, _ offer: CameraOffer, _ controls: [CameraControl]) {
        (self.camera, self.offer, self.controls) = (camera, offer, controls)
    }

    /// For people: the camera, then a line for each of its formats.
    var lines: [String] {
        let facing = camera.facing.map { ", \($0.rawValue)" } ?? ""
        var lines = ["\(camera.path)  \(camera.name)\(facing)  \(camera.id)"]
        for format in formats {
            let modes = offer.modes.filter { $0.codeName == format }
            let name = modes.first.map { $0.format.rawValue } ?? format
            lines.append("    \(format) (\(name))  " + modes.map(Self.text).joined(separator: "; "))
        }
        if !offer.otherFormats.isEmpty {
            lines.append("    not understood: " + offer.otherFormats.joined(separator: ", "))
        }
        if !controls.isEmpty { lines.append("    controls: " + controls.map(\.id).joined(separator: ", ")) }
        return lines
    }

    var event: Event {
        Event(
            "camera",
            [
                "id": .string(camera.id), "name": .string(camera.name), "path": .string(camera.path),
                "driver": .string(camera.driver), "bus": .string(camera.bus),
                "facing": JSONValue(camera.facing?.rawValue), "modes": .array(offer.modes.map(Self.json)),
                "otherFormats": .array(offer.otherFormats.map { .string($0) }),
                "controls": .array(controls.map(\.json)),
            ])
    }

    /// In the camera's order.
    private var formats: [String] {
        offer.modes.reduce(into: []) { names, mode in
            if !names.contains(mode.codeName) { names.append(mode.codeName) }
        }
    }

    private static func text(_ mode: CameraMode) -> String {
        let sizes =
            switch mode.sizes {
            case .fixed(let size): size.description
            case .range(let least, let greatest, _): "\(least) … \(greatest)"
            case .unknown: "any size"
            }
        let rates = mode.rates.map { CaptureFormat.text($0) }.joined(separator: ", ")
        return rates.isEmpty ? sizes : "\(sizes) at \(rates) fps"
    }

    private static func json(_ mode: CameraMode) -> JSONValue {
        var members = [
            JSONMember("format", .string(mode.format.rawValue)), JSONMember("code", .string(mode.codeName)),
        ]
        switch mode.sizes {
        case .fixed(let size):
            members += [JSONMember("width", JSONValue(size.width)), JSONMember("height", JSONValue(size.height))]
        case .range(let least, let greatest, let step):
            members += [
                JSONMember("leastWidth", JSONValue(least.width)), JSONMember("leastHeight", JSONValue(least.height)),
                JSONMember("greatestWidth", JSONValue(greatest.width)),
                JSONMember("greatestHeight", JSONValue(greatest.height)),
                JSONMember("stepWidth", JSONValue(step.width)), JSONMember("stepHeight", JSONValue(step.height)),
            ]
        case .unknown: break
        }
        members.append(JSONMember("framesPerSecond", .array(mode.rates.map { .number($0) })))
        return .object(members)
    }
}
