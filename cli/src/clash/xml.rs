//! Text in XML.

/// With what XML gives a meaning escaped, and without what it does not allow (XML 1.0, section 2.2).
pub fn escaped(text: &str) -> String {
    let allowed =
        |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    let text: String = text.chars().map(|c| if allowed(c) { c } else { '\u{fffd}' }).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
