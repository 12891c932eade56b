//! The filters of the programs: the built-in ones, and plugins. The list of filters, and what the help says of them.

use std::fmt::Write as _;
use std::sync::Arc;

use clap::ArgMatches;
use ncutils_core::copy::decode_limit;
use ncutils_core::filter::Registry;
use ncutils_core::model::ZarrVersion::{V2, V3};
use ncutils_plugin::{Directories, PluginFinder, SUPPORTED, missing};

/// Id of the option that puts plugins before built-in filters.
const PREFER_PLUGIN: &str = "prefer-plugin";

/// The filters of a program: the built-in ones, and plugins for the rest. A plugin is loaded when a variable needs it. A decoded
/// chunk may take `memory` bytes; `None` allows the default of `-m`.
pub fn registry(matches: &ArgMatches, memory: Option<u64>) -> Registry {
    let mut registry = Registry::builtin();
    registry.set_decode_limit(decode_limit(memory));
    registry.set_finder(Arc::new(finder(matches)));
    registry
}

fn finder(matches: &ArgMatches) -> PluginFinder {
    PluginFinder::new(Directories::from_environment(), matches.get_flag(PREFER_PLUGIN))
}

/// What the help says of built-in filters: one line of those that HDF5 has, and one of those that only Zarr has.
pub fn built_in() -> String {
    let (mut of_hdf5, mut of_zarr) = (Vec::new(), Vec::new());
    for codec in Registry::builtin().iter() {
        match codec.hdf5_id() {
            Some(id) => of_hdf5.push(format!("{} {id}", codec.name())),
            None => of_zarr.push(codec.name().to_owned()),
        }
    }
    format!(
        "Filters built in: {}.\nCodecs of Zarr built in besides: {}.",
        of_hdf5.join(", "),
        of_zarr.join(", ")
    )
}

/// A line for each known filter, and where plugins were looked for. Loads all plugins.
pub fn list(matches: &ArgMatches) -> String {
    text(&finder(matches), matches.get_flag(PREFER_PLUGIN))
}

fn text(finder: &PluginFinder, preferred: bool) -> String {
    let heading = [
        "id",
        "filter",
        "Zarr v2",
        "Zarr v3",
        "access",
        "parameters",
        "from",
    ];
    let mut rows = vec![heading.map(str::to_owned)];
    let (plugins, failures) = finder.list();
    let mut known = Vec::new();
    if preferred {
        known.extend(plugins.iter().map(|plugin| plugin.id));
    }
    let or_none = |name: Option<&str>| match name {
        None | Some("") => "-".to_owned(),
        Some(name) => name.to_owned(),
    };
    let mut builtin = Vec::new();
    for codec in Registry::builtin().iter() {
        let id = codec.hdf5_id();
        builtin.extend(id);
        rows.push([
            or_none(id.map(|id| id.to_string()).as_deref()),
            codec.name().to_owned(),
            or_none(codec.zarr_name(V2)),
            or_none(codec.zarr_name(V3)),
            "read, write".to_owned(),
            or_none(Some(codec.facts().parameters_help)),
            match id.is_some_and(|id| known.contains(&id)) {
                true => "built in (not used)".to_owned(),
                false => "built in".to_owned(),
            },
        ]);
    }
    known = if preferred { Vec::new() } else { builtin };
    for plugin in &plugins {
        let path = plugin.path.display();
        let used = !known.contains(&plugin.id);
        known.push(plugin.id);
        let zarr = plugin.zarr_name.as_deref();
        rows.push([
            plugin.id.to_string(),
            or_none(Some(&plugin.name)),
            or_none(zarr),
            or_none(zarr.map(|name| format!("numcodecs.{name}")).as_deref()),
            match (plugin.decodes, plugin.encodes) {
                (true, true) => "read, write",
                (true, false) => "read",
                (false, true) => "write",
                (false, false) => "-",
            }
            .to_owned(),
            match Registry::parameters_of(plugin.id) {
                Some(known) => or_none(Some(known.facts().parameters_help)),
                None if plugin.sets_local => "the plugin's; it adds some".to_owned(),
                None => "the plugin's".to_owned(),
            },
            match used {
                true => path.to_string(),
                false => format!("{path} (not used)"),
            },
        ]);
    }
    let mut text = table(&rows);
    text.push('\n');
    match finder.directories() {
        _ if !SUPPORTED => text.push_str("This program is linked statically, so it cannot load plugins.\n"),
        Directories::Off => text.push_str("HDF5_PLUGIN_PRELOAD=:: turns plugins off.\n"),
        Directories::Searched(folders) => {
            text.push_str("Plugins are looked for in HDF5_PLUGIN_PATH and the default folders:\n");
            for folder in folders {
                let _ = match missing(folder) {
                    Some(why) => writeln!(text, "  {} ({why})", folder.display()),
                    None => writeln!(text, "  {}", folder.display()),
                };
            }
        }
    }
    for failure in &failures {
        let _ = writeln!(text, "Not loaded: {}: {}", failure.path.display(), failure.why);
    }
    text
}

/// Rows of columns, each column as wide as its longest cell. The last column has no spaces behind it.
fn table(rows: &[[String; 7]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let mut text = String::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            let width = width(column).unwrap_or_default();
            let _ = match column + 1 < row.len() {
                true => write!(text, "{cell:width$}  "),
                false => writeln!(text, "{cell}"),
            };
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_filter_is_listed_with_its_parameters() {
        let text = text(&PluginFinder::new(Directories::Off, false), false);
        for codec in Registry::builtin().iter() {
            let line = text.lines().find(|line| {
                let mut words = line.split_whitespace();
                let id = codec.hdf5_id().map_or("-".to_owned(), |id| id.to_string());
                words.next() == Some(&*id) && words.next() == Some(codec.name())
            });
            assert!(line.unwrap().ends_with("built in"), "{text}");
        }
        assert!(text.contains("turns plugins off"), "{text}");
    }

    #[test]
    fn the_help_names_every_filter_built_in() {
        let text = built_in();
        let (filters, codecs) = text.split_once('\n').unwrap();
        let ids: Vec<u32> = filters
            .split([' ', ',', '.'])
            .filter_map(|word| word.parse().ok())
            .collect();
        let registry = Registry::builtin();
        let builtin: Vec<u32> = registry.iter().filter_map(|codec| codec.hdf5_id()).collect();
        assert_eq!(ids, builtin, "{filters}");
        let names = codecs.strip_prefix("Codecs of Zarr built in besides: ").unwrap();
        let names: Vec<&str> = names.trim_end_matches('.').split(", ").collect();
        let without_id = registry.iter().filter(|codec| codec.hdf5_id().is_none());
        let builtin: Vec<&str> = without_id.map(|codec| codec.name()).collect();
        assert_eq!(names, builtin, "{codecs}");
    }
}
