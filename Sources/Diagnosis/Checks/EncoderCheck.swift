internal import CamoTypes
internal import MediaCore

enum EncoderCheck {
    /// Thirty pictures a second leave 33 ms for each; more than 80 % of that, and they come late.
    private static let limit = Microseconds.milliseconds(27)

    static func check(_ view: MachineView) -> Check {
        switch view.encodeTime {
        case .failure(let error):
            return Check("encoder", .missing, "\(error)", remedy: "sudo apt-get install libavcodec59 libx264-164")
        case .success(let time):
            let milliseconds = Double(Int64(time.inMilliseconds * 10 + 0.5)) / 10
            let hardware = view.hardwareEncoders.map {
                "; \($0.name) " + ($0.problem.map { "is not used: \($0)" } ?? "is used instead")
            }
            let text = "libx264 encodes a picture of 1280x720 in \(milliseconds) ms"
            let isReplaced = view.hardwareEncoders.contains { $0.problem == nil }
            guard time > limit, !isReplaced else { return Check("encoder", .ok, text + hardware.joined()) }
            return Check(
                "encoder", .warning, "\(text): too slow for 30 a second" + hardware.joined(),
                remedy: "camo-producer --definition standard --preset ultrafast")
        }
    }
}
