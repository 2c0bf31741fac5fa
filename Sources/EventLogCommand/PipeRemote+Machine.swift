import EventLog
import EventLogPipe

extension PipeRemote {
  /// Connects to a journal on another machine, as the environment variables specify.
  init(_ machine: MachineAddress, acceptsDevices: Bool) throws(EventLogError) {
    var ssh = ["ssh"]
    if let words = Terminal.environment("EVENTLOG_SSH"), !words.isEmpty {
      guard let split = ShellWord.split(words), !split.isEmpty else {
        throw .usage(
          "EVENTLOG_SSH has an unclosed quote, or no words.", "sync",
          hint: "Set it to a program and its arguments, for example: ssh -i 'my key'")
      }
      ssh = split
    }
    let command = Terminal.environment("EVENTLOG_REMOTE_COMMAND") ?? ""
    self.init(
      machine, through: ssh, remoteCommand: command.isEmpty ? "eventlog" : command,
      acceptsDevices: acceptsDevices, limits: try .ofEnvironment("sync"))
  }
}
