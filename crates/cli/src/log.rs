//! Logs the libraries' work to standard error, if the environment variable `NCUTILS_LOG` asks for it.

use std::env;
use std::io;

use ncutils_core::message::tell;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::time::uptime;

/// The environment variable with the level, as in `NCUTILS_LOG=debug`.
const VARIABLE: &str = "NCUTILS_LOG";

/// Shows events of the level in the variable and above. Without the variable nothing is collected, and an event costs
/// one comparison.
pub(crate) fn start(program: &str) {
    let Some(asked) = env::var_os(VARIABLE).filter(|asked| !asked.is_empty()) else {
        return;
    };
    let Some(level) = asked.to_str().and_then(|asked| asked.parse::<LevelFilter>().ok()) else {
        let asked = asked.display();
        tell(
            program,
            format_args!("warning: {VARIABLE}={asked}: expected error, warn, info, debug, trace or off"),
        );
        return;
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(io::stderr)
        .with_timer(uptime())
        .with_ansi(false)
        .init();
}
