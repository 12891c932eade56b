//! Resolves paths in code to the workspace file that defines the item.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path as FilePath;

use anyhow::{Context, Result};

use super::cycles::Graph;
use super::source::{self, Import, Module, Path};

/// Maximum number of re-exports that a name may pass through.
const MAX_REEXPORTS: usize = 16;

/// The modules of all crates, by path. A path begins with the crate's name.
#[derive(Debug, Default)]
pub struct Modules {
    modules: BTreeMap<Path, Source>,
}

/// A module and its file.
#[derive(Debug)]
struct Source {
    /// Path of its file, relative to the root of the workspace.
    file: String,
    imports: Vec<Import>,
    paths: Vec<Path>,
    words: BTreeSet<String>,
    items: HashSet<String>,
}

/// The target of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PathTarget {
    /// A module.
    Module(Path),
    /// An item of this module.
    Item(Path),
}

impl Modules {
    /// Adds a crate by its name and root file.
    ///
    /// # Errors
    /// A source file is missing, or is not Rust.
    pub fn add(&mut self, workspace: &FilePath, name: &str, root: &str) -> Result<()> {
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.add_file(workspace, vec![name.to_owned()], root, folder)
    }

    /// Adds a file and the modules that it declares, whose files are in `folder`.
    fn add_file(&mut self, workspace: &FilePath, path: Path, file: &str, folder: &str) -> Result<()> {
        let text = fs::read_to_string(workspace.join(file)).with_context(|| file.to_owned())?;
        let module = source::parse(&text).with_context(|| file.to_owned())?;
        self.add_module(workspace, path, module, file, folder)
    }

    fn add_module(
        &mut self,
        workspace: &FilePath,
        path: Path,
        module: Module,
        file: &str,
        folder: &str,
    ) -> Result<()> {
        for child in &module.children {
            let inner = format!("{folder}/{child}");
            let beside = format!("{inner}.rs");
            let file = match workspace.join(&beside).is_file() {
                true => beside,
                false => format!("{inner}/mod.rs"),
            };
            // The module may be shared with tests by a `path` attribute.
            if workspace.join(&file).is_file() {
                self.add_file(workspace, joined(&path, child), &file, &inner)?;
            }
        }
        for (name, inner) in module.inline {
            let folder = format!("{folder}/{name}");
            self.add_module(workspace, joined(&path, &name), inner, file, &folder)?;
        }
        let source = Source {
            file: file.to_owned(),
            imports: module.imports,
            paths: module.paths,
            words: module.words.into_iter().collect(),
            items: module.items,
        };
        self.modules.insert(path, source);
        Ok(())
    }

    /// The files of all modules, without modules for tests.
    pub fn files(&self) -> BTreeSet<&str> {
        self.modules.values().map(|source| source.file.as_str()).collect()
    }

    /// For each file, the files whose items it names, and the paths by which it does. A re-export counts for the file
    /// that uses the name, not for the re-exporting file.
    pub fn arrows(&self) -> (Graph, BTreeMap<(String, String), String>) {
        let mut graph = Graph::new();
        let mut why = BTreeMap::new();
        for (path, source) in &self.modules {
            let is_used = |import: &Import| {
                !import.is_reexport
                    || source.words.contains(&import.name)
                    || source.paths.iter().any(|path| path[0] == import.name)
            };
            let imported = source.imports.iter().filter(|i| is_used(i)).map(|i| &i.path);
            for written in imported.chain(&source.paths) {
                let Some(absolute) = self.absolute(path, written) else {
                    continue;
                };
                let Some(PathTarget::Item(at)) = self.find(&absolute, 0) else {
                    // A path to a module itself makes no arrow: its uses are paths in the code.
                    continue;
                };
                let to = &self.modules[&at].file;
                if *to != source.file {
                    graph.entry(source.file.clone()).or_default().insert(to.clone());
                    why.entry((source.file.clone(), to.clone()))
                        .or_insert_with(|| written.join("::"));
                }
            }
        }
        (graph, why)
    }

    /// The path from the crate's root for a path written in module `at`; `None` if it leads out of the workspace.
    fn absolute(&self, at: &Path, written: &[String]) -> Option<Path> {
        let (first, rest) = written.split_first()?;
        match first.as_str() {
            "crate" => Some(extended(&at[..1], rest)),
            "self" => Some(extended(at, rest)),
            "super" => {
                let up = written.iter().take_while(|part| *part == "super").count();
                Some(extended(&at[..at.len().checked_sub(up)?], &written[up..]))
            }
            name => {
                if self.modules.contains_key(&joined(at, name)) {
                    return Some(extended(at, written));
                }
                let import = self.modules[at].imports.iter().find(|import| import.name == name);
                match import {
                    // For `use a::b;` followed by `b::C`.
                    Some(import) if import.path[0] != name => {
                        Some(extended(&self.absolute(at, &import.path)?, rest))
                    }
                    _ => self
                        .modules
                        .contains_key(std::slice::from_ref(first))
                        .then(|| written.to_vec()),
                }
            }
        }
    }

