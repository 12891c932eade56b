//! Prints where every chunk of every dataset is: `h5chunks FILE…` prints `path index address size filter_mask`.
//!
//! Meant to be compared, line by line, with what another implementation says of the same file.

use std::collections::HashSet;
use std::sync::Arc;

use ncutils_hdf5::{File, Layout, LinkTarget, Object, ObjectKind, Result};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let file = File::open(Arc::new(std::fs::read(path)?))?;
        let mut seen = HashSet::from([file.root()]);
        let mut pending = vec![(file.root(), String::new())];
        while let Some((address, path)) = pending.pop() {
            if let Err(error) = show(&file, &path, &file.object(address)?) {
                println!("{path} error {error}");
            }
            let links = file.links(&file.object(address)?)?.links;
            for link in links.into_iter().rev() {
                if let LinkTarget::Hard(target) = link.target
                    && seen.insert(target)
                {
                    pending.push((target, format!("{path}/{}", link.name)));
                }
            }
        }
    }
    Ok(())
}

fn show(file: &File, path: &str, object: &Object) -> Result<()> {
    if object.kind != ObjectKind::Dataset {
        return Ok(());
    }
    let dataset = file.dataset(object)?;
    if !matches!(dataset.layout, Layout::Chunked(_)) {
        return Ok(());
    }
    for chunk in file.chunk_table(&dataset)?.iter() {
        let chunk = chunk?;
        println!(
            "{path} {} {} {} {}",
            chunk.index,
            file.user_block_size() + chunk.address,
            chunk.size,
            chunk.filter_mask
        );
    }
    Ok(())
}
