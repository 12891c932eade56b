//! The program `ncgen`: see [`ncgen::main`].

use std::process::ExitCode;

fn main() -> ExitCode {
    ncgen::main()
}
