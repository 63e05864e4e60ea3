import CamoTypes
import Testing

@Suite struct CapturePresetTests {
    /// A name says its size.
    @Test(arguments: CapturePreset.allCases)
    func `a preset is as large as it is called`(_ preset: CapturePreset) {
        #expect(preset.rawValue.hasSuffix(preset.size.description))
    }

    @Test func `all that are common have a name`() {
        let sizes = CapturePreset.allCases.map(\.size.description)
        #expect(
            sizes == [
                "320x240", "352x288", "640x480", "960x540", "1280x720", "1920x1080", "3840x2160",
            ])
    }
}