    /// The target of an absolute path, through re-exports.
    fn find(&self, path: &[String], depth: usize) -> Option<PathTarget> {
        if depth > MAX_REEXPORTS {
            return None;
        }
        // The longest prefix that is a module.
        let length = (1..=path.len())
            .rev()
            .find(|n| self.modules.contains_key(&path[..*n]))?;
        let (module, rest) = path.split_at(length);
        let module = module.to_vec();
        let Some((name, rest)) = rest.split_first() else {
            return Some(PathTarget::Module(module));
        };
        let source = &self.modules[&module];
        if name == "*" {
            return Some(PathTarget::Item(module));
        }
        let named = source.imports.iter().find(|import| import.name == *name);
        if let Some(import) = named {
            let target = self.absolute(&module, &import.path)?;
            if target != path {
                return self.find(&extended(&target, rest), depth + 1);
            }
        }
        for import in source.imports.iter().filter(|import| import.name == "*") {
            let Some(mut target) = self.absolute(&module, &import.path) else {
                continue;
            };
            target.pop();
            target.push(name.clone());
            match self.find(&target, depth + 1) {
                Some(PathTarget::Module(found)) => return self.find(&extended(&found, rest), depth + 1),
                Some(PathTarget::Item(at)) if self.modules[&at].items.contains(name) => {
                    return Some(PathTarget::Item(at));
                }
                _ => {}
            }
        }
        Some(PathTarget::Item(module))
    }
}

fn joined(path: &[String], name: &str) -> Path {
    extended(path, &[name.to_owned()])
}

fn extended(path: &[String], rest: &[String]) -> Path {
    path.iter().chain(rest).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arrows between files of a crate, as `from to`.
    fn arrows(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join("src").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut modules = Modules::default();
        for (name, root) in [("one", "src/lib.rs"), ("two", "src/two/lib.rs")] {
            if folder.path().join(root).is_file() {
                modules.add(folder.path(), name, root).unwrap();
            }
        }
        let (graph, _) = modules.arrows();
        let pairs = graph
            .iter()
            .flat_map(|(from, tos)| tos.iter().map(move |to| (from, to)));
        pairs
            .map(|(from, to)| format!("{from} {to}").replace("src/", ""))
            .collect()
    }

    #[test]
    fn names_lead_to_the_file_that_defines_them() {
        let found = arrows(&[
            ("lib.rs", "mod a; mod b; pub use a::inner::Deep;"),
            (
                "a/mod.rs",
                "pub mod inner; pub use inner::{Deep, Used}; fn f(_: Used) {}",
            ),
            ("a/inner.rs", "pub struct Deep; pub struct Used; use super::*;"),
            (
                "b.rs",
                "use crate::a; fn f(_: a::Deep) {} #[cfg(test)] mod tests { use crate::none::X; }",
            ),
        ]);
        assert_eq!(
            found,
            ["a/inner.rs a/mod.rs", "a/mod.rs a/inner.rs", "b.rs a/inner.rs"]
        );
    }

    #[test]
    fn a_crate_that_another_one_re_exports_is_seen_through() {
        let found = arrows(&[
            (
                "two/lib.rs",
                "pub mod schema; pub mod error; pub use schema::Schema;",
            ),
            ("two/schema.rs", "pub struct Schema;"),
            ("two/error.rs", "pub struct Error;"),
            (
                "lib.rs",
                "pub use two as model; pub use two::error; mod all { pub use two::error::*; } mod a; mod b; mod c; mod d;",
            ),
            ("a.rs", "use crate::model::Schema; fn f(_: Schema) {}"),
            (
                "b.rs",
                "use crate::{error, model}; fn f(_: model::schema::Schema) -> error::Error {}",
            ),
            ("c.rs", "fn f() -> one::error::Error {}"),
            ("d.rs", "use crate::all::Error;"),
        ]);
        assert_eq!(
            found,
            [
                "a.rs two/schema.rs",
                "b.rs two/error.rs",
                "b.rs two/schema.rs",
                "c.rs two/error.rs",
                "d.rs two/error.rs"
            ]
        );
    }

    #[test]
    fn paths_in_code_are_arrows_too() {
        let found = arrows(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "pub mod inside { pub fn f() { super::super::b::g() } }"),
            ("b.rs", "pub fn g() { one::c::h(); crate::a::inside::f() }"),
            (
                "c.rs",
                "pub fn h() {} impl super::a::Trait for X { const Y: u8 = std::u8::MAX; }",
            ),
        ]);
        assert_eq!(found, ["a.rs b.rs", "b.rs a.rs", "b.rs c.rs", "c.rs a.rs"]);
    }
}
