//! Writes man pages, made from the definitions of the flags.

use std::fs;
use std::path::Path;

use anyhow::Result;

/// Writes the man pages of all programs to the folder `target`.
pub fn write(target: &str) -> Result<()> {
    let folder = Path::new(target);
    fs::create_dir_all(folder)?;
    for command in [
        nccopy::flags::command(),
        ncdump::flags::command(),
        ncgen::flags::command(),
    ] {
        let path = folder.join(format!("{}.1", command.get_name()));
        clap_mangen::Man::new(command).render(&mut fs::File::create(&path)?)?;
        println!("{}", path.display());
    }
    Ok(())
}
