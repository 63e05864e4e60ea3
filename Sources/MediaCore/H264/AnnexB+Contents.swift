/// What an access unit holds.
extension AnnexB {
    /// Coded slices of an IDR picture: a decoder can begin here if it has the parameter sets.
    package static func holdsIDR(_ bytes: [UInt8]) -> Bool {
        units(in: bytes).contains { type(of: $0) == UnitType.idrSlice }
    }

    /// A sequence and a picture parameter set.
    package static func holdsParameterSets(_ bytes: [UInt8]) -> Bool {
        let types = units(in: bytes).map(type)
        return types.contains(UnitType.sequenceParameterSet) && types.contains(UnitType.pictureParameterSet)
    }

    /// No coded slice at all: parameter sets or other headers alone.
    package static func holdsNoPicture(_ bytes: [UInt8]) -> Bool {
        !units(in: bytes).contains { (UnitType.slice...UnitType.idrSlice).contains(type(of: $0)) }
    }
}
