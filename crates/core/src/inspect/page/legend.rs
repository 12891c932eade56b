//! The colours of classes.

use super::super::map::Compression;

/// The class in the style of the page.
pub(super) fn style(class: Compression) -> &'static str {
    match class {
        Compression::None => "c-none",
        Compression::Noise => "c-noise",
        Compression::Low => "c-low",
        Compression::Middle => "c-middle",
        Compression::Good => "c-good",
        Compression::High => "c-high",
        Compression::Constant => "c-constant",
        Compression::Missing => "c-missing",
        Compression::Unknown => "c-unknown",
    }
}

/// The legend.
pub(super) fn legend() -> String {
    let mut html =
        String::from("<ul class=\"legend\" aria-label=\"Colours: bytes in memory for each stored byte\">\n");
    for class in Compression::ALL {
        html += &format!(
            "<li><svg class=\"swatch\" width=\"14\" height=\"14\" aria-hidden=\"true\"><rect class=\"{}\" width=\"14\" height=\"14\"/></svg> {}</li>\n",
            style(class),
            class.text()
        );
    }
    html += "</ul>\n";
    html
}
