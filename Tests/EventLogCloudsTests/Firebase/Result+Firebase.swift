import EventLogClouds
import Foundation

extension Result<HTTPResponse, HTTPFault> {
  static func json(_ status: Int, _ text: String) -> Self {
    .success(HTTPResponse(status: status, body: Array(text.utf8)))
  }

  /// Returns an error response of Firebase.
  static func refused(_ message: String, _ status: Int = 400) -> Self {
    json(
      status,
      #"{"error":{"code":\#(status),"message":"\#(message)","status":"INVALID_ARGUMENT"}}"#)
  }

  static func signedIn(
    _ user: String, provider: String = "anonymous", refresh: String = "refresh-1",
    project: String = "diary", serial: Int = 1
  ) -> Self {
    let token = Self.token(user, provider: provider, project: project, serial: serial)
    return json(
      200,
      #"{"kind":"x","localId":"\#(user)","idToken":"\#(token)","refreshToken":"\#(refresh)","#
        + #""expiresIn":"3600"}"#)
  }

  /// Returns a response of `securetoken`.
  static func renewed(
    _ user: String, serial: Int, refresh: String = "refresh-1", provider: String = "anonymous",
    project: String = "diary"
  ) -> Self {
    let token = Self.token(user, provider: provider, project: project, serial: serial)
    return json(
      200,
      #"{"access_token":"\#(token)","expires_in":"3600","token_type":"Bearer","refresh_token":"#
        + #""\#(refresh)","id_token":"\#(token)","user_id":"\#(user)","project_id":"123"}"#)
  }

  static func token(
    _ user: String, provider: String = "anonymous", project: String = "diary", serial: Int = 1,
    end: Int64 = FirebaseFixture.start / 1000 + 3600
  ) -> String {
    let claims =
      #"{"sub":"\#(user)","aud":"\#(project)","exp":\#(end),"n":\#(serial),"firebase":"#
      + #"{"sign_in_provider":"\#(provider)"}}"#
    return "e30." + Data(claims.utf8).base64EncodedString().replacing("=", with: "") + ".s"
  }
}
