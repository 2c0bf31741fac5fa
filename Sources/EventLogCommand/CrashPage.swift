import EventLog
import EventLogCrashReports

/// The page that `eventlog crashes --html` writes.
///
/// It has no scripts and loads nothing, so it can be sent and opened anywhere.
struct CrashPage {
  let groups: [CrashGroup]
  private let reports: [CrashReport]
  private let symbols: CrashSymbols
  /// The day on which the counts of days end.
  private let last: Day?

  init(_ reports: [CrashReport], _ symbols: CrashSymbols) {
    (self.reports, self.symbols) = (reports, symbols)
    groups = CrashGroup.groups(of: reports, naming: symbols.function)
    last = reports.first.map { Day($0.hour) }
  }

  var html: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy"
    content="default-src 'none'; style-src 'unsafe-inline'">
    <title>Crash reports</title>
    <style>\(CrashPageStyle.text)</style>
    </head>
    <body>
    <main>
    \(head)
    \(groups.enumerated().map { group($0.element, isOpen: $0.offset == 0) }.joined(separator: "\n"))
    </main>
    </body>
    </html>

    """
  }

  // MARK: - Overview

  private var head: String {
    guard let last, let first = reports.last else {
      return "<h1>Crash reports</h1>\n<p>No crash reports.</p>"
    }
    let span = "\(Day(first.hour)) to \(last)"
    return """
      <header>
      <h1>Crash reports</h1>
      <p>\(plural(reports.count, "report")) in \(plural(groups.count, "group")), \(span)</p>
      </header>
      <section class="overview">
      \(days(of: reports, label: "Reports per day"))
      \(bars("Severity", CrashGroup.counts(of: reports) { $0.severity.rawValue }))
      \(bars("App version", CrashGroup.counts(of: reports) { $0.app ?? "unknown" }))
      \(bars("Device", CrashGroup.counts(of: reports) { $0.device ?? "unknown" }))
      </section>
      """
  }

  // MARK: - Groups

  private func group(_ group: CrashGroup, isOpen: Bool) -> String {
    let trend = last.map { group.trend(endingOn: $0) } ?? .steady
    let severity = group.severities.first?.name ?? ""
    let places = group.reports[0].places.compactMap { $0 }.prefix(CrashGroup.frameCount)
    let count = group.reports.count
    return """
      <details class="group"\(isOpen ? " open" : "")>
      <summary>
      <span class="count">\(count)</span>
      <span class="title"><b>\(Self.text(group.title))</b>
      <code>\(Self.text(places.first.map(symbols.name) ?? "no known frames"))</code></span>
      <span class="badges"><span class="badge \(severity)">\(Self.text(severity))</span>
      <span class="badge \(trend.rawValue)">\(trend.rawValue)</span></span>
      </summary>
      <div class="columns">
      \(days(of: group.reports, label: "Per day"))
      \(bars("App version", group.versions))
      \(bars("Device", group.devices))
      \(bars("System", group.systems))
      \(group.severities.count > 1 ? bars("Severity", group.severities) : "")
      </div>
      \(report(group.reports[0]))
      </details>
      """
  }

  private func report(_ report: CrashReport) -> String {
    let rows = CrashesRun.rows(of: report).map { row in
      "<tr><th scope=\"row\">\(Self.text(row[0]))</th><td>\(Self.text(row[1]))</td></tr>"
    }
    let frames = report.places.map { place in
      "<li><code>\(Self.text(place.map(symbols.name) ?? "?"))</code></li>"
    }
    return """
      <h3>Latest report</h3>
      <table>\(rows.joined(separator: "\n"))</table>
      <h3>Frames</h3>
      <ol start="0">\(frames.joined(separator: "\n"))</ol>
      """
  }

  // MARK: - Counts

  private func days(of reports: [CrashReport], label: String) -> String {
    guard let last else { return "" }
    let days = CrashGroup.days(of: reports, endingOn: last)
    let most = max(1, days.map(\.count).max() ?? 1)
    let columns = days.map { day, count in
      "<i style=\"--part:\(count * 100 / most)%\" title=\"\(day): \(count)\">"
        + "<span class=\"hidden\">\(day): \(count)</span></i>"
    }
    let span = "\(days[0].day) – \(last), at most \(plural(days.map(\.count).max() ?? 0, "report"))"
    return """
      <figure>
      <figcaption>\(label)</figcaption>
      <div class="days">\(columns.joined())</div>
      <p class="axis">\(span)</p>
      </figure>
      """
  }

  private func bars(_ label: String, _ counts: [CrashGroup.Count]) -> String {
    let most = max(1, counts.first?.count ?? 1)
    let rows = counts.prefix(6).map { count in
      "<li><span>\(Self.text(count.name))</span><b>\(count.count)</b>"
        + "<i style=\"--part:\(count.count * 100 / most)%\"></i></li>"
    }
    let rest = counts.dropFirst(6).reduce(0) { $0 + $1.count }
    let others = rest > 0 ? "<li><span>others</span><b>\(rest)</b></li>" : ""
    return """
      <figure>
      <figcaption>\(label)</figcaption>
      <ul class="bars">\(rows.joined())\(others)</ul>
      </figure>
      """
  }

  /// Returns a text with the characters that HTML reserves as references.
  static func text(_ text: String) -> String {
    var escaped = ""
    for character in Visible.text(text) {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}

/// The style of the page, for light and dark screens of any width.
private enum CrashPageStyle {
  static let text = """
    :root { --ink: #1c2024; --quiet: #60646c; --paper: #fbfcfd; --card: #fff; --line: #d9dde3;
      --bar: #3e63dd; --fatal: #ce2c31; --error: #b54708; --warning: #7a6200; }
    @media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --quiet: #a8b0ba;
      --paper: #111315; --card: #1a1d21; --line: #343a41; --bar: #8da4ef; --fatal: #ff9592;
      --error: #ffa057; --warning: #e3c400; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 16px/1.5 system-ui, sans-serif; }
    main { max-width: 70rem; margin: 0 auto; padding: 1rem; }
    h1 { font-size: 1.5rem; margin: 0; }
    h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
    p { margin: .25rem 0; color: var(--quiet); }
    code { font: .875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
    .overview, .columns { display: grid; gap: 1rem;
      grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); }
    .overview { margin: 1rem 0 1.5rem; }
    .columns { margin-top: 1rem; }
    figure { margin: 0; padding: .75rem 1rem; background: var(--card); border-radius: .5rem;
      border: 1px solid var(--line); min-width: 0; }
    figcaption { color: var(--quiet); font-size: .875rem; margin-bottom: .5rem; }
    .days { display: flex; align-items: flex-end; gap: 3px; height: 4.5rem;
      border-bottom: 1px solid var(--line); }
    .days i { flex: 1; height: var(--part); background: var(--bar); border-radius: 2px 2px 0 0; }
    .axis { font-size: .8125rem; }
    .bars { list-style: none; margin: 0; padding: 0; }
    .bars li { display: grid; grid-template-columns: 1fr auto; gap: 0 .75rem;
      padding: .125rem 0; font-size: .9375rem; }
    .bars span { overflow-wrap: anywhere; }
    .bars i { grid-column: 1 / -1; height: 4px; width: var(--part); background: var(--bar);
      border-radius: 2px; }
    .group { margin: .75rem 0; padding: .75rem 1rem; background: var(--card);
      border: 1px solid var(--line); border-radius: .5rem; }
    .group figure { background: var(--paper); }
    summary { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center;
      cursor: pointer; }
    summary::before { content: ""; flex: none; border: solid transparent;
      border-width: .3125rem 0 .3125rem .5rem; border-left-color: var(--quiet); }
    [open] > summary::before { transform: rotate(90deg); }
    .count { font-size: 1.5rem; font-weight: 600; min-width: 2ch; text-align: right; }
    .title { flex: 1 1 9rem; min-width: 0; display: flex; flex-direction: column; }
    .title b { overflow-wrap: anywhere; }
    .title code { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3;
      overflow: hidden; }
    .badges { display: flex; gap: .5rem; }
    .badge { font-size: .8125rem; padding: 0 .5rem; border: 1px solid currentColor;
      border-radius: 1rem; color: var(--quiet); }
    .fatal, .rising { color: var(--fatal); }
    .error { color: var(--error); }
    .warning { color: var(--warning); }
    table { border-collapse: collapse; font-size: .9375rem; }
    th { text-align: left; font-weight: 400; color: var(--quiet); padding: .125rem 1rem .125rem 0;
      vertical-align: top; white-space: nowrap; }
    td { padding: .125rem 0; overflow-wrap: anywhere; }
    ol { margin: 0; padding-left: 2.5rem; }
    ol code { display: block; max-height: 9rem; overflow: auto; }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden;
      clip-path: inset(50%); }
    """
}
