//! `cargo xtask arrows`: finds cycles between files of different folders, arrows to higher layers, and code that
//! distinguishes kinds of datasets.
//!
//! ```text
//! sources ─► source: modules, `use`, paths ─► resolve: file ─► file ─┬─► cycles: none between folders
//!                                                                    └─► layers: none goes up
//! sources ─► kinds: none is told from another
//! ```
//!
//! An arrow is a path in a `use` or in code. It leads to the file that defines the name, through re-exports. Code for
//! tests is ignored.

mod cycles;
mod kinds;
mod layers;
mod resolve;
mod source;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use cycles::Graph;

/// Known arrows that are to be removed: from a file, to a file.
const ALLOWED: [(&str, &str); 0] = [];

/// Result of the analysis.
struct Report {
    /// All arrows but the allowed ones. `why` has a path for each.
    graph: Graph,
    why: BTreeMap<(String, String), String>,
    /// All cycles.
    cycles: Vec<Vec<String>>,
    /// Arrows to a higher layer.
    up: Vec<(String, String)>,
    /// Code that distinguishes kinds of datasets: its file, and the code.
    questions: Vec<(String, String)>,
}

/// Prints the errors, and with `--all` also the cycles within folders.
///
/// # Errors
/// A cycle between folders, an arrow to a higher layer, or code that distinguishes kinds of datasets.
pub fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let all = match arguments {
        [] => false,
        [flag] if flag == "--all" => true,
        _ => bail!("unknown arguments; `cargo xtask arrows [--all]`"),
    };
    let report = report(root)?;
    let arrows: usize = report.graph.values().map(|tos| tos.len()).sum();
    let files = report.graph.len();
    println!("{arrows} arrows from {files} files");
    for (from, to) in ALLOWED {
        println!("allowed for now: {from} -> {to}");
    }
    print!("{}", report.text(all));
    match report.is_clean() {
        true => Ok(()),
        false => bail!("there are cycles between folders, arrows that go up, or questions for a kind"),
    }
}

/// Analyses all crates of the workspace.
fn report(root: &Path) -> Result<Report> {
    let mut modules = resolve::Modules::default();
    for (name, file) in crates(root)? {
        modules.add(root, &name, &file)?;
    }
    let mut questions = Vec::new();
    for file in modules.files() {
        if !kinds::may_ask(file) {
            let text = fs::read_to_string(root.join(file)).with_context(|| file.to_owned())?;
            let found = kinds::questions(&text).with_context(|| file.to_owned())?;
            questions.extend(found.into_iter().map(|code| (file.to_owned(), code)));
        }
    }
    let (mut graph, why) = modules.arrows();
    for (from, to) in ALLOWED {
        if let Some(tos) = graph.get_mut(from) {
            tos.remove(to);
        }
    }
    let pairs = graph
        .iter()
        .flat_map(|(from, tos)| tos.iter().map(move |to| (from, to)));
    let up = pairs
        .filter(|(from, to)| layers::goes_up(from, to))
        .map(|(from, to)| (from.clone(), to.clone()))
        .collect();
    Ok(Report {
        cycles: cycles::cycles(&graph),
        graph,
        why,
        up,
        questions,
    })
}

/// The name of each crate in paths, and its root file. Each program has its own root.
fn crates(root: &Path) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root.join("crates"))? {
        let folder = entry?.file_name().to_string_lossy().into_owned();
        let name = match root.join(format!("crates/{folder}/src/main.rs")).is_file() {
            true => folder.clone(),
            false => format!("ncutils_{folder}"),
        };
        for (name, file) in [(name.clone(), "lib.rs"), (format!("{name} program"), "main.rs")] {
            let file = format!("crates/{folder}/src/{file}");
            if root.join(&file).is_file() {
                found.push((name, file));
            }
        }
    }
    found.push(("ncutils_fuzz".to_owned(), "fuzz/src/lib.rs".to_owned()));
    found.push(("xtask".to_owned(), "xtask/src/main.rs".to_owned()));
    found.sort();
    Ok(found)
}

impl Report {
    fn is_clean(&self) -> bool {
        self.up.is_empty()
            && self.questions.is_empty()
            && !self.cycles.iter().any(|cycle| cycles::is_between_folders(cycle))
    }

    fn text(&self, all: bool) -> String {
        let mut text = String::new();
        for (from, to) in &self.up {
            text += &format!("goes up: {}", self.arrow(from, to));
        }
        for (file, code) in &self.questions {
            text +=
                &format!("asks which kind it is, where it could ask what the kind can do: {file}: {code}\n");
        }
        for cycle in &self.cycles {
            let between = cycles::is_between_folders(cycle);
            if !between && !all {
                continue;
            }
            text += match between {
                true => "cycle between folders:\n",
                false => "cycle within a folder:\n",
            };
            for from in cycle {
                for to in self.graph[from].iter().filter(|to| cycle.contains(to)) {
                    text += &format!("  {}", self.arrow(from, to));
                }
            }
        }
        text
    }

    /// An arrow as text, with one path that makes it.
    fn arrow(&self, from: &str, to: &str) -> String {
        let path = self.why.get(&(from.to_owned(), to.to_owned()));
        format!("{from} -> {to}   by {}\n", path.map_or("", String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cycle_between_folders_no_arrow_up_and_no_question_for_a_kind() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let report = report(&root).unwrap();
        assert!(report.graph.len() > 200, "most sources are not found");
        assert!(report.is_clean(), "\n{}", report.text(false));
    }
}
