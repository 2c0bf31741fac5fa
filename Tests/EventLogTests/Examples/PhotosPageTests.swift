import EventLog
import EventLogAttachments
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

// Docs: begin
struct Dish: Record {
  var name = ""
  var photo: Attachment?

  static let schema = Schema<Dish>(
    "dish", [.register("name", \.name), .register("photo", \.photo)])
}
// Docs: end

/// Swift Testing has a type of this name, too.
typealias Attachment = EventLogAttachments.Attachment

/// The samples of the page on photos compile and behave as described.
@Suite struct PhotosPageTests {
  @Test func `a photo reaches another device through a folder`() async throws {
    let (phone, tablet) = (
      try await TemporaryStore(records: Dish.self),
      try await TemporaryStore(device: "tablet", records: Dish.self)
    )
    let (store, jpeg) = (phone.store, Data([0, 1, 2]))
    let sharedFolder = URL(fileURLWithPath: phone.folder.file("Shared"))
    // Docs: begin
    let photo = try await store.attach(jpeg, type: "image/jpeg", name: "soup.jpg")
    let soup = try await store.create(Dish.self) {
      $0.name = "Soup"
      $0.photo = photo
    }.id
    // Docs: end
    // Docs: begin
    let remotes = [FolderRemote(sharedFolder)]
    let attachments = Attachments(of: store, at: remotes)
    attachments.follow(store.replicate(with: remotes))
    // Docs: end
    let shared = FolderRemote(sharedFolder)
    try await store.sync(with: shared)
    #expect(await attachments.sync().allSatisfy { $0.error == nil && $0.missing.isEmpty })
    try await tablet.store.sync(with: shared)
    #expect(await Attachments(of: tablet.store, at: [shared]).sync().map(\.received) == [[photo]])
    try await show(store, soup, attachments, remotes)
    try await store.close()
  }

  private func show(
    _ store: EventStore, _ soup: ID<Dish>, _ attachments: Attachments, _ remotes: [FolderRemote]
  ) async throws {
    var shown: [String] = []
    func show(_ text: String) { shown.append(text) }
    func show(_ url: URL) { shown.append(url.pathExtension) }
    // Docs: begin
    let some = Attachments(
      of: store, at: remotes, options: AttachmentOptions(fetching: .upTo(bytes: 500 << 20)))
    // Docs: end
    // Docs: begin
    if let photo = store.snapshot[soup]?.photo {
      switch attachments.availability(of: photo) {
      case .here: show(try await attachments.url(of: photo))
      case .fetching(let received): show("\(received) of \(photo.bytes) bytes")
      case .elsewhere(let places): show("Tap to fetch it from \(places[0])")
      case .nowhere: show("The device that has it didn't sync yet")
      case .unknown: show("Not asked yet")
      }
    }
    // Docs: end
    // Docs: begin
    func follow(_ photo: Attachment) async {
      for await availability in attachments.availabilities(of: photo) { show("\(availability)") }
    }
    // Docs: end
    #expect(shown == [""] && some.remotesWithout.isEmpty)
    // Docs: begin
    let report = try await attachments.release()
    // Docs: end
    #expect(report.released.isEmpty && report.removed.isEmpty)
  }
}
