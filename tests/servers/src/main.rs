//! Servers for the tests of remote stores, each on a free port of this machine.
//!
//! ```text
//! remote_server s3 FOLDER [ID SECRET]      S3 on a folder, by s3s-fs: a bucket is a folder in it. Requests to
//!                                          `port` must be signed if there is a key, those to `open` must not
//! remote_server gcs [TOKEN]                a stand-in for Google Cloud Storage, in memory
//! remote_server proxy HOST:PORT            in front of a server: latency, bandwidth, faults, counts; see `proxy`
//! ```
//!
//! Prints one line of JSON with the ports, and ends when its standard input ends, so that no server outlives its test.

mod gcs;
mod listen;
mod proxy;
mod s3;

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use tokio::io::AsyncReadExt;

const USAGE: &str = "remote_server s3 FOLDER [ID SECRET] | gcs [TOKEN] | proxy HOST:PORT";

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ports = match words.as_slice() {
        ["s3", folder] => serde_json::json!({ "port": s3::start(Path::new(folder), None).await? }),
        ["s3", folder, id, secret] => {
            let folder = Path::new(folder);
            let (port, open) = (
                s3::start(folder, Some((id, secret))).await?,
                s3::start(folder, None).await?,
            );
            serde_json::json!({ "port": port, "open": open })
        }
        ["gcs"] => serde_json::json!({ "port": gcs::start(None).await? }),
        ["gcs", token] => serde_json::json!({ "port": gcs::start(Some(token)).await? }),
        ["proxy", upstream] => {
            let (port, control) = proxy::start(upstream).await?;
            serde_json::json!({ "port": port, "control": control })
        }
        _ => bail!("usage: {USAGE}"),
    };
    println!("{ports}");
    std::io::stdout().flush()?;
    let mut ignored = [0; 256];
    while tokio::io::stdin().read(&mut ignored).await? > 0 {}
    // A read of the standard input would keep the runtime from ending.
    std::process::exit(0);
}
