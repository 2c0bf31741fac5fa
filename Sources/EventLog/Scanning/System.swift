// Apps read an `Errno` as the cause of an error, and need no second import for that.
@_exported public import EventLogSystem
