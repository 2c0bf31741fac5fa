/// How an append refers to its entity.
package enum EntityReference: Sendable, Hashable {
  /// Exactly this entity.
  case exact(EntityID)
  /// The entity of the type's kind that has this key, or else the only one whose key begins with
  /// the text or whose `name` is the text.
  case matching(String)
  /// A new entity with a generated key.
  case minted
}
