//! The names in the dataset on a command line.

use std::env;
use std::path::{Path, PathBuf};

use ncutils_core::location::Location;
use ncutils_core::message::is_unseen;
use ncutils_core::model::{GroupId, VarId};

/// The names in a dataset.
#[derive(Debug, Default)]
pub(super) struct DatasetNames {
    pub(super) variables: Vec<String>,
    pub(super) dimensions: Vec<String>,
    pub(super) groups: Vec<String>,
}

impl DatasetNames {
    /// The names in the first operand that is a dataset on this machine. A key that completes makes no requests.
    pub(super) fn of(operands: &[String]) -> Self {
        operands
            .iter()
            .find_map(|operand| Self::of_one(operand))
            .unwrap_or_default()
    }

    fn of_one(operand: &str) -> Option<Self> {
        let path = in_home(operand);
        // A pipe would be read to its end.
        let is_readable = |path: &Path| path.is_file() || path.is_dir();
        let location = Location::parse(path).ok()?;
        let path = location.path()?;
        if !is_readable(path) {
            return None;
        }
        let reader = location.open().ok()?;
        let schema = reader.schema();
        // Names with unseen characters need a quoting that is not safe inside quotes. A name that begins with a colon could be taken for
        // `:files`.
        let is_shown = |name: &String| {
            !name.is_empty() && name != "/" && !name.starts_with(':') && !name.contains(is_unseen)
        };
        let variables = (0..schema.vars.len()).map(|n| schema.var_path(VarId(n)));
        let groups = (0..schema.groups.len()).map(|n| schema.group_path(GroupId(n)));
        let mut dimensions: Vec<String> = schema.dims.iter().map(|dim| dim.name.clone()).collect();
        dimensions.sort();
        dimensions.dedup();
        Some(Self {
            variables: variables.filter(is_shown).collect(),
            dimensions: dimensions.into_iter().filter(is_shown).collect(),
            groups: groups.filter(is_shown).collect(),
        })
    }
}

/// The path of a word whose beginning `~/` the shell has not replaced yet.
fn in_home(operand: &str) -> PathBuf {
    match (operand.strip_prefix("~/"), env::var_os("HOME")) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        _ => PathBuf::from(operand),
    }
}
