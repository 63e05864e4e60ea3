import CamoTypes
import Testing

@Suite struct PicturePointTests {
    @Test func `only what lies in the picture is a point`() {
        #expect(PicturePoint(x: 0, y: 1) != nil)
        for (x, y) in [(-0.01, 0), (0, 1.01), (Double.nan, 0), (0, .infinity)] {
            #expect(PicturePoint(x: x, y: y) == nil)
        }
    }

    /// The camera's corners, clockwise from the top left, and which of them is where in the picture as it is sent.
    @Test(arguments: [
        (0, false, [0, 1, 2, 3]), (90, false, [3, 0, 1, 2]), (180, false, [2, 3, 0, 1]), (270, false, [1, 2, 3, 0]),
        (0, true, [1, 0, 3, 2]), (90, true, [0, 3, 2, 1]), (180, true, [3, 2, 1, 0]), (270, true, [2, 1, 0, 3]),
    ])
    func `corners stay corners, whatever is done to the picture`(degrees: Int, isMirrored: Bool, corners: [Int]) throws
    {
        let clockwise = try [(0, 0), (1, 0), (1, 1), (0, 1)].map { try #require(PicturePoint(x: $0.0, y: $0.1)) }
        let found = clockwise.map { $0.beforeTurning(by: degrees, isMirrored: isMirrored) }
        #expect(found == corners.map { clockwise[$0] })
    }

    @Test func `the middle stays where it is`() throws {
        let middle = try #require(PicturePoint(x: 0.5, y: 0.5))
        for degrees in [0, 90, 180, 270] { #expect(middle.beforeTurning(by: degrees, isMirrored: true) == middle) }
    }
}
