import CamoTypes
import Testing

@testable import MediaCore

/// When a unit is given out although the next has not begun.
@Suite struct QuietEndsTests {
    private static let time = MonotonicTime(microseconds: 0)

    /// A NAL unit of a picture; the first of it begins at macroblock 0.
    private func slice(_ number: Int, isFirst: Bool = true) -> [UInt8] {
        [0, 0, 0, 1, 0x41, isFirst ? 0x9A : 0x5A] + [UInt8](repeating: UInt8(number % 200 + 1), count: 90)
    }

    private func append(_ bytes: some Sequence<UInt8>, to splitter: inout AccessUnitSplitter) throws -> [[UInt8]] {
        try Array(bytes).withUnsafeBytes { try splitter.append($0, at: Self.time) }.map(\.bytes)
    }

    /// A splitter that has seen a writer write whole pictures, the last of which is number 29.
    private func believing() throws -> AccessUnitSplitter {
        var splitter = AccessUnitSplitter()
        for number in 0...29 {
            let before = try append(slice(number), to: &splitter)
            #expect(before == (number == 0 ? [] : [slice(number - 1)]))
            #expect(splitter.wentQuiet() == nil)
        }
        return splitter
    }

    @Test func `a writer that pauses between pictures only is believed after a second`() throws {
        var splitter = try believing()
        let last = try append(slice(30), to: &splitter)
        #expect(last == [slice(29)])
        for number in 30..<40 {
            if number > 30 {
                let nothing = try append(slice(number), to: &splitter)
                #expect(nothing.isEmpty)
            }
            #expect(splitter.wentQuiet()?.bytes == slice(number))
            // Still quiet.
            #expect(splitter.wentQuiet() == nil)
        }
        #expect(splitter.finish() == nil && splitter.splits == 0)
    }

    @Test func `pauses within pictures are never believed`() throws {
        // What a buffer of fixed size lets out, and slices that are written as they are ready.
        let stream = (0..<200).flatMap { slice($0) + slice($0, isFirst: false) }
        for step in [64, 96, 97, 1_000] {
            var splitter = AccessUnitSplitter()
            var units: [[UInt8]] = []
            for start in Swift.stride(from: 0, to: stream.count, by: step) {
                units += try append(stream[start..<min(stream.count, start + step)], to: &splitter)
                #expect(splitter.wentQuiet() == nil)
            }
            if let last = splitter.finish() { units.append(last.bytes) }
            #expect(units == (0..<200).map { slice($0) + slice($0, isFirst: false) })
        }
    }

    @Test func `parameter sets may be written apart from their picture`() throws {
        var splitter = AccessUnitSplitter()
        let parameters: [UInt8] = [0, 0, 0, 1, 0x68, 0xCE, 0x38, 0x80]
        for number in 0...30 {
            _ = try append(parameters, to: &splitter)
            #expect(splitter.wentQuiet() == nil)
            _ = try append(slice(number), to: &splitter)
            if number < 30 { #expect(splitter.wentQuiet() == nil) }
        }
        #expect(splitter.wentQuiet() != nil)
    }

    @Test func `a picture that goes on after all loses its rest, and no pause is believed again`() throws {
        var splitter = try believing()
        _ = try append(slice(30).dropLast(40), to: &splitter)
        #expect(splitter.wentQuiet()?.bytes == slice(30).dropLast(40))
        #expect(try append(slice(30).suffix(40), to: &splitter).isEmpty)
        #expect(splitter.splits == 1)
        for number in 31..<100 {
            let before = try append(slice(number), to: &splitter)
            #expect(before == (number == 31 ? [] : [slice(number - 1)]))
            #expect(splitter.wentQuiet() == nil)
        }
        #expect(splitter.splits == 1)
    }

    @Test func `a second slice that comes late is left out`() throws {
        var splitter = try believing()
        _ = try append(slice(30), to: &splitter)
        #expect(splitter.wentQuiet() != nil)
        #expect(try append(slice(30, isFirst: false), to: &splitter).isEmpty)
        #expect(splitter.splits == 1)
        #expect(try append(slice(31), to: &splitter).isEmpty)
        #expect(try append(slice(32), to: &splitter) == [slice(31)])
    }
}
