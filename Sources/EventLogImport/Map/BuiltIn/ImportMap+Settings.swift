extension ImportMap {
  /// The map of a birthday and ten settings in `UserDefaults`.
  ///
  /// Each setting has up to three keys: one per account, one for the guest, and one from before
  /// accounts existed.
  static let settingsText = #"""
    {
      "source": "defaults",
      "ignored": ["NS*", "Apple*", "AK*", "PK*", "WebKit*", "com.apple.*"],
      "places": [
        {"name": "account", "pattern": "{key}_{user}_{email}"},
        {"name": "guest", "pattern": "Guest{key}", "user": "guest"},
        {"name": "device", "pattern": "{key}"}
      ],
      "keys": {
        "UserBirthday": {"kind": "profile", "field": "birthday"},
        "UserTheme": {
          "kind": "settings", "field": "theme", "lenient": true,
          "values": {
            "0": "system", "1": "light", "2": "dark",
            "system": "system", "light": "light", "dark": "dark"
          }
        },
        "UserLanguage": {"kind": "settings", "field": "language", "as": "text"},
        "UserUnits": {"kind": "settings", "field": "units", "as": "text"},
        "UserWeekStart": {"kind": "settings", "field": "weekStart", "as": "whole"},
        "UserTextSize": {"kind": "settings", "field": "textSize", "as": "number"},
        "UserReminders": {"kind": "settings", "field": "reminders", "as": "flag"},
        "UserReminderTime": {"kind": "settings", "field": "reminderTime", "as": "text"},
        "UserSounds": {"kind": "settings", "field": "sounds", "as": "flag"},
        "UserHaptics": {"kind": "settings", "field": "haptics", "as": "flag"},
        "UserHiddenSections": {"kind": "settings", "field": "hiddenSections", "as": "any"}
      }
    }

    """#
}
