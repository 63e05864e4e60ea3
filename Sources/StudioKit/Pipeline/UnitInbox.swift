/// Access units that wait for somebody who takes them one by one, not all of which may be taken.
package protocol UnitInbox: Sendable {
    mutating func append(_ unit: PictureUnit) -> UnitAdmission
    var first: PictureUnit? { get }
    mutating func popFirst() -> PictureUnit?
}

/// What becomes of a unit that has come.
package enum UnitAdmission: Hashable, Sendable {
    case kept
    /// Left out; only a keyframe will be taken next: ask for one.
    case needsKeyframe
    /// Left out; a keyframe would have no room either.
    case leftOut
}
