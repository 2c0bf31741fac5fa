/// A position in a source, for reports.
enum SourceLocation: Sendable, Hashable, CustomStringConvertible {
  case line(file: String, Int)
  /// An element of a list: the path of the list is empty if the file is the list.
  case element(file: String, list: String, Int)
  /// A dictionary at a path in the file; empty for the whole file.
  case member(file: String, String)
  case key(String)

  var description: String {
    switch self {
    case .line(let file, let line): "\(file):\(line)"
    case .element(let file, let list, let index):
      list.isEmpty ? "\(file)[\(index)]" : "\(file): \(list)[\(index)]"
    case .member(let file, let path): path.isEmpty ? file : "\(file): \(path)"
    case .key(let name): "the key \"\(name)\""
    }
  }

  var file: String? {
    switch self {
    case .line(let file, _), .element(let file, _, _), .member(let file, _): file
    case .key: nil
    }
  }

  /// The position without the name of the file.
  var name: String {
    switch self {
    case .line(_, let line): "line \(line)"
    case .element(_, let list, let index): "\(list)[\(index)]"
    case .member(let file, let path): path.isEmpty ? file : path
    case .key: description
    }
  }

  var line: Int? { if case .line(_, let line) = self { line } else { nil } }
}
