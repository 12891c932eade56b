//! Analyses the workspace, and prints what is wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::cycles::{self, Graph};
use super::{folders, kinds, layers, resolve};

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
    /// Folders with too many files, and how many.
    large: Vec<(String, usize)>,
}

/// Prints the errors.
///
/// # Errors
/// A circle of files, an arrow to a higher layer, a folder with too many files, or code that distinguishes kinds of
/// datasets.
pub fn run(root: &Path, arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("`cargo xtask arrows` takes no arguments");
    }
    let report = report(root)?;
    let arrows: usize = report.graph.values().map(|tos| tos.len()).sum();
    let files = report.graph.len();
    println!("{arrows} arrows from {files} files");
    for (from, to) in ALLOWED {
        println!("allowed for now: {from} -> {to}");
    }
    print!("{}", report.text());
    match report.is_clean() {
        true => Ok(()),
        false => {
            bail!("there are circles of files, arrows that go up, large folders, or questions for a kind")
        }
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
        large: folders::too_large(root, &modules.files()),
    })
}

/// The name of each crate in paths, and its root file. Each program has its own root.
fn crates(root: &Path) -> Result<Vec<(String, String)>> {
    let mut folders = vec!["fuzz".to_owned(), "xtask".to_owned()];
    for entry in fs::read_dir(root.join("crates"))? {
        folders.push(format!("crates/{}", entry?.file_name().display()));
    }
    let mut found = Vec::new();
    for folder in folders {
        let Some(name) = package_name(&root.join(&folder))? else {
            continue;
        };
        let (library, program) = (format!("{folder}/src/lib.rs"), format!("{folder}/src/main.rs"));
        let has_library = root.join(&library).is_file();
        if has_library {
            found.push((name.clone(), library));
        }
        if root.join(&program).is_file() {
            let name = if has_library {
                format!("{name} program")
            } else {
                name
            };
            found.push((name, program));
        }
    }
    found.sort();
    Ok(found)
}

/// The name of a package in paths, or `None` for a folder without a package.
fn package_name(folder: &Path) -> Result<Option<String>> {
    let manifest = folder.join("Cargo.toml");
    if !manifest.is_file() {
        return Ok(None);
    }
    let text = fs::read_to_string(&manifest)?;
    let name = text.lines().find_map(|line| line.strip_prefix("name = \""));
    let name = name.with_context(|| format!("{} names no package", manifest.display()))?;
    Ok(Some(name.trim_end_matches('"').replace('-', "_")))
}

impl Report {
    fn is_clean(&self) -> bool {
        self.up.is_empty() && self.questions.is_empty() && self.cycles.is_empty() && self.large.is_empty()
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (from, to) in &self.up {
            text += &format!("goes up: {}", self.arrow(from, to));
        }
        for (file, code) in &self.questions {
            text +=
                &format!("asks which kind it is, where it could ask what the kind can do: {file}: {code}\n");
        }
        for cycle in &self.cycles {
            text += match cycles::is_between_folders(cycle) {
                true => "circle between folders:\n",
                false => "circle within a folder:\n",
            };
            for from in cycle {
                for to in self.graph[from].iter().filter(|to| cycle.contains(to)) {
                    text += &format!("  {}", self.arrow(from, to));
                }
            }
        }
        for (folder, count) in &self.large {
            text += &format!("more than 15 files, and no reason in mod.rs: {folder}: {count}\n");
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
    fn no_circle_no_arrow_up_no_large_folder_and_no_question_for_a_kind() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let report = report(&root).unwrap();
        assert!(report.graph.len() > 200, "most sources are not found");
        assert!(report.is_clean(), "\n{}", report.text());
    }
}
