//! The program `nccopy`: see [`nccopy::main`].

use std::process::ExitCode;

fn main() -> ExitCode {
    nccopy::main()
}
