//! Counts the instructions of small runs of the programs, which are repeatable unlike times, and compares them with a
//! table.
//!
//! ```text
//! CDL, made here ─► our ncgen ─► inputs ─► eight runs under cachegrind ─► counts ◄─► tests/instructions.txt
//! ```
//!
//! The programs have the profile `dev`. Each run has one thread, a fixed environment, and names relative to its folder.
//! Other compilers generate other instructions: the table names its compiler, and with any other one nothing is
//! compared.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::output;
use crate::programs::{DEV, Programs};
use crate::workspace::root;

/// A run fails above this percentage of the table's instructions.
const MOST_PERCENT: u64 = 110;
/// A run below this percentage of the table's instructions asks for a new table.
const LEAST_PERCENT: u64 = 90;

/// A run: its name in the table, and its command, whose words are separated by blanks.
struct Case(&'static str, &'static str);

const CASES: [Case; 8] = [
    Case(
        "ncgen of 2,000 variables",
        "./ncgen --threads 1 -k nc4 -o out.nc many.cdl",
    ),
    Case("ncdump -h of 2,000 variables", "./ncdump -h many.nc"),
    Case("ncdump of 60,000 numbers", "./ncdump chunked.nc"),
    Case("nccopy, raw", "./nccopy --threads 1 -m 64M chunked.nc out.nc"),
    Case(
        "nccopy, refilter",
        "./nccopy --threads 1 -m 64M -F *,2|32015,1 chunked.nc out.nc",
    ),
    Case(
        "nccopy, ranges",
        "./nccopy --threads 1 -m 64M -k cdf5 contiguous.nc out.nc",
    ),
    Case(
        "nccopy, blocks",
        "./nccopy --threads 1 -m 64M -c v:6,20,10 chunked.nc out.nc",
    ),
    Case(
        "nccopy, values",
        "./nccopy --threads 1 -m 64M -c s:300 strings.nc out.nc",
    ),
];

/// Counts and compares; with `--bless`, writes the table.
pub fn run(arguments: &[String]) -> Result<()> {
    let bless = match arguments {
        [] => false,
        [flag] if flag == "--bless" => true,
        _ => bail!("`cargo xtask instructions` takes `--bless` or nothing"),
    };
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("xtask: SKIPPED: counts of instructions, as valgrind is not installed (Debian: valgrind)");
        return Ok(());
    }
    let compiler = compiler()?;
    let path = root().join("tests/instructions.txt");
    let table = if bless {
        Table::default()
    } else {
        Table::read(&path)?
    };
    if !bless && table.compiler != compiler {
        println!(
            "xtask: SKIPPED: counts of instructions, as {} holds for {}, and here is {compiler}",
            path.display(),
            table.compiler
        );
        return Ok(());
    }
    let programs = Programs::build_repeatably(DEV)?;
    let folder = inputs(&programs)?;
    let mut counted = Table {
        compiler,
        counts: Vec::new(),
    };
    let mut worse = Vec::new();
    for Case(name, line) in CASES {
        let count = count(&folder, line).with_context(|| name)?;
        counted.counts.push((name.to_owned(), count));
        if bless {
            println!("{count:>15} {name}");
            continue;
        }
        let before = table.count(name).with_context(|| {
            format!(
                "{}: no line for {name}; `cargo xtask instructions --bless` writes it",
                path.display()
            )
        })?;
        let percent = count * 100 / before.max(1);
        println!("{count:>15} {percent:>4} % {name}");
        if percent < LEAST_PERCENT {
            println!(
                "xtask: {name}: fewer than in the table; `cargo xtask instructions --bless` keeps it so"
            );
        }
        if percent >= MOST_PERCENT {
            worse.push(format!(
                "{name}: {count} instructions, {before} in {}",
                path.display()
            ));
        }
    }
    if bless {
        fs::write(&path, counted.text()?)?;
    }
    if !worse.is_empty() {
        bail!("{}", worse.join("\n"));
    }
    Ok(())
}

/// The parsed table.
#[derive(Default)]
struct Table {
    compiler: String,
    /// Counts by name, in the order of [`CASES`].
    counts: Vec<(String, u64)>,
}

