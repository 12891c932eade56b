//! The section of one variable: facts, chunks, alternatives.

use super::super::bytes_text::bytes_text;
use super::super::map::{Alternative, DatasetMap, Reading, Storing, VariableMap};
use super::super::sizes::VariableSizes;
use super::chunks::figure;
use super::escape::{escape, name};

/// Variables that are open when the page comes.
const OPEN: usize = 3;

/// The section of the `n`-th variable.
pub(super) fn section(map: &DatasetMap, n: usize) -> String {
    let (of, shown) = (&map.sizes.variables[n], &map.variables[n]);
    let open = if n < OPEN { " open" } else { "" };
    let ratio = of
        .ratio()
        .map_or(String::new(), |ratio| format!(" · ratio {ratio:.1}"));
    let stored = of.counted().map_or(String::new(), bytes_text);
    let mut html = format!(
        "<details{open}><summary><span class=\"name\">{}</span> <span class=\"quiet\">{stored}{ratio}</span></summary>\n<div id=\"v{n}\" class=\"variable\" tabindex=\"-1\">\n",
        name(&of.path)
    );
    html += &facts(of, shown);
    if let Some(chunks) = &shown.chunks {
        html += &figure(chunks, &shown.dims);
    }
    if let Some(why) = &shown.unread {
        html += &format!("<p>No sample could be read: {}</p>\n", escape(why));
    }
    if shown.alternatives.len() > 1 {
        html += &table(of, &shown.alternatives);
    }
    html += "</div></details>\n";
    html
}

fn list(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" × ")
}

fn facts(of: &VariableSizes, shown: &VariableMap) -> String {
    let dims = shown.dims.iter().zip(&of.shape);
    let shape: Vec<String> = dims
        .map(|(dim, length)| format!("{} {length}", name(dim)))
        .collect();
    let chunks = match (&of.chunk_shape, &of.shard_shape) {
        (None, _) => of.storage.to_owned(),
        (Some(shape), None) => list(shape),
        (Some(shape), Some(shard)) => format!("{} in shards {}", list(shape), list(shard)),
    };
    let filters = match of.filters.is_empty() {
        true => "none".to_owned(),
        false => name(&of.filters.join(" | ")),
    };
    let shape = if shape.is_empty() {
        "one value".to_owned()
    } else {
        shape.join(" × ")
    };
    let mut rows = vec![
        ("Type", name(&of.type_name)),
        ("Shape", shape),
        ("Chunks", chunks),
        ("Filters", filters),
    ];
    if let Some(memory) = of.memory {
        rows.push(("In memory", bytes_text(memory)));
    }
    if let Some(other) = &of.same_as {
        rows.push(("Same data as", name(other)));
    }
    if of.space.is_elsewhere {
        rows.push(("Data", "in other files".to_owned()));
    }
    let rows: String = rows
        .iter()
        .map(|(term, text)| format!("<div><dt>{term}</dt><dd>{text}</dd></div>"))
        .collect();
    format!("<dl>{rows}</dl>\n")
}

fn table(of: &VariableSizes, all: &[Alternative]) -> String {
    let mut html = String::from(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"How it could be stored\"><table><caption>How it could be stored. Sizes with ≈ are estimates from a few samples.</caption>\n<thead><tr><th scope=\"col\">Storage</th><th scope=\"col\">Filters</th><th scope=\"col\">Chunks</th><th scope=\"col\" class=\"n\">Size</th><th scope=\"col\" class=\"n\">Read a map</th><th scope=\"col\" class=\"n\">Read a series</th></tr></thead>\n<tbody>\n",
    );
    for one in all {
        let chunks = match (&one.chunk_shape, one.chunks) {
            (Some(shape), Some(count)) => format!(
                "<span class=\"shape\">{}</span><br><span class=\"quiet\">{count} in all</span>",
                list(shape)
            ),
            _ => of.storage.to_owned(),
        };
        let size = match (one.storing, one.bytes) {
            (_, None) => "not sampled".to_owned(),
            (Storing::Present, Some(bytes)) => bytes_text(bytes),
            (_, Some(bytes)) => format!("≈ {}", bytes_text(bytes)),
        };
        let reading = |reading: Reading| {
            let requests = match reading.requests {
                1 => "1 request".to_owned(),
                n => format!("{n} requests"),
            };
            match one.bytes {
                Some(_) => format!(
                    "{requests}<br><span class=\"quiet\">{}</span>",
                    bytes_text(reading.bytes)
                ),
                None => requests,
            }
        };
        let [map, series] = match one.readings {
            Some(readings) => [reading(readings.map), reading(readings.series)],
            None => ["–".to_owned(), "–".to_owned()],
        };
        html += &format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{chunks}</td><td class=\"n\">{size}</td><td class=\"n\">{map}</td><td class=\"n\">{series}</td></tr>\n",
            storing(of, one),
            name(&one.filters),
        );
    }
    html += "</tbody></table></div>\n";
    html
}

/// The name of an alternative, and the command that makes it.
fn storing(of: &VariableSizes, one: &Alternative) -> String {
    let path = of.path.trim_start_matches('/');
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '.');
    let is_plain = !path.is_empty() && path.chars().all(is_plain);
    let shape = one
        .chunk_shape
        .iter()
        .flatten()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join(",");
    let (what, command) = match one.storing {
        Storing::Present => ("As it is", None),
        Storing::Auto => ("Other filters", Some(format!("nccopy -F '{},auto'", of.path))),
        Storing::Balanced => (
            "Chunks for maps and series",
            Some(format!("nccopy -c {}:{shape} -F '{},auto'", of.path, of.path)),
        ),
        Storing::Zarr => (
            "Zarr, a key for each chunk",
            Some("nccopy -k zarr3 --shard none".to_owned()),
        ),
    };
    match command.filter(|_| is_plain) {
        Some(command) => format!("{what}<br><code>{}</code>", escape(&command)),
        None => what.to_owned(),
    }
}
