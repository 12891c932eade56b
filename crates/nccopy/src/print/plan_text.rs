//! What `nccopy --dry-run` prints.

use ncutils_core::copy::archive::ArchiveRoute;
use ncutils_core::copy::{Description, Estimate, VariableDescription};
use ncutils_core::filter::{Registry, spec::json_text};
use ncutils_core::format::netcdf4::verbatim::OtherDataset;
use ncutils_core::location::Location;
use ncutils_core::model::{CodecSpec, Encoding, Endian, ExternalPart, Storage, VariableLayout};
use serde_json::{Value, json};

use super::columns::{self, Side};
use super::report;
use crate::arguments::Arguments;

/// What a copy of HDF5 as it is does beside the plan: datasets that the engine does not copy.
#[derive(Clone, Copy)]
pub struct Beside<'a> {
    /// The datasets.
    pub datasets: &'a [OtherDataset],
    /// What names their filters.
    pub registry: &'a Registry,
}

impl Beside<'_> {
    /// What happens to the elements of a dataset, in the words of routes.
    pub fn route(dataset: &OtherDataset) -> &'static str {
        match dataset.has_data {
            true => "values",
            false => "nothing",
        }
    }

    fn filters<'d>(&self, dataset: &'d OtherDataset) -> Vec<(String, &'d CodecSpec)> {
        let specs = dataset.layout.iter().flat_map(|layout| &layout.filters);
        let name = |spec: &CodecSpec| match self.registry.find(spec) {
            Some(codec) => codec.name().to_owned(),
            None => spec.name().to_owned(),
        };
        specs.map(|spec| (name(spec), spec)).collect()
    }
}

