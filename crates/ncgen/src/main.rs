//! `ncgen`: makes netCDF files from CDL text.

use std::process::ExitCode;

fn main() -> ExitCode {
    eprintln!(
        "ncgen: this version of ncutils does not generate files from CDL yet; use the ncgen of netcdf-bin"
    );
    ExitCode::FAILURE
}
