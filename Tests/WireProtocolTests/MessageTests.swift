import CamoTypes
import Testing

@testable import WireProtocol

@Suite struct MessageTests {
    @Test(arguments: ExampleMessages.all)
    func comesBackAsItWentOut(message: ControlMessage) throws {
        #expect(try ControlMessage.decode(message.encoded()) == message)
    }

    @Test func everyMessageHasAnExample() {
        #expect(Set(ExampleMessages.all.map(\.name)) == Set(ControlMessage.names))
    }
}
