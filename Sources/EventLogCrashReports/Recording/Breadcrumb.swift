/// The steps of an app that crash reports list, such as the screens that a person opens.
///
/// Declare all of them in one enum. Their names are part of the program, so a breadcrumb can't
/// contain anything that a person has entered:
///
/// ```swift
/// enum Step: String, Breadcrumb { case opened, saved, synced }
/// ```
///
/// An enum has at most 120 cases. Their names have 1–32 of the characters `a–z A–Z 0–9 . _ -`.
public protocol Breadcrumb: CaseIterable, RawRepresentable, Sendable where RawValue == String {}
