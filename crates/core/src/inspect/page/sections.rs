//! The page as a whole.

use super::super::bytes_text::bytes_text;
use super::super::map::DatasetMap;
use super::super::sizes::DatasetSizes;
use super::escape::{name, smaller};
use super::legend::legend;
use super::treemap::treemap;
use super::variable::section;
use crate::copy::ratio;

/// Most rows of the table of variables.
const MOST_ROWS: usize = 500;

const STYLE: &str = include_str!("style.css");

/// The page of the dataset `title`: UTF-8, complete in itself. It may load nothing.
pub fn page(title: &str, map: &DatasetMap) -> String {
    let (title, sizes) = (name(title), &map.sizes);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}: map of bytes</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs><pattern id=\"stripes\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect class=\"p-back\" width=\"6\" height=\"6\"/><rect class=\"p-line\" width=\"2\" height=\"6\"/></pattern></defs></svg>\n<header><h1>{title}</h1>\n{}</header>\n<main>\n",
        summary(sizes)
    );
    html += "<section aria-labelledby=\"h-bytes\"><h2 id=\"h-bytes\">Where the bytes are</h2>\n<p class=\"quiet\">Each area is a number of bytes in the file. The colour is the ratio of bytes in memory to bytes in the file.</p>\n";
    html += &legend();
    html += &treemap(map);
    html += &table(sizes, map.variables.len());
    html += "</section>\n<section aria-labelledby=\"h-variables\"><h2 id=\"h-variables\">Variables</h2>\n<p class=\"quiet\">The largest first. A map is one step of the first dimension; a series is one point over it. Requests are chunks that a reader touches.</p>\n";
    for n in 0..map.variables.len() {
        html += &section(map, n);
    }
    let more = sizes.variables.len() - map.variables.len();
    if more > 0 {
        html += &format!("<p class=\"quiet\">Not shown here: {}.</p>\n", smaller(more));
    }
    html += "</section>\n</main>\n</body>\n</html>\n";
    html
}

fn summary(sizes: &DatasetSizes) -> String {
    let or_unknown = |bytes: Option<u64>| bytes.map_or("unknown".to_owned(), bytes_text);
    let mut facts = vec![
        ("Format", name(sizes.kind)),
        ("Size", or_unknown(sizes.file())),
        ("Variables", sizes.variables.len().to_string()),
        ("Metadata", or_unknown(sizes.metadata)),
        ("Unused", or_unknown(sizes.unused)),
    ];
    if let Some(memory) = sizes.memory {
        facts.insert(2, ("In memory", bytes_text(memory)));
    }
    if let Some(ratio) = sizes
        .memory
        .zip(sizes.data)
        .and_then(|(memory, data)| ratio(memory, data))
    {
        facts.insert(3, ("Ratio of data", format!("{ratio:.1}")));
    }
    if sizes.compressed_file.is_some() {
        facts.insert(2, ("Unpacked", or_unknown(sizes.total)));
    }
    let facts: String = facts
        .iter()
        .map(|(term, text)| format!("<div><dt>{term}</dt><dd>{text}</dd></div>"))
        .collect();
    format!("<dl class=\"summary\">{facts}</dl>\n")
}

/// All variables in rows, for those who cannot see areas.
fn table(sizes: &DatasetSizes, linked: usize) -> String {
    let mut html = String::from(
        "<details><summary>The same as a table</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Variables by bytes\"><table>\n<thead><tr><th scope=\"col\">Variable</th><th scope=\"col\" class=\"n\">Stored</th><th scope=\"col\" class=\"n\">Share</th><th scope=\"col\" class=\"n\">In memory</th><th scope=\"col\" class=\"n\">Ratio</th></tr></thead>\n<tbody>\n",
    );
    let mut row = |name: &str, stored: Option<u64>, memory: Option<u64>, ratio: Option<f64>| {
        let share = sizes.share(stored).map(|share| format!("{:.1} %", 100.0 * share));
        html += &format!(
            "<tr><th scope=\"row\">{name}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            stored.map(bytes_text).unwrap_or_default(),
            share.unwrap_or_default(),
            memory.map(bytes_text).unwrap_or_default(),
            ratio.map(|ratio| format!("{ratio:.1}")).unwrap_or_default(),
        );
    };
    for (n, of) in sizes.variables.iter().enumerate().take(MOST_ROWS) {
        let name = match n < linked {
            true => format!("<a href=\"#v{n}\">{}</a>", name(&of.path)),
            false => name(&of.path),
        };
        row(&name, of.counted(), of.memory, of.ratio());
    }
    row("(metadata)", sizes.metadata, None, None);
    if sizes.others.is_some_and(|others| others > 0) {
        row("(other data)", sizes.others, None, None);
    }
    if sizes.padding > 0 {
        row("(padding)", Some(sizes.padding), None, None);
    }
    row("(unused)", sizes.unused, None, None);
    let total = match sizes.compressed_file {
        None => "(total)",
        Some(_) => "(total of the content)",
    };
    row(total, sizes.total, sizes.memory, None);
    let more = sizes.variables.len().saturating_sub(MOST_ROWS);
    html += "</tbody></table></div>\n";
    if more > 0 {
        html += &format!("<p class=\"quiet\">Left out: {}.</p>\n", smaller(more));
    }
    html += "</details>\n";
    html
}
