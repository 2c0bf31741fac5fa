extension Ledger { package var reissues: [Reissue] { [] } }
