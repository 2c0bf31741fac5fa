import EventLog
import EventLogRemotes
import Synchronization

extension Attachments {
  /// The whereabouts of an attachment's content, as far as they are known without asking a place.
  public enum Availability: Sendable, Hashable {
    /// It is here.
    case here
    /// It is being fetched, and this many bytes are here.
    case fetching(Int64)
    /// It isn't here, but at the places with these addresses.
    case elsewhere([String])
    /// It isn't here, and no place had all of it at the last sync.
    ///
    /// It appears when the device that has it syncs.
    case nowhere
    /// It isn't here, and not all places were asked yet.
    case unknown
  }

  /// Returns the whereabouts of an attachment's content.
  ///
  /// It asks the disk, but no place.
  ///
  /// - Parameter attachment: The attachment.
  public func availability(of attachment: Attachment) -> Availability {
    if folder.contains(attachment) { return .here }
    let remembered = rememberedContents
    return state.withLock { state in
      if let fetch = state.fetches[ContentKey(attachment)] { return .fetching(fetch.received) }
      func isAt(_ place: AttachmentPlace) -> Bool? {
        state.listings[place.address]?.isWhole(attachment)
          ?? remembered[place.address]?.contains(attachment)
      }
      func isAt(_ peer: PeerPlace) -> Bool? {
        state.peerContents[peer.address]?.contains(ContentID(attachment))
          ?? remembered[peer.address]?.contains(attachment)
      }
      let found =
        places.filter { isAt($0) ?? false }.map(\.address)
        + journals.filter { $0.contains(attachment) }.map(\.address)
        + peers.filter { isAt($0) ?? false }.map(\.address)
      if !found.isEmpty { return .elsewhere(found) }
      let areKnown = places.allSatisfy { isAt($0) != nil } && peers.allSatisfy { isAt($0) != nil }
      return areKnown ? .nowhere : .unknown
    }
  }

  /// The whereabouts of an attachment's content: now, and after each change.
  ///
  /// A row of a `LiveQuery` reads it in a task of its own, which ends with the row:
  ///
  /// ```swift
  /// for await availability in attachments.availabilities(of: photo) {
  ///   if case .elsewhere(let places) = availability { show("at \(places.count) places") }
  /// }
  /// ```
  ///
  /// A slow reader skips to the last one. The sequence ends with this object.
  ///
  /// - Parameter attachment: The attachment.
  public func availabilities(of attachment: Attachment) -> AsyncStream<Availability> {
    let updates = updates
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { reader in
      let task = Task { [weak self] in
        var last = self?.availability(of: attachment)
        if let last { reader.yield(last) }
        for await _ in updates {
          guard let now = self?.availability(of: attachment) else { break }
          if now != last { reader.yield(now) }
          last = now
        }
        reader.finish()
      }
      reader.onTermination = { _ in task.cancel() }
    }
  }

  /// A value after each change of an ``availability(of:)``.
  ///
  /// A slow reader receives one value for several changes. The sequence ends with this object.
  public var updates: AsyncStream<Void> { feed.updates }

  // MARK: - Memory

  /// The contents of places at the last transfers, also of earlier runs of the app.
  private var rememberedContents: [String: PlaceContents] {
    if let known = state.withLock(\.placeContents) { return known }
    let side = side
    var found: [String: PlaceContents] = [:]
    for address in places.map(\.address) + peers.map(\.address) {
      found[address] = PlaceContents(of: address, in: side)
    }
    let read = found
    return state.withLock { state in
      // A transfer may have ended meanwhile.
      let known = read.merging(state.placeContents ?? [:]) { $1 }
      state.placeContents = known
      return known
    }
  }

  /// Keeps which contents a place has at the end of a transfer.
  func remember(_ contents: PlaceContents, at address: String) async {
    let isNew = state.withLock { state in
      defer { state.placeContents?[address] = contents }
      return state.placeContents?[address] != contents
    }
    if !isNew { return }
    let side = side
    await worker.perform { contents.keep(of: address, in: side) }
  }
}
