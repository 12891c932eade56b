//! Copies a dataset to netCDF-4, with shuffle and deflate for every variable, on all cores.
//!
//! ```text
//! cargo run -p ncutils-core --example compress -- INPUT OUTPUT
//! ```

use ncutils_core::copy::plan::{CopyOptions, plan};
use ncutils_core::copy::{RunOptions, prepare, run};
use ncutils_core::location::Location;
use ncutils_core::model::Kind;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [input, output] = arguments.as_slice() else {
        anyhow::bail!("usage: compress INPUT OUTPUT");
    };
    let (input, output) = (Location::parse(input)?, Location::parse(output)?);
    input.check_output(&output)?;
    let reader = input.open()?;

    // What the output looks like: its schema, and how each variable is stored.
    let options = CopyOptions {
        kind: Some(Kind::Netcdf4),
        deflate: Some(5),
        shuffle: true,
        ..CopyOptions::default()
    };
    let plan = plan(&*reader, &options)?;

    // Which way each variable takes: as stored where it can, else decoded and encoded again.
    let prepared = prepare(&*reader, &plan)?;
    let writer = output.create(&plan.schema, &prepared.plans)?;

    // The file appears under its name when all is written, and not before.
    run(&*reader, &prepared, writer, &RunOptions::default())?;
    Ok(())
}
