//! Checks licences and sources of the dependencies by the rules of `deny.toml`.
//!
//! If `cargo deny` is installed, it does the check. Otherwise this file does, from the packages' licence expressions,
//! and does not check advisories.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{output, succeed};
use crate::servers;
use crate::workspace::{cargo, root};

/// Source of the RustSec advisories.
const ADVISORIES: &str = "https://github.com/rustsec/advisory-db";
/// The only registry that `Cargo.lock` may name.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The platforms for which programs are built.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

/// Checks every dependency that is linked into a program, or runs in its build.
pub fn run() -> Result<()> {
    if output(cargo().args(["deny", "--version"])).is_ok() {
        let can_ask = reachable(ADVISORIES);
        for manifest in manifests() {
            let deny = |checks: &[&str]| {
                let mut command = cargo();
                command
                    .args(["deny", "--locked", "--manifest-path"])
                    .arg(&manifest);
                succeed(
                    command
                        .args(["check", "--config"])
                        .arg(root().join("deny.toml"))
                        .args(checks),
                )
            };
            deny(&["licenses", "bans", "sources"])?;
            if can_ask {
                deny(&["advisories"])?;
            }
        }
        if can_ask {
            return Ok(());
        }
        println!("xtask: SKIPPED: advisories, as {ADVISORIES} cannot be reached");
        return Ok(());
    }
    let allowed = allowed(&fs::read_to_string(root().join("deny.toml"))?)?;
    let packages = packages()?;
    let mut refused = Vec::new();
    for (package, expression) in &packages {
        if !permitted(expression, &allowed).with_context(|| format!("{package}: {expression:?}"))? {
            refused.push(format!("{package}: {expression:?}"));
        }
    }
    for manifest in manifests() {
        let lock = manifest.with_extension("lock");
        for line in fs::read_to_string(&lock)?.lines() {
            if let Some(source) = line.strip_prefix("source = ")
                && source.trim_matches('"') != REGISTRY
            {
                let lock = lock.display();
                refused.push(format!("{lock}: {source} is not the registry of crates.io"));
            }
        }
    }
    if !refused.is_empty() {
        bail!("deny.toml does not allow\n{}", refused.join("\n"));
    }
    println!(
        "xtask: licences and sources of {} packages are allowed. SKIPPED: advisories, as cargo-deny is not installed \
         (cargo install cargo-deny --locked)",
        packages.len()
    );
    Ok(())
}

/// The workspaces whose dependencies are checked: that of the programs, and that of the tests' servers.
fn manifests() -> [PathBuf; 2] {
    [root().join("Cargo.toml"), servers::manifest()]
}

fn reachable(repository: &str) -> bool {
    let asked = Command::new("timeout")
        .args(["20", "git", "ls-remote", repository, "HEAD"])
        .env("GIT_TERMINAL_PROMPT", "0")
        .output();
    asked.is_ok_and(|asked| asked.status.success())
}

/// The list `allow` of the section `[licenses]`.
fn allowed(deny: &str) -> Result<Vec<String>> {
    let (_, section) = deny
        .split_once("[licenses]")
        .context("deny.toml: no [licenses]")?;
    let (_, list) = section
        .split_once("allow = [")
        .context("deny.toml: no list of licences")?;
    let (list, _) = list.split_once(']').context("deny.toml: the list does not end")?;
    Ok(list.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

/// The SPDX expressions of external dependencies, by name and version.
fn packages() -> Result<BTreeMap<String, String>> {
    let mut packages = BTreeMap::new();
    for (manifest, target) in manifests()
        .iter()
        .flat_map(|manifest| TARGETS.map(|target| (manifest, target)))
    {
        let listed = output(cargo().arg("tree").arg("--manifest-path").arg(manifest).args([
            "--locked",
            "--workspace",
            "--all-features",
            "--edges",
            "normal,build",
            "--no-dedupe",
            "--prefix",
            "none",
            "--format",
            "{p}|{l}",
            "--target",
            target,
        ]))?;
        for line in listed.lines().filter(|line| !line.is_empty()) {
            let (package, expression) = line.split_once('|').context("cargo tree prints something else")?;
            // cargo tree prints the folder of workspace packages.
            if !package.contains("(/") {
                packages.insert(package.to_owned(), expression.to_owned());
            }
        }
    }
    Ok(packages)
}

/// True if allowed licences alone satisfy an SPDX expression.
fn permitted(expression: &str, allowed: &[String]) -> Result<bool> {
    // Older packages separate alternatives by a slash.
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let permitted = either(&words, &mut at, allowed)?;
    if at != words.len() {
        bail!("no SPDX expression");
    }
    Ok(permitted)
}

/// Parses `term OR term …`.
fn either(words: &[&str], at: &mut usize, allowed: &[String]) -> Result<bool> {
    let mut permitted = both(words, at, allowed)?;
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        permitted |= both(words, at, allowed)?;
    }
    Ok(permitted)
}

/// Parses `licence AND licence …`.
fn both(words: &[&str], at: &mut usize, allowed: &[String]) -> Result<bool> {
    let mut permitted = one(words, at, allowed)?;
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        permitted &= one(words, at, allowed)?;
    }
    Ok(permitted)
}

/// Parses a licence, with or without a `WITH` exception, or an expression in parentheses.
fn one(words: &[&str], at: &mut usize, allowed: &[String]) -> Result<bool> {
    let word = *words.get(*at).context("no licence is stated")?;
    *at += 1;
    if word == "(" {
        let permitted = either(words, at, allowed)?;
        if words.get(*at) != Some(&")") {
            bail!("a parenthesis is not closed");
        }
        *at += 1;
        return Ok(permitted);
    }
    let mut name = word.to_owned();
    if words.get(*at) == Some(&"WITH") {
        let exception = words.get(*at + 1).context("no exception after WITH")?;
        name = format!("{word} WITH {exception}");
        *at += 2;
    }
    Ok(allowed.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_met_by_allowed_licences_alone() {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"].map(str::to_owned);
        let permitted = |expression| permitted(expression, &allowed);
        assert!(permitted("MIT").unwrap());
        assert!(permitted("GPL-3.0 OR MIT").unwrap());
        assert!(permitted("(MIT OR Apache-2.0) AND Unicode-3.0").unwrap());
        assert!(permitted("Unlicense/MIT").unwrap());
        assert!(!permitted("MIT AND GPL-3.0").unwrap());
        assert!(!permitted("(MIT OR Apache-2.0) AND GPL-3.0").unwrap());
        assert!(!permitted("Apache-2.0 WITH LLVM-exception").unwrap());
        assert!(permitted("").is_err());
        assert!(permitted("(MIT").is_err());
        assert!(permitted("MIT Apache-2.0").is_err());
    }

    #[test]
    fn the_list_of_deny_toml_is_found() {
        let allowed = allowed(&fs::read_to_string(root().join("deny.toml")).unwrap()).unwrap();
        assert!(
            allowed.contains(&"MIT".to_owned()) && allowed.len() > 3,
            "{allowed:?}"
        );
    }
}
