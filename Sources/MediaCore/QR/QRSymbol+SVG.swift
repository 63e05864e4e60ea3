extension QRSymbol {
    /// A picture for browsers and printers (SVG 1.1): one path of runs of dark modules, one unit a module.
    package var svg: String {
        let side = width + 2 * Self.quietZone
        var path = ""
        for y in 0..<width {
            var x = 0
            while x < width {
                let start = x
                while isDark(x: x, y: y) { x += 1 }
                if x > start {
                    path += "M\(start + Self.quietZone),\(y + Self.quietZone)h\(x - start)v1h-\(x - start)z"
                }
                x += 1
            }
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" version="1.1" viewBox="0 0 \(side) \(side)" \
            width="\(side * 8)" height="\(side * 8)" shape-rendering="crispEdges">
            <rect width="\(side)" height="\(side)" fill="#fff"/>
            <path d="\(path)" fill="#000"/>
            </svg>

            """
    }
}
