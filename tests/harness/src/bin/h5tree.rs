//! Prints all that HDF5 files' metadata says, a line for each object, link, attribute and dataset: `h5tree FILE…`

#[path = "../../../../crates/hdf5/tests/all/tree/mod.rs"]
mod tree;

use std::process::ExitCode;
use std::sync::Arc;

use ncutils_hdf5::File;

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for path in std::env::args().skip(1) {
        let read = std::fs::read(&path).map_err(|error| error.to_string());
        match read.and_then(|bytes| File::open(Arc::new(bytes)).map_err(|error| error.to_string())) {
            Ok(file) => print!("{}", tree::list(&file)),
            Err(error) => {
                eprintln!("{path}: {error}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}
