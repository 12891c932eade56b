//! Opens a classic file and writes it again: what netCDF wrote must come out byte for byte.
//!
//! `classic_copy IN OUT`

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use ncutils_core::error::{Error, Result};
use ncutils_core::filter::{Pipeline, Registry};
use ncutils_core::format::{self, Promised, VariablePlan};
use ncutils_core::model::VarId;
use ncutils_core::store::{FileOutput, FileSource};

/// How much is copied at once.
const PIECE: u64 = 8 << 20;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let [input, output] = args.as_slice() else {
        eprintln!("usage: classic_copy IN OUT");
        return ExitCode::FAILURE;
    };
    match copy(Path::new(input), Path::new(output)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("classic_copy: {e}");
            ExitCode::FAILURE
        }
    }
}

fn copy(input: &Path, output: &Path) -> Result<()> {
    let in_input = |e: Error| e.in_file(input);
    let in_output = |e: Error| e.in_file(output);
    let reader = format::open(Arc::new(FileSource::open(input)?), &Registry::builtin()).map_err(in_input)?;
    let schema = reader.schema();
    let vars = || (0..schema.vars.len()).map(VarId);
    let plans: Vec<_> = vars()
        .map(|id| {
            let layout = reader.layout(id).clone();
            let bytes = layout.extent.iter().product::<u64>() * layout.element_size as u64;
            VariablePlan::with_pipeline(layout, Pipeline::empty(), Promised::Bytes(bytes))
        })
        .collect();
    let writer = format::create(Arc::new(FileOutput::create(output)?), schema, &plans).map_err(in_output)?;
    let mut buf = Vec::new();
    for id in vars() {
        let layout = reader.layout(id);
        let size = layout.extent.iter().product::<u64>() * layout.element_size as u64;
        let mut at = 0;
        while at < size {
            buf.resize((size - at).min(PIECE) as usize, 0);
            reader.read_range(id, at, &mut buf).map_err(in_input)?;
            writer.write_range(id, at, &buf).map_err(in_output)?;
            at += buf.len() as u64;
        }
    }
    writer.finish().map_err(in_output)
}
