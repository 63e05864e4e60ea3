import CamoTypes
import Testing

@testable import StudioKit

@Suite struct PairingCodeTests {
    @Test func `a code does not show its secret by accident`() {
        let code = PairingCode(text: "camo:pair?s=SECRET", fingerprint: "0123", expiry: MonotonicTime(microseconds: 5))
        #expect(!"\(code)".contains("SECRET"))
        #expect(code.drawing(.png)?.isEmpty == false)
    }
}
