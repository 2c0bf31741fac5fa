/// XMP with a position among other properties.
struct PhotoXMP {
  var secret: Secret?
  /// The prefix that is bound to the namespace of Exif.
  var prefix = "exif"
  var usesElements = false
  var padding = 40

  var packet: PlantedBytes {
    var text = PlantedBytes(
      """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><!-- GPS > -->
      <rdf:Description xmlns:\(prefix)="http://ns.adobe.com/exif/1.0/" tiff:Orientation='6'
      """)
    if let secret, !usesElements { text += attributes(secret) }
    text += PlantedBytes(" xmp:CreateDate=\"2026-11-27\">\n<dc:title>1 &gt; 0</dc:title>")
    if let secret, usesElements { text += elements(secret) }
    text += PlantedBytes("<xmp:Rating>5</xmp:Rating></rdf:Description></rdf:RDF></x:xmpmeta>")
    return text + PlantedBytes(String(repeating: " ", count: padding) + "<?xpacket end=\"w\"?>")
  }

  private func attributes(_ secret: Secret) -> PlantedBytes {
    PlantedBytes(" ")
      + PlantedBytes("\(prefix):GPSLatitude=\"\(secret.latitudeText)\"", isPosition: true)
      + PlantedBytes("\n")
      + PlantedBytes("\(prefix):GPSLongitude = '\(secret.longitudeText)'", isPosition: true)
  }

  private func elements(_ secret: Secret) -> PlantedBytes {
    PlantedBytes(
      "<\(prefix):GPSLatitude>\(secret.latitudeText)</\(prefix):GPSLatitude >", isPosition: true)
      + PlantedBytes("\n")
      + PlantedBytes(
        "<drone:GpsLongtitude rdf:parseType=\"Resource\"><rdf:value a=\"/>\">"
          + "\(secret.longitudeText)</rdf:value></drone:GpsLongtitude>", isPosition: true)
      + PlantedBytes("<\(prefix):GPSAltitude rdf:resource='\(secret.text)' />", isPosition: true)
  }
}