impl Table {
    fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut table = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some(compiler) = line.strip_prefix("compiler: ") {
                compiler.clone_into(&mut table.compiler);
            } else {
                let (count, name) = line
                    .trim()
                    .split_once(' ')
                    .with_context(|| format!("no count: {line:?}"))?;
                table.counts.push((name.to_owned(), count.parse()?));
            }
        }
        Ok(table)
    }

    fn count(&self, name: &str) -> Option<u64> {
        self.counts
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, count)| *count)
    }

    fn text(&self) -> Result<String> {
        let mut text = String::from(
            "# Instructions of small runs on one thread, as valgrind counts them. Ten per cent more fail `cargo xtask instructions`;\n\
             # `cargo xtask instructions --bless` writes this file.\n",
        );
        writeln!(text, "compiler: {}", self.compiler)?;
        for (name, count) in &self.counts {
            writeln!(text, "{count:>12} {name}")?;
        }
        Ok(text)
    }
}

/// The version of rustc, and the machine that it compiles for.
fn compiler() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = output(Command::new(rustc).arg("-vV").current_dir(root()))?;
    let field = |name| {
        said.lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap_or_default()
    };
    Ok(format!("rustc {} for {}", field("release: "), field("host: ")))
}

/// Makes a new folder with the programs and their inputs.
fn inputs(programs: &Programs) -> Result<PathBuf> {
    let folder = programs.folder().join("instructions");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let built = fs::canonicalize(programs.folder())?;
    for name in ["ncdump", "ncgen", "nccopy"] {
        std::os::unix::fs::symlink(built.join(name), folder.join(name))?;
    }
    let chunks = "v:_ChunkSizes = 1, 10, 12 ; v:_DeflateLevel = 1 ; v:_Shuffle = \"true\" ;";
    for (name, text) in [
        ("many", many_variables()),
        ("chunked", numbers(20, chunks)),
        ("contiguous", numbers(200, "v:_Storage = \"contiguous\" ;")),
        ("strings", strings()),
    ] {
        let text_file = format!("{name}.cdl");
        fs::write(folder.join(&text_file), text)?;
        output(in_folder(&folder, "./ncgen").args([
            "--threads",
            "1",
            "-k",
            "nc4",
            "-o",
            &format!("{name}.nc"),
            &text_file,
        ]))?;
    }
    Ok(folder)
}

fn many_variables() -> String {
    let mut text = String::from("netcdf many {\ndimensions:\n\tx = 4 ;\nvariables:\n");
    for i in 0..2000 {
        text += &format!(
            "\tfloat v{i}(x) ;\n\t\tv{i}:units = \"m s-1\" ;\n\t\tv{i}:valid_range = {i}.f, 1e9f ;\n\t\tv{i}:number = {i} ;\n"
        );
    }
    text += "data:\n";
    for i in 0..2000 {
        text += &format!(" v{i} = {i}, 1.5, -2, _ ;\n");
    }
    text + "}\n"
}

/// CDL text of a smooth field of `times` × 50 × 60 numbers, with noise in the low bits.
fn numbers(times: u32, storage: &str) -> String {
    let mut text = format!(
        "netcdf numbers {{\ndimensions:\n\tt = {times} ; y = 50 ; x = 60 ;\nvariables:\n\tfloat v(t, y, x) ;\n\t\t{storage}\ndata:\n v ="
    );
    let mut noise = 1_u32;
    let count = times * 50 * 60;
    for i in 0..count {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let value = (i % 60) * 7 + (i / 60 % 50) * 11 + (noise >> 28);
        text += &format!(
            " {}.{:02}{}",
            value / 4,
            value % 4 * 25,
            if i + 1 == count { " ;\n}\n" } else { "," }
        );
    }
    text
}

fn strings() -> String {
    let words: Vec<String> = (0..2000)
        .map(|i| format!("\"string {}\"", "x".repeat(i % 40)))
        .collect();
    format!(
        "netcdf strings {{\ndimensions:\n\tn = 2000 ;\nvariables:\n\tstring s(n) ;\n\t\ts:_ChunkSizes = 500 ;\ndata:\n s = {} ;\n}}\n",
        words.join(", ")
    )
}

/// A command that runs in the folder, with the same environment on every machine.
fn in_folder(folder: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .env("RAYON_NUM_THREADS", "1");
    command
}

/// Number of instructions of a run.
fn count(folder: &Path, line: &str) -> Result<u64> {
    let out = folder.join("cachegrind.out");
    output(
        in_folder(folder, "valgrind")
            .args([
                "--tool=cachegrind",
                "--cache-sim=no",
                "--branch-sim=no",
                "--cachegrind-out-file=cachegrind.out",
            ])
            .args(line.split(' ')),
    )?;
    let text = fs::read_to_string(&out)?;
    let summary = text.lines().find_map(|line| line.strip_prefix("summary: "));
    let summary = summary.context("cachegrind says no sum")?;
    Ok(summary.split_whitespace().next().unwrap_or_default().parse()?)
}
