internal import CamoTypes

/// The sequence and picture parameter sets of a keyframe.
struct ParameterSets {
    /// Parsed.
    let sequence: SequenceParameterSet
    /// All of them, in Annex B.
    let bytes: [UInt8]

    /// Nil where `unit` is no keyframe, or has none that can be read.
    init?(_ unit: AccessUnit) {
        guard unit.isKeyframe else { return nil }
        let units = AnnexB.units(in: unit.bytes)
        guard let sequence = units.lazy.compactMap({ SequenceParameterSet($0) }).first else { return nil }
        self.sequence = sequence
        bytes = units.filter {
            [AnnexB.UnitType.sequenceParameterSet, AnnexB.UnitType.pictureParameterSet].contains(AnnexB.type(of: $0))
        }.flatMap { AnnexB.startCode + $0 }
    }
}
