/// "Did you mean …?"
enum Suggestion {
    /// The word nearest to `word`, if it is near enough: a slip or two, fewer in short words.
    static func nearest(to word: String, among words: [String]) -> String? {
        guard word.count <= 40 else { return nil }
        let limit = word.count <= 3 ? 1 : 2
        let best = words.map { (word: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        return best.flatMap { $0.distance <= limit ? $0.word : nil }
    }

    /// Levenshtein's distance: how many letters to insert, remove or replace.
    static func distance(_ a: String, _ b: String) -> Int {
        let b = Array(b)
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in b.indices {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (letter == b[j] ? 0 : 1))
                diagonal = above
            }
        }
        return row[b.count]
    }
}
