//! Options that change nothing in a copy, although its mode takes them: a line for each.

use ncutils_core::copy::plan::{CopyOptions, CopyPlan};
use ncutils_core::filter::spec::Targets;
use ncutils_core::message::some_of;
use ncutils_core::model::{CodecSpec, Kind};

/// HDF5's ids of filters that make nothing smaller: shuffle and the checksum.
const SHUFFLE: u32 = 2;
const CHECKSUM: u32 = 3;

/// The options of a copy that change nothing, each with why, and what to give in its place. `has_char_strings` is true with
/// `--strings char`.
pub fn lines(options: &CopyOptions, plan: &CopyPlan, has_char_strings: bool) -> Vec<String> {
    let kind = plan.schema.kind;
    let can = kind.can();
    let nothing = |option: &str, why: &str| format!("{option} changes nothing: {why}");
    let of_kind = |option: &str, lacks: &str| nothing(option, &format!("the kind '{}' {lacks}", kind.name()));
    let mut lines = Vec::new();
    let filters_all = options
        .filters
        .iter()
        .any(|request| request.targets == Targets::All);
    let id = |codec: &CodecSpec| options.registry.hdf5_id(codec);
    let layouts = || plan.variables.iter().map(|variable| &variable.layout);
    let has_filters = layouts().any(|layout| !layout.filters.is_empty());
    if options.shuffle {
        let is_shuffled =
            layouts().any(|layout| layout.filters.iter().any(|codec| id(codec) == Some(SHUFFLE)));
        let deflates = options.deflate.is_some_and(|level| level > 0) && has_filters;
        if filters_all {
            lines.push(nothing(
                "-s",
                "-F sets all filters; shuffle by -F too, as in '*,shuffle|deflate,5'",
            ));
        } else if can.codecs.is_none() {
            lines.push(of_kind("-s", "has no filters; use -k nc4 or nc7"));
        } else if !deflates && !is_shuffled {
            lines.push(nothing(
                "-s",
                "it shuffles what is deflated, and nothing is; add -d",
            ));
        }
    }
    if options.deflate.is_some() && filters_all {
        lines.push(nothing("-d", "-F sets all filters"));
    }
    let is_larger = |codec: &CodecSpec| matches!(id(codec), Some(SHUFFLE | CHECKSUM));
    let quantized = plan.variables.iter().zip(&plan.schema.vars).filter(|(copy, _)| {
        let compresses = copy.layout.filters.iter().any(|codec| !is_larger(codec));
        copy.quantization.is_some() && !compresses
    });
    let quantized: Vec<&str> = quantized.map(|(_, var)| var.name.as_str()).collect();
    if !quantized.is_empty() {
        lines.push(format!(
            "--quantize makes nothing smaller without compression; add -d or -F: {}",
            some_of(&quantized, quantized.len())
        ));
    }
    if !can.references {
        let asked = [
            (options.inline_bytes.is_some(), "--inline"),
            (options.copy_ragged, "--copy-ragged"),
        ];
        let given = asked.iter().filter(|(given, _)| *given);
        lines.extend(given.map(|(_, option)| of_kind(option, "has no references")));
    }
    if !can.chunks {
        if !options.chunking.is_empty() {
            lines.push(of_kind("-c", "has no chunks"));
        }
        if options.min_chunk_bytes.is_some() {
            lines.push(of_kind("-M", "has no chunks"));
        }
    }
    if options.shard_index.is_some() && !can.shards {
        lines.push(of_kind("--shard-index", "has no shards"));
    } else if options.shard_index.is_some() && layouts().all(|layout| layout.shard.is_none()) {
        lines.push(nothing("--shard-index", "no variable has shards; add --shard"));
    }
    if options.skip_fill && !can.skips_chunks {
        lines.push(of_kind("--skip-fill", "stores all chunks"));
    }
    if options.string_length.is_some() && !can.fixed_strings && !has_char_strings {
        lines.push(of_kind("--strlen", longer(kind)));
    }
    if options.with_coordinates && options.variables.is_none() && options.groups.is_none() {
        lines.push(nothing(
            "--with-coordinates",
            "it adds to what -v, -V, -g and -G choose, and none of them is given",
        ));
    }
    lines
}

/// Why strings of a kind have no length to set.
fn longer(kind: Kind) -> &'static str {
    match kind.can().user_types {
        true => "gives each string its own length",
        false => "has no strings but characters",
    }
}
