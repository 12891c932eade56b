//! The licences of the packages that are linked into the program, with their texts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::process::output;
use crate::workspace::cargo;

/// How deep in a package's folders licences are looked for. C libraries are in folders of their own.
const MOST_FOLDERS: usize = 3;

/// Beginnings of the names of files with licences.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];

/// A list of the packages with their licences, then each text with the packages that have it.
pub fn text() -> Result<String> {
    let folders = folders()?;
    let mut list = String::from("Packages that are linked into ncutils, and their licences\n\n");
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (package, expression) in linked()? {
        writeln!(list, "{package}: {expression}")?;
        let folder = folders
            .get(&package)
            .with_context(|| format!("{package} has no folder"))?;
        let mut found = Vec::new();
        licences(folder, MOST_FOLDERS, &mut found)?;
        for path in found {
            let text = String::from_utf8_lossy(&fs::read(&path)?)
                .trim()
                .replace("\r\n", "\n");
            let file = path.strip_prefix(folder)?.display();
            texts
                .entry(text)
                .or_default()
                .insert(format!("{package}: {file}"));
        }
    }
    list.push_str("The Rust standard library: MIT OR Apache-2.0\n");
    // Ordered by the packages, not by the texts.
    let texts: BTreeMap<_, _> = texts.into_iter().map(|(text, of)| (of, text)).collect();
    for (of, text) in texts {
        writeln!(list, "\n{}", "=".repeat(80))?;
        for file in of {
            writeln!(list, "{file}")?;
        }
        writeln!(list, "{}\n\n{text}", "-".repeat(80))?;
    }
    Ok(list)
}

/// Names with versions of the packages of others that are linked into the program, and their licence expressions.
fn linked() -> Result<BTreeMap<String, String>> {
    let listed = output(
        cargo()
            .args(["tree", "--locked", "--package", "ncutils", "--edges", "normal"])
            .args(["--no-dedupe", "--prefix", "none", "--format", "{p}|{l}"]),
    )?;
    let mut found = BTreeMap::new();
    for line in listed.lines() {
        let (package, expression) = line.split_once('|').context("cargo tree prints something else")?;
        // `name v1.2.3`, then what kind of package it is, or the folder of one of ours.
        let mut words = package.split(' ');
        let (name, version) = words
            .next()
            .zip(words.next())
            .context("cargo tree names no version")?;
        if !package.contains("(/") {
            let version = version.trim_start_matches('v');
            found.insert(format!("{name} {version}"), expression.to_owned());
        }
    }
    Ok(found)
}

/// The folder of the sources of each package, by its name and version.
fn folders() -> Result<BTreeMap<String, PathBuf>> {
    let told = output(cargo().args(["metadata", "--locked", "--format-version", "1"]))?;
    let told: serde_json::Value = serde_json::from_str(&told)?;
    let packages = told["packages"]
        .as_array()
        .context("cargo metadata lists no packages")?;
    let folder = |package: &serde_json::Value| {
        let text = |key: &str| package[key].as_str().map(str::to_owned);
        let manifest = PathBuf::from(text("manifest_path")?);
        let name = format!("{} {}", text("name")?, text("version")?);
        Some((name, manifest.parent()?.to_owned()))
    };
    Ok(packages.iter().filter_map(folder).collect())
}

/// Adds the files with licences in a folder, and in the folders in it down to `depth`.
fn licences(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (kind, path) = (entry.file_type()?, entry.path());
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let is_licence = NAMES.iter().any(|begin| name.starts_with(begin));
        if kind.is_file() && is_licence {
            found.push(path);
        } else if kind.is_dir() && depth > 0 {
            licences(&path, depth - 1, found)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_of_c_libraries_are_found() {
        let folder = tempfile::tempdir().unwrap();
        for path in [
            "LICENSE-MIT",
            "src/lib.rs",
            "c/lib/LICENCE.txt",
            "c/lib/a/b/COPYING",
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let mut found = Vec::new();
        licences(folder.path(), MOST_FOLDERS, &mut found).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|path| path.strip_prefix(folder.path()).unwrap().to_str().unwrap())
            .collect();
        assert_eq!(found, ["LICENSE-MIT", "c/lib/LICENCE.txt"]);
    }
}
