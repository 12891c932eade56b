//! Benchmarks of the Python module: its import, and a copy of a small file beside the program's own.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::measure;
use crate::workspace::root;

/// How often each command runs, in turn. The shortest time counts.
const RUNS: usize = 40;

/// Most milliseconds for Python to start and to import the module.
const IMPORT: f64 = 60.0;

/// Most milliseconds that a copy takes beyond the import and the program.
const BESIDE: f64 = 15.0;

/// Measures all.
///
/// # Errors
/// A program fails.
pub fn run(binaries: &Path, python: &Path, data: &Path) -> Result<()> {
    std::fs::create_dir_all(data)?;
    let (input, output) = (root().join("testdata/sample.nc"), data.join("small.nc"));
    let of_python = |script: &str| {
        let mut command = Command::new(python);
        command.args(["-c", script]).arg(&input).arg(&output);
        command
            .env("PYTHONPATH", root().join("crates/wheel/python"))
            .env("NCUTILS_BIN", binaries)
            .env_remove("PYTHONDONTWRITEBYTECODE");
        command
    };
    let mut program = Command::new(binaries.join("nccopy"));
    program.arg("--deflate=1").arg(&input).arg(&output);
    let mut commands = [
        of_python("pass"),
        of_python("import ncutils"),
        of_python("import ncutils, sys; ncutils.copy(*sys.argv[1:], deflate=1)"),
        program,
    ];
    let mut least = [f64::MAX; 4];
    for _ in 0..RUNS {
        for (least, command) in least.iter_mut().zip(&mut commands) {
            let time = measure::run(command, &data.join("out.txt"))?.time;
            *least = least.min(time.as_secs_f64() * 1000.0);
        }
    }
    let [alone, import, copy, program] = least;
    let short = |is_short| if is_short { "  SHORT" } else { "" };
    println!("Python alone {alone:.1} ms, nccopy alone {program:.1} ms");
    println!(
        "  import ncutils {import:.1} ms (wanted: at most {IMPORT}){}",
        short(import > IMPORT)
    );
    let beside = copy - import - program;
    println!(
        "  a copy {copy:.1} ms, {beside:.1} ms beside import and program (wanted: at most {BESIDE}){}",
        short(beside > BESIDE)
    );
    Ok(())
}
