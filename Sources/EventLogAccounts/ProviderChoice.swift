/// The choice of the providers that keep an account's events.
public enum ProviderChoice: Sendable, Hashable {
  /// The first provider that works, in the app's order.
  case automatic
  /// The provider with this name, and never another one.
  case only(String)
  /// None: the events stay on this device.
  case local
}
