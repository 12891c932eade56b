//! How the program of packages is linked: smaller than by its profile alone.

use crate::workspace::root;

/// What is inlined at the link, when most already is. Few rows of copies change, and metadata takes 2 % more instructions.
const INLINING: &str = "llvm-args=-inline-threshold=50";

/// The linker script that leaves out the tables of unwinding: a panic ends the program in one line, without a backtrace.
const SCRIPT: &str = "xtask/src/dist/no_unwinding.ld";

/// Arguments for rustc when it builds the program itself. The wheel's linker ignores the last one.
pub fn arguments() -> Vec<String> {
    let script = format!("link-arg=-Wl,-T,{}", root().join(SCRIPT).display());
    [INLINING, &script, "link-arg=-Wl,--no-eh-frame-hdr"]
        .iter()
        .flat_map(|argument| ["-C".to_owned(), (*argument).to_owned()])
        .collect()
}