/// The name of the kind of an output: HDF5 if it is copied as it is.
fn kind(plan: &Description, beside: Option<Beside<'_>>) -> &'static str {
    match beside {
        Some(_) => "HDF5",
        None => plan.kind.name(),
    }
}

/// The kind of the output, a table with a row for each variable, and the memory of the whole copy.
pub fn text(plan: &Description, estimates: &[Estimate], beside: Option<Beside<'_>>) -> String {
    let mut text = format!("kind: {}\n", kind(plan, beside));
    let head = [
        "variable",
        "route",
        "storage",
        "shape",
        "order",
        "filters",
        "chunks",
        "memory",
        "old-shape",
        "old-filters",
        "old-bytes",
        "bytes",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(plan.variables.iter().enumerate().map(|(at, var)| {
        let estimate = estimates.get(at);
        let before = estimate.and_then(|estimate| estimate.before.as_ref());
        let bytes = |bytes: Option<u64>| bytes.map_or("-".to_owned(), |bytes| bytes.to_string());
        [
            var.name.to_owned(),
            var.routes.to_string(),
            storage(var).to_owned(),
            or_dash(shape(var.layout)),
            byte_order(var.layout).unwrap_or("-").to_owned(),
            or_dash(filters(&var.filters)),
            var.chunks.to_string(),
            var.memory.to_string(),
            or_dash(before.map_or(String::new(), shape)),
            or_dash(before.map_or(String::new(), |layout| filters(&named(&layout.filters)))),
            bytes(estimate.and_then(|estimate| estimate.bytes_before)),
            bytes(estimate.and_then(|estimate| estimate.bytes)),
        ]
    }));
    if let Some(beside) = beside {
        rows.extend(beside.datasets.iter().map(|dataset| {
            let of_layout =
                |text: fn(&VariableLayout) -> String| dataset.layout.as_ref().map_or(String::new(), text);
            [
                dataset.path.clone(),
                Beside::route(dataset).to_owned(),
                dataset.storage.to_owned(),
                or_dash(of_layout(shape)),
                "-".to_owned(),
                or_dash(filters(&beside.filters(dataset))),
                "-".to_owned(),
                "-".to_owned(),
                "-".to_owned(),
                "-".to_owned(),
                "-".to_owned(),
                "-".to_owned(),
            ]
        }));
    }
    let mut sides = [Side::Left; 12];
    for at in [6, 7, 10, 11] {
        sides[at] = Side::Right;
    }
    columns::push(&mut text, sides, &rows);
    let sum = |of: fn(&Estimate) -> Option<u64>| {
        let mut bytes = estimates.iter().map(of);
        bytes.try_fold(0u64, |sum, bytes| Some(sum.saturating_add(bytes?)))
    };
    let totals = sum(|estimate| estimate.bytes_before).zip(sum(|estimate| estimate.bytes));
    if let Some((before, after)) = totals.filter(|_| beside.is_none() && !estimates.is_empty()) {
        text += &format!("{before} bytes of data become about {after}; ");
    }
    text + &format!("memory for data about {} bytes\n", plan.memory)
}

/// What a copy of bytes to or from an archive will do.
pub fn bytes(route: &ArchiveRoute) -> &'static str {
    match route {
        ArchiveRoute::Copy | ArchiveRoute::Convert(..) => "copy",
        ArchiveRoute::Pack(_) => "pack the bytes of the file",
        ArchiveRoute::Repack(_) => "copy the blocks of the archive",
        ArchiveRoute::Restore => "restore the bytes of the original",
    }
}

/// Prints what a copy will do that has one route.
///
/// # Errors
/// Failures of standard output.
pub(crate) fn print_route(
    route: &str,
    locations: (&Location, &Location),
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let (text, json) = (|| format!("{route}\n"), || json!({"route": route}));
    report::print("plan", locations, arguments, text, json)
}

/// The same as a JSON object.
pub fn json(plan: &Description, estimates: &[Estimate], beside: Option<Beside<'_>>) -> Value {
    let mut variables: Vec<_> = plan
        .variables
        .iter()
        .enumerate()
        .map(|(at, var)| {
            let estimate = estimates.get(at);
            let filters: Vec<_> = var
                .filters
                .iter()
                .map(|(name, spec)| filter(name, spec))
                .collect();
            json!({
                "name": var.name,
                "route": report::route(&var.routes),
                "routes": report::routes(&var.routes),
                "storage": storage(var),
                "external": var.external.map(external),
                "shape": var.layout.chunk_shape(),
                "shard": var.layout.shard,
                "byte_order": byte_order(var.layout),
                "filters": filters,
                "chunks": var.chunks,
                "memory": var.memory,
                "before": estimate.and_then(before),
                "bytes": estimate.and_then(|estimate| estimate.bytes),
            })
        })
        .collect();
    if let Some(beside) = beside {
        variables.extend(beside.datasets.iter().map(|dataset| {
            let filters = beside.filters(dataset);
            let filters: Vec<_> = filters.iter().map(|(name, spec)| filter(name, spec)).collect();
            json!({
                "name": dataset.path,
                "route": Beside::route(dataset),
                "routes": null,
                "storage": dataset.storage,
                "external": null,
                "shape": dataset.layout.as_ref().map(VariableLayout::chunk_shape),
                "shard": null,
                "byte_order": null,
                "filters": filters,
                "chunks": null,
                "memory": null,
                "before": null,
                "bytes": null,
            })
        }));
    }
    json!({"kind": kind(plan, beside), "variables": variables, "memory": plan.memory})
}

/// How the input stores a variable.
fn before(estimate: &Estimate) -> Option<Value> {
    let layout = estimate.before.as_ref()?;
    let filters = named(&layout.filters);
    let filters: Vec<_> = filters.iter().map(|(name, spec)| filter(name, spec)).collect();
    Some(json!({
        "shape": layout.chunk_shape(),
        "filters": filters,
        "bytes": estimate.bytes_before,
    }))
}

/// Filters with the names that they have in the registry of this build.
fn named(specs: &[CodecSpec]) -> Vec<(String, &CodecSpec)> {
    let registry = Registry::builtin();
    let name = |spec: &CodecSpec| {
        let known = registry.find(spec);
        known.map_or_else(|| spec.name().to_owned(), |codec| codec.name().to_owned())
    };
    specs.iter().map(|spec| (name(spec), spec)).collect()
}

/// The parts of files that hold the raw data of a variable.
fn external(parts: &[ExternalPart]) -> Vec<Value> {
    let parts = parts.iter();
    parts
        .map(|part| json!({"file": part.file, "offset": part.offset, "size": part.size}))
        .collect()
}

fn storage(var: &VariableDescription) -> &'static str {
    match var.layout.storage {
        _ if var.external.is_some() => "external",
        Storage::Chunked { .. } => "chunked",
        Storage::Compact => "compact",
        Storage::Blocks { .. } => "blocks",
        _ => "contiguous",
    }
}

/// The shape of a chunk, or of the whole variable in one piece; with the shape of a shard, where there are shards.
fn shape(layout: &VariableLayout) -> String {
    let joined = |shape: &[u64]| shape.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    match &layout.shard {
        Some(shard) => format!("{} in {}", joined(layout.chunk_shape()), joined(shard)),
        None => joined(layout.chunk_shape()),
    }
}

/// The order of the bytes of a number; `None` where none matters.
fn byte_order(layout: &VariableLayout) -> Option<&'static str> {
    match layout.encoding {
        Encoding::Numbers { unit } if unit > 1 => Some(match layout.endian {
            Endian::Little => "little",
            Endian::Big => "big",
        }),
        _ => None,
    }
}

/// The filters as `-F` has them, with names in place of the ids that have one.
fn filters(filters: &[(String, &CodecSpec)]) -> String {
    let one = |(name, spec): &(String, &CodecSpec)| match spec.hdf5_id() {
        None => json_text::metadata(spec).to_string(),
        Some(id) => {
            let name = if name.is_empty() {
                id.to_string()
            } else {
                name.clone()
            };
            spec.parameters()
                .iter()
                .fold(name, |text, p| format!("{text},{p}"))
        }
    };
    filters.iter().map(one).collect::<Vec<_>>().join("|")
}

fn filter(name: &str, spec: &CodecSpec) -> Value {
    let mut filter = json_text::metadata(spec);
    if let Value::Object(members) = &mut filter
        && spec.hdf5_id().is_some()
    {
        members.insert("name".to_owned(), name.into());
    }
    filter
}

fn or_dash(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
}
