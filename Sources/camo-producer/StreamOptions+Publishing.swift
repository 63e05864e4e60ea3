import CommandCore
import FoundationEssentials
import ProducerKit

extension StreamOptions {
    /// A file of addresses is not larger.
    private static let mostBytes = 1 << 16

    /// Where to publish to. Reads the file where one is named: it never gets into the list of processes.
    ///
    /// - Throws: ``ProducerError``, without the address.
    func publishTargets() throws(ProducerError) -> [PublishTarget] {
        guard let text = publish?.text else { return [] }
        guard text.hasPrefix("@") else { return [try PublishTarget(text)] }
        let path = String(text.dropFirst())
        let lines = try Self.lines(of: path)
        guard !lines.isEmpty else { throw ProducerError(.badData, "there is no address in \(path)") }
        var targets: [PublishTarget] = []
        for (number, line) in lines {
            do throws(ProducerError) {
                targets.append(try PublishTarget(line))
            } catch {
                throw ProducerError(.badData, "\(path), line \(number): \(error.message)")
            }
        }
        return targets
    }

    /// What stands in the lines of a file that are neither empty nor begin with `#`, and their numbers.
    private static func lines(of path: String) throws(ProducerError) -> [(number: Int, text: String)] {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw ProducerError(.notFound, "cannot read \(path), which is to hold an address to publish to")
        }
        guard data.count <= mostBytes, let text = String(validating: data, as: UTF8.self) else {
            throw ProducerError(.badData, "\(path) is no file of addresses")
        }
        return text.split(omittingEmptySubsequences: false) { $0.isNewline }.enumerated().compactMap {
            let line = $0.element.trimmingPrefix { $0.isWhitespace }
            let end = line.lastIndex { !$0.isWhitespace }
            guard let end, !line.hasPrefix("#") else { return nil }
            return ($0.offset + 1, String(line[...end]))
        }
    }
}
