//! Writes man pages, which the program `ncutils` makes of the table of options.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::process::output;
use crate::programs::{DEV, Programs};

/// The old names, which the programs of netCDF-C have too.
pub const OLD_NAMES: [&str; 3] = ["nccopy", "ncdump", "ncgen"];

/// Writes the man pages of all programs to a folder.
pub fn write(target: &Path) -> Result<()> {
    let ncutils = Programs::build_ncutils(DEV, &[])?;
    fs::create_dir_all(target)?;
    for name in OLD_NAMES {
        let path = target.join(format!("{name}.1"));
        fs::write(&path, page(&ncutils, name)?)?;
        println!("{}", path.display());
    }
    Ok(())
}

/// The man page of a program or of a command of `ncutils`.
pub fn page(ncutils: &Path, name: &str) -> Result<String> {
    output(Command::new(ncutils).args(["man", name]))
}
