import EventLog
import EventLogAttachments

/// The part of `eventlog verify` about the files beside a journal.
struct AttachmentVerification {
  let isSound: Bool

  /// Checks all files, and notes the damaged ones.
  ///
  /// They are notes in JSON, too, whose object is about the journal alone.
  init(beside path: String, _ console: Console) throws(EventLogError) {
    let folder = AttachmentFolder(beside: path, fileSystem: console.progress.fileSystem)
    let all = try folder.damaged()
    let damaged = all.filter { folder.mayBeNamed($0, in: path) }
    for sha256 in all {
      console.note(
        "\(Visible.text(folder.file(of: sha256))): damaged: its bytes don't have the SHA-256 in its"
          + " name.\(damaged.contains(sha256) ? "" : " No event names it.")")
    }
    if !damaged.isEmpty {
      console.note(
        "Hint: eventlog attachments \(ShellWord.path(path)) --check --fetch fetches"
          + " \(damaged.count == 1 ? "it" : "them") from the remotes.")
    }
    isSound = damaged.isEmpty
  }
}
