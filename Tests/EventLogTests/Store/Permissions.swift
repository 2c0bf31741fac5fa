import Foundation

/// File permissions, read without the library.
enum Permissions {
  static func of(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }
}
