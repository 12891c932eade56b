//! Writes man pages, made of the table of options.

use std::fs;
use std::path::Path;

use anyhow::Result;
use ncutils_cli::options::{NCCOPY, NCDUMP, NCGEN};

/// Writes the man pages of all programs to the folder `target`.
pub fn write(target: &str) -> Result<()> {
    let folder = Path::new(target);
    fs::create_dir_all(folder)?;
    for program in [&NCCOPY, &NCDUMP, &NCGEN] {
        let path = folder.join(format!("{}.1", program.name));
        // What was built in is no part of the page.
        let command = program.command().version(env!("CARGO_PKG_VERSION"));
        clap_mangen::Man::new(command).render(&mut fs::File::create(&path)?)?;
        println!("{}", path.display());
    }
    Ok(())
}
