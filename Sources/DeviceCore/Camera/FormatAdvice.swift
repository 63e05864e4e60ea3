import CamoTypes

/// What is said of a camera that has no format of those wanted: what it has, and what may be done about it.
struct FormatAdvice {
    /// The codes that it offers: `YUYV`.
    let offered: [String]
    let wanted: Set<CameraFormat>
    /// What this machine is called by its firmware, where it says (`/proc/device-tree/model`).
    var machine = SystemText.content(of: "/proc/device-tree/model")

    var text: String {
        let names = offered.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let known = wanted == Set(CameraFormat.allCases)
        var text =
            "offers \(names.isEmpty ? "no format" : names.joined(separator: ", ")), "
            + (known
                ? "none of which is understood"
                : "but \(wanted.map(\.rawValue).sorted().joined(separator: ", ")) is wanted")
        // The camera of a Raspberry Pi gives its sensor's raw data here; developing it is libcamera's work.
        if known, machine?.contains("Raspberry Pi") == true {
            text +=
                "; on this machine its own program has it: rpicam-vid -t 0 --codec h264 --inline --flush -o - | "
                + "camo-producer --h264 -"
        } else if known, names.contains(where: Self.isBayer) {
            text += "; this is a sensor's raw data, which a program of its maker or libcamera must develop"
        }
        return text
    }

    /// `BA81`, `GBRG`, `RG10`, `pBAA` …: the names of the Bayer formats in videodev2.h.
    private static func isBayer(_ name: String) -> Bool {
        let beginnings = [
            "BA81", "GBRG", "GRBG", "RGGB", "BG1", "GB1", "GR1", "BA1", "RG1", "BYR2", "pBA", "pGA", "pgA",
            "pRA", "pBC", "pGC", "pgC", "pRC", "pBE", "pGE", "pgE", "pRE", "pBF", "pGF", "pgF", "pRF",
        ]
        return beginnings.contains { name.hasPrefix($0) }
    }
}
