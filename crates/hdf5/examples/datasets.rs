//! Lists the datasets of an HDF5 file: `datasets FILE`. With a path, prints the numbers of one: `datasets FILE PATH`.

use ncutils_hdf5::{Dataset, Encoded, File, LinkTarget, ObjectKind, OpenOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let source = std::fs::File::open(arguments.next().ok_or("which file?")?)?;
    let file = OpenOptions::new().decoder(unshuffle).open(source)?;
    match arguments.next() {
        Some(path) => print(&file, &file.dataset(&file.open_path(&path)?)?)?,
        None => list(&file, file.root(), "", 0)?,
    }
    Ok(())
}

/// Prints paths and shapes of the datasets in the group at `address`, and in the groups in it.
fn list(file: &File, address: u64, path: &str, depth: usize) -> ncutils_hdf5::Result<()> {
    let group = file.object(address)?;
    for link in file.links(&group)?.links {
        let LinkTarget::Hard(address) = link.target else {
            continue;
        };
        let path = format!("{path}/{}", link.name);
        let object = file.object(address)?;
        match object.kind {
            ObjectKind::Dataset => println!("{path} {:?}", file.dataset(&object)?.dataspace.dims()),
            // Groups may be in themselves.
            ObjectKind::Group if depth < 32 => list(file, address, &path, depth + 1)?,
            _ => {}
        }
    }
    Ok(())
}

fn print(file: &File, dataset: &Dataset) -> ncutils_hdf5::Result<()> {
    if let Ok(values) = file.read_values::<f32>(dataset) {
        println!("{values:?}");
    } else if let Ok(values) = file.read_values::<f64>(dataset) {
        println!("{values:?}");
    } else {
        println!("{:?}", file.read_values::<i32>(dataset)?);
    }
    Ok(())
}

/// A decoder of one filter: shuffle, number 2, which stores the first bytes of all elements, then the second bytes, and so on.
fn unshuffle(encoded: &Encoded<'_>) -> Result<Vec<u8>, String> {
    let mut bytes = encoded.stored.to_vec();
    for (position, filter) in encoded.filters.iter().enumerate().rev() {
        if encoded.mask >> position & 1 == 1 {
            continue;
        }
        if filter.id != 2 {
            return Err(format!("filter {} is not known", filter.id));
        }
        let shuffled = bytes.clone();
        let count = bytes.len() / encoded.element_size.max(1);
        for (i, byte) in bytes.iter_mut().enumerate().take(count * encoded.element_size) {
            *byte = shuffled[i % encoded.element_size * count + i / encoded.element_size];
        }
    }
    Ok(bytes)
}
