//! Benchmarks of many small files: a folder of them in one call, beside one process for each, and the same call again.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::measure;

/// Number of files.
const COUNT: usize = 10_000;

/// Elements of each, as `float`: 100 KB.
const ELEMENTS: usize = 25_000;

/// What is done with each file.
const OPTIONS: [&str; 3] = ["-d", "5", "-s"];

/// Files a second that a call may skip that finds all done.
const SKIPPED_A_SECOND: f64 = 3000.0;

/// Measures all.
///
/// # Errors
/// A program fails.
pub fn run(binaries: &Path, data: &Path) -> Result<()> {
    let (inputs, outputs) = (data.join("files"), data.join("files-out"));
    make(binaries, &inputs)?;
    let (ours, theirs) = (binaries.join("nccopy"), Path::new("/usr/bin/nccopy"));
    let names = inputs.with_extension("txt");
    let one_call = || {
        let mut command = Command::new(&ours);
        command.args(OPTIONS).arg("--quiet").arg("--files-from");
        command.arg(&names).arg(&outputs).current_dir(data);
        command
    };
    let printed = data.join("out.txt");
    let fresh = |command: &mut Command| {
        let _ = fs::remove_dir_all(&outputs);
        fs::create_dir(&outputs)?;
        anyhow::Ok(measure::run(command, &printed)?.time.as_secs_f64())
    };
    let under_xargs = |program: &Path| {
        let mut command = Command::new("xargs");
        command
            .arg("-a")
            .arg(data.join("files-names.txt"))
            .args(["-P2", "-I{}"])
            .arg(program);
        command
            .args(OPTIONS)
            .args(["files/{}", "files-out/{}"])
            .current_dir(data);
        command
    };
    let one = fresh(&mut one_call())?;
    let again = measure::run(one_call().arg("--update"), &printed)?
        .time
        .as_secs_f64();
    let own = fresh(&mut under_xargs(&ours))?;
    let peer = fresh(&mut under_xargs(theirs))?;
    let told = |name: &str, time: f64, wanted: f64| {
        let short = if time / one < wanted { "  SHORT" } else { "" };
        println!(
            "  {name:30} {time:7.2} s  {:5.1} x (wanted: {wanted}){short}",
            time / one
        );
    };
    println!(
        "{COUNT} files of {} KB, {}, into a folder: {one:.2} s",
        ELEMENTS * 4 / 1000,
        OPTIONS.join(" ")
    );
    told("xargs -P2, netcdf-bin's nccopy", peer, 15.0);
    told("xargs -P2, our nccopy", own, 2.0);
    let rate = COUNT as f64 / again;
    let short = if rate < SKIPPED_A_SECOND { "  SHORT" } else { "" };
    println!(
        "  again, with --update: {again:.2} s, {rate:.0} files a second (wanted: {SKIPPED_A_SECOND:.0}){short}"
    );
    fs::remove_dir_all(&outputs)?;
    Ok(())
}

/// Makes the files, where they are missing, and the lists of their names.
fn make(binaries: &Path, folder: &Path) -> Result<()> {
    let name = |n: usize| format!("f{n:05}.nc");
    if !folder.join(name(COUNT - 1)).exists() {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder)?;
        let rows = (0..ELEMENTS).map(|n| (((n * n) % 4001) / 16).to_string());
        let values = rows.collect::<Vec<_>>().join(", ");
        let text = format!(
            "netcdf f {{ dimensions: t = 100; x = 250; variables: float v(t, x); v:units = \"K\"; data: v = {values}; }}"
        );
        let first = folder.join(name(0));
        measure::generate(&binaries.join("ncgen"), text, &first)?;
        for n in 1..COUNT {
            fs::copy(&first, folder.join(name(n)))?;
        }
    }
    let list = |prefix: &str| {
        (0..COUNT)
            .map(|n| format!("{prefix}{}\n", name(n)))
            .collect::<String>()
    };
    fs::write(folder.with_extension("txt"), list("files/"))?;
    fs::write(folder.with_file_name("files-names.txt"), list(""))?;
    Ok(())
}
