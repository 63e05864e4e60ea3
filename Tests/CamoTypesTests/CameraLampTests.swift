import CamoTypes
import Testing

@Suite struct CameraLampTests {
    private func mode(_ values: [Int64], value: Int64 = 0, isReadOnly: Bool = false) -> CameraControl {
        CameraControl(
            id: "led_mode", name: "LED Mode", kind: .menu, range: 0...2, defaultValue: 0, value: value,
            menu: values.map { .init(value: $0, name: "\($0)") }, isReadOnly: isReadOnly)
    }
    private func intensity(_ range: ClosedRange<Int64>, value: Int64) -> CameraControl {
        CameraControl(
            id: "intensity_torch_mode", name: "Intensity", kind: .integer, range: range, defaultValue: value,
            value: value)
    }
    private let strobe = CameraControl(
        id: "strobe", name: "Strobe", kind: .button, range: 0...0, defaultValue: 0, value: 0)

    @Test func `there is a lamp only where something switches one on`() {
        #expect(CameraLamp([]) == nil)
        #expect(CameraLamp([mode([0])]) == nil)
        #expect(CameraLamp([mode([0, 1])]) == nil, "a flash that nothing fires")
        #expect(CameraLamp([mode([0, 2], isReadOnly: true)]) == nil)
        #expect(CameraLamp([strobe, intensity(1...2, value: 1)]) == nil)
        #expect(CameraLamp([mode([0, 2])])?.hasTorch == true)
        let flash = CameraLamp([mode([0, 1]), strobe])
        #expect(flash?.canStrobe == true && flash?.hasTorch == false && flash?.torchLevel == nil)
        #expect(flash?.settings(torch: 1) == [])
    }

    @Test func `a level is the nearest there is, and what shines is never told to be off`() throws {
        let lamp = try #require(CameraLamp([mode([0, 2]), intensity(10...19, value: 12)]))
        #expect(lamp.torchLevel == 0)
        #expect(lamp.settings(torch: 0) == [.init("led_mode", 0)])
        let levels = [0.001, 0.1, 0.5, 0.96, 1, 7].map { lamp.settings(torch: $0).first?.value }
        #expect(levels == [10, 10, 14, 19, 19, 19])
        #expect(lamp.settings(torch: 0.5).last == .init("led_mode", 2))
        let lit = try #require(CameraLamp([mode([0, 2], value: 2), intensity(10...19, value: 14)]))
        #expect(lit.torchLevel == 0.5)
        #expect(CameraLamp([mode([0, 2], value: 2)])?.torchLevel == 1)
        #expect(CameraLamp([mode([0, 2], value: 2), intensity(5...5, value: 5)])?.torchLevel == 1)
        #expect(lit.restoringSettings == [.init("intensity_torch_mode", 14), .init("led_mode", 2)])
    }
}
