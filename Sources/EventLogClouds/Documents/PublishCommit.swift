import EventLog

/// The changes of one commit.
struct PublishCommit: Sendable {
  var written: [PublishedDocument] = []
  var deleted: [String] = []
  private var bytes = 0

  private var count: Int { written.count + deleted.count }

  /// Divides the changes so that each commit keeps to the limits; at least one commit.
  static func split(
    _ difference: PublishDifference, max: (documents: Int, bytes: Int)
  ) -> [PublishCommit] {
    var commits = [PublishCommit()]
    func next(_ bytes: Int) {
      let last = commits[commits.count - 1]
      if last.count == max.documents || last.count > 0 && last.bytes + bytes > max.bytes {
        commits.append(PublishCommit())
      }
      commits[commits.count - 1].bytes += bytes
    }
    for document in difference.written {
      next(document.byteCount)
      commits[commits.count - 1].written.append(document)
    }
    for path in difference.deleted {
      next(path.utf8.count)
      commits[commits.count - 1].deleted.append(path)
    }
    return commits
  }
}

extension PublishedDocument {
  /// About how many bytes it has.
  var byteCount: Int {
    fields.reduce(path.utf8.count) { sum, field in
      var bytes: [UInt8] = []
      if case .json(let value) = field.value { value.write(to: &bytes) }
      return sum + field.key.utf8.count + 2 * bytes.count + 40
    }
  }
}
