/// The store of another app whose values were imported.
package struct ImportSource: Sendable, Hashable {
  /// The name of the source, such as `loop`.
  package let name: String
  /// The place of the values in the source, such as `guest`, or an empty string.
  package let place: String

  package init(name: String, place: String = "") {
    (self.name, self.place) = (name, place)
  }

  /// The members of `device.joined` that state it.
  package var members: [JSONObject.Member] {
    let name = JSONObject.Member(name: "source", value: .string(name))
    return place.isEmpty ? [name] : [name, .init(name: "place", value: .string(place))]
  }

  /// The bytes that identify it.
  fileprivate var key: [UInt8] { Array("\(name.utf8.count):\(name)\(place)".utf8) }
}

// A history belongs to a source if its first event states one.

extension Ledger {
  /// Records the source that the first event of a history states.
  @inline(never)
  mutating func noteSource(of branch: Int, _ layout: LineLayout, _ canonical: Span<UInt8>) {
    guard let name = Self.text("source", of: layout, in: canonical), !name.isEmpty else { return }
    let place = Self.text("place", of: layout, in: canonical) ?? ""
    let source = ImportSource(name: name, place: place)
    branches[branch].source = Int32(sources.intern(source.key))
  }

  /// Whether an import wrote the events of a branch.
  @inline(__always)
  package func isSource(_ branch: Int32) -> Bool { branches[Int(branch)].source >= 0 }

  /// Whether imports wrote all histories of a device, so that its forks need no notice.
  func isSourceOnly(_ device: Int) -> Bool {
    devices[device].branches.allSatisfy { isSource($0) }
  }

  /// The last events of the histories that belong to a source.
  ///
  /// - Parameter event: An event whose writer had seen some of them, which are left out, or nil.
  package func tips(
    of source: ImportSource, unseenBy event: FullEventID? = nil
  ) -> [FullEventID] {
    guard let number = sources.find(source.key) else { return [] }
    let writer = event.flatMap(locate)
    return tips.filter { tip in
      branches[Int(tip.branch)].source == number && !(writer.map { hasSeen($0, tip) } ?? false)
    }.map(fullID).sorted()
  }
}
