//! Writes and reads zip files as stores of keys, for comparison with other programs.
//!
//! ```text
//! zip_tool pack FOLDER ZIP [TOP_FOLDER]   every file of FOLDER becomes an entry; those named `.z*` come last
//! zip_tool unpack ZIP FOLDER              every key becomes a file; prints the zip's top folder
//! zip_tool repack IN OUT                  every key of a zip becomes an entry of another
//! ```

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use ncutils_core::store::{
    DirectoryKeys, FileOutput, FileSource, GetRange, KeyOutput, KeyStore, ZipKeys, ZipOutput,
};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["pack", folder, zip] => pack(&DirectoryKeys::open(Path::new(folder))?, zip, None),
        ["pack", folder, zip, top] => pack(&DirectoryKeys::open(Path::new(folder))?, zip, Some(top)),
        ["repack", from, to] => pack(&open(from)?, to, None),
        ["unpack", zip, folder] => unpack(zip, Path::new(folder)),
        _ => bail!("pack FOLDER ZIP [TOP_FOLDER], unpack ZIP FOLDER, or repack IN OUT"),
    }
}

fn open(zip: &str) -> Result<ZipKeys> {
    Ok(ZipKeys::open(Arc::new(FileSource::open(Path::new(zip))?))?)
}

fn pack(files: &dyn KeyStore, zip: &str, top_folder: Option<&str>) -> Result<()> {
    let zip = ZipOutput::create(Arc::new(FileOutput::create(Path::new(zip))?), top_folder)?;
    for key in files.list("")? {
        let value = files
            .get(&key, GetRange::Whole)?
            .context("a file that was listed")?;
        let name = key.rsplit('/').next().unwrap_or(&key);
        if name.starts_with(".z") {
            zip.put_last(&key, &value)?;
        } else {
            zip.put(&key, &value)?;
        }
    }
    Ok(zip.publish()?)
}

fn unpack(zip: &str, folder: &Path) -> Result<()> {
    let keys = open(zip)?;
    println!("{}", keys.top_folder().unwrap_or_default());
    for key in keys.list("")? {
        let value = keys
            .get(&key, GetRange::Whole)?
            .context("a key that was listed")?;
        let path = folder.join(key);
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        std::fs::write(path, value)?;
    }
    Ok(())
}
