/// How an append names the entity it is about.
package enum EntityReference: Sendable, Hashable {
  /// Exactly this one.
  case exact(EntityID)
  /// The one of the type's kind that has this key, else the only one whose key begins so or whose
  /// `name` is this.
  case matching(String)
  /// A fresh key.
  case minted
}
