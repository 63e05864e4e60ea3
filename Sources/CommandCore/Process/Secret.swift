/// A text that nobody may read by accident: printing, logging or dumping the value shows `(secret)`.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package var description: String { "(secret)" }
    package var debugDescription: String { "(secret)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
