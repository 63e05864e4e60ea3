import CamoTypes

extension Event {
    /// What moves, for both programs.
    package static func motion(_ motion: DetectedMotion) -> Event {
        let regions = motion.regions.map(\.description).joined(separator: ", ")
        return Event(
            "motion", level: .detail, sentence: motion.regions.isEmpty ? "Nothing moves" : "Motion: \(regions)",
            [
                "timeMicroseconds": .integer(motion.time.microseconds),
                "regions": .array(
                    motion.regions.map { region in
                        .object([
                            JSONMember("x", .number(region.x)), JSONMember("y", .number(region.y)),
                            JSONMember("width", .number(region.width)), JSONMember("height", .number(region.height)),
                        ])
                    }),
            ])
    }
}
