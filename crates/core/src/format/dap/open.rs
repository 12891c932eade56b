//! Opens a dataset of a server, in the version that it speaks.

use std::sync::Arc;

use super::dap2::Dap2Reader;
use super::server::Server;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::store::QueryServer;

/// A version of OPeNDAP's protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DapVersion {
    /// DAP 2.0.
    Two,
    /// DAP 4.0.
    Four,
}

/// How a dataset of a server is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DapOptions {
    /// The version; `None` for the first that the server answers in.
    pub version: Option<DapVersion>,
    /// Characters of a string of DAP2; `None` for 64, or what the server says.
    pub string_length: Option<u64>,
}

/// True if a server answers as one of OPeNDAP.
pub fn answers(server: &Arc<dyn QueryServer>) -> bool {
    let server = Server::new(server);
    matches!(server.text(".dds", String::new()), Ok(text) if is_dds(&text))
}

/// Opens the dataset.
///
/// # Errors
/// Those of the server, and of its descriptions.
pub fn open(server: &Arc<dyn QueryServer>, options: &DapOptions) -> Result<Box<dyn Reader>> {
    if options.version == Some(DapVersion::Four) {
        return Err(Error::Unsupported("DAP4".to_owned()));
    }
    let dds = Server::new(server).text(".dds", String::new())?;
    Ok(Box::new(Dap2Reader::open(server, &dds, options.string_length)?))
}

fn is_dds(text: &str) -> bool {
    let word = text.trim_start().get(..7);
    word.is_some_and(|word| word.eq_ignore_ascii_case("dataset"))
}
