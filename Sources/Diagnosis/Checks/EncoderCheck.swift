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
            let text = "libx264 encodes a picture of 1280x720 in \(milliseconds) ms"
            guard time > limit else { return Check("encoder", .ok, text) }
            return Check(
                "encoder", .warning, "\(text): too slow for 30 a second",
                remedy: "camo-producer --definition standard --preset ultrafast")
        }
    }
}
