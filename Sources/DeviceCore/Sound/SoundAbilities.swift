/// What a sound device can record or play.
package struct SoundAbilities: Hashable, Sendable {
    /// Samples per second and channel, of the usual ones.
    package var sampleRates: [Int]
    /// Of 1 … 8.
    package var channels: [Int]

    package init(sampleRates: [Int], channels: [Int]) {
        (self.sampleRates, self.channels) = (sampleRates, channels)
    }

    static let usualRates = [8_000, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000]
}

extension SoundDevice {
    /// Asks the device, which it opens for a moment and without waiting: one in use says `.busy`.
    ///
    /// - Throws: ``DeviceError``, as opening it does.
    package func abilities(_ direction: SoundDirection = .capture) throws(DeviceError) -> SoundAbilities {
        let node = try ALSANode(pcmName, direction)
        defer { node.close() }
        do throws(ALSAFailure) {
            return try node.abilities()
        } catch {
            throw node.failure(error, "it does not say what it can do")
        }
    }
}
