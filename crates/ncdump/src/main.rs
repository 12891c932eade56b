//! The program `ncdump`: see [`ncdump::main`].

use std::process::ExitCode;

fn main() -> ExitCode {
    ncdump::main()
}
