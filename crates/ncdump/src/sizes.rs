//! `--sizes`: what takes the bytes of a dataset, as a table.

use ncutils_cli::columns::{self, Side};
use ncutils_cli::error_text;
use ncutils_cli::options::NCDUMP;
use ncutils_core::inspect::{self, DatasetSizes, VariableSizes, bytes_text, sizes_json};

use crate::arguments::Arguments;
use crate::input::{OpenedInput, check_all_printed, opened};

/// Cells of a bar that stands for all bytes.
const BAR: f64 = 20.0;

/// Prints the sizes of the input. Returns the exit status: 1 after a message if the schema leaves something out.
///
/// # Errors
/// What cannot be read or written.
pub fn print(arguments: &Arguments) -> anyhow::Result<u8> {
    let OpenedInput {
        input,
        reader,
        compressed_file,
    } = opened(arguments)?;
    let counted = inspect::sizes(&*reader, &arguments.registry);
    let sizes = counted.map_err(|error| error.in_file(input.name()))?;
    let sizes = sizes.in_compressed_file(compressed_file);
    let left_out = check_all_printed(reader.schema(), &input, true).err();
    let left_out = left_out.map(|error| error_text(&NCDUMP, error.into(), true));
    ncutils_cli::print(match arguments.json {
        true => sizes_json(&input.to_string(), &sizes, left_out.as_deref()),
        false => arguments.labelled(&text(&sizes)),
    })?;
    // The error is told here and not returned, so that the JSON of several inputs has one object for each.
    if let Some(text) = &left_out {
        arguments.messages.tell(text);
    }
    Ok(u8::from(left_out.is_some()))
}

/// A row for each variable, the largest first, and rows for the rest and for all.
fn text(sizes: &DatasetSizes) -> String {
    let head = [
        "stored", "memory", "ratio", "share", "", "variable", "type", "chunks", "filters",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(sizes.variables.iter().map(|of| variable(sizes, of)));
    let mut rest = |name: &str, bytes: Option<u64>, memory: Option<u64>| {
        let [bar, percent] = share(sizes.share(bytes));
        let ratio = memory.zip(bytes).filter(|(_, bytes)| *bytes > 0);
        rows.push([
            or_unknown(bytes),
            memory.map(bytes_text).unwrap_or_default(),
            ratio.map_or(String::new(), |(memory, bytes)| {
                ratio_text(memory as f64 / bytes as f64)
            }),
            bar,
            percent,
            format!("({name})"),
            String::new(),
            String::new(),
            String::new(),
        ]);
    };
    rest("metadata", sizes.metadata, None);
    if sizes.others.is_some_and(|others| others > 0) {
        rest("other data", sizes.others, None);
    }
    if sizes.padding > 0 {
        rest("padding", Some(sizes.padding), None);
    }
    rest("unused", sizes.unused, None);
    match sizes.compressed_file {
        None => rest("total", sizes.total, sizes.memory),
        Some(bytes) => {
            rest("total of the content", sizes.total, sizes.memory);
            rest("total: the compressed file", Some(bytes), sizes.memory);
            // Shares are those of the content.
            if let Some([_, _, _, bar, percent, ..]) = rows.last_mut() {
                bar.clear();
                percent.clear();
            }
        }
    }
    let mut text = String::new();
    let (left, right) = (Side::Left, Side::Right);
    columns::push(
        &mut text,
        [right, right, right, left, right, left, left, left, left],
        &rows,
    );
    text
}

fn variable(sizes: &DatasetSizes, of: &VariableSizes) -> [String; 9] {
    let [bar, percent] = share(sizes.share(of.counted()));
    let list = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let chunks = match (&of.chunk_shape, &of.same_as) {
        (_, Some(other)) => format!("those of {other}"),
        (None, None) => of.storage.to_owned(),
        (Some(shape), None) => {
            let shards = of.shard_shape.as_ref();
            let shards = shards.map_or(String::new(), |shape| format!(" in shards {}", list(shape)));
            format!("{}{}{shards}", list(shape), there(of))
        }
    };
    [
        or_unknown(of.space.stored),
        of.memory.map(bytes_text).unwrap_or_default(),
        of.ratio().map(ratio_text).unwrap_or_default(),
        bar,
        percent,
        of.path.clone(),
        match of.shape.is_empty() {
            true => of.type_name.clone(),
            false => format!("{}({})", of.type_name, list(&of.shape)),
        },
        chunks,
        of.filters.join("|"),
    ]
}

/// How many chunks or shards there are, such as ` ×366`, or ` ×12 of 366`.
fn there(of: &VariableSizes) -> String {
    match (of.space.shards, of.space.chunks, of.all_chunks) {
        (Some(shards), _, Some(all)) => format!(" ×{all}, {shards} shards"),
        (None, Some(some), Some(all)) if some != all => format!(" ×{some} of {all}"),
        (_, Some(all), _) | (_, None, Some(all)) => format!(" ×{all}"),
        _ => String::new(),
    }
}

/// A bar and a percentage.
fn share(share: Option<f64>) -> [String; 2] {
    let Some(share) = share else {
        return [String::new(), String::new()];
    };
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * BAR * 8.0).round() as usize;
    let bar = "█".repeat(eighths / 8) + EIGHTHS[eighths % 8];
    [bar, format!("{:.1} %", 100.0 * share)]
}

fn ratio_text(ratio: f64) -> String {
    match ratio < 99.95 {
        true => format!("{ratio:.1}"),
        false => format!("{ratio:.0}"),
    }
}

fn or_unknown(bytes: Option<u64>) -> String {
    bytes.map_or("?".to_owned(), bytes_text)
}
