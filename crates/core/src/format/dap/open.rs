//! Opens a dataset of a server, in the version that it speaks.

use std::sync::Arc;

use super::dap2::Dap2Dataset;
use super::dap4::Dap4Dataset;
use super::reader::DapReader;
use super::server::Server;
use crate::error::Result;
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
        || matches!(server.text(".dmr.xml", String::new()), Ok(text) if is_dmr(&text))
}

/// Opens the dataset.
///
/// # Errors
/// Those of the server, and of its descriptions.
pub fn open(server: &Arc<dyn QueryServer>, options: &DapOptions) -> Result<Box<dyn Reader>> {
    let asked = Server::new(server);
    let first = match options.version {
        Some(DapVersion::Four) => None,
        Some(DapVersion::Two) => return two(server, &asked.text(".dds", String::new())?, options),
        None => match asked.text(".dds", String::new()) {
            Ok(dds) if is_dds(&dds) => return two(server, &dds, options),
            other => Some(other),
        },
    };
    match (first, asked.text(".dmr.xml", String::new())) {
        (_, Ok(dmr)) => Ok(Box::new(DapReader::new(Dap4Dataset::open(server, &dmr)?))),
        (Some(Ok(dds)), Err(_)) => two(server, &dds, options),
        (Some(Err(error)), Err(_)) | (None, Err(error)) => Err(error),
    }
}

fn two(server: &Arc<dyn QueryServer>, dds: &str, options: &DapOptions) -> Result<Box<dyn Reader>> {
    let dataset = Dap2Dataset::open(server, dds, options.string_length)?;
    Ok(Box::new(DapReader::new(dataset)))
}

fn is_dds(text: &str) -> bool {
    let word = text.trim_start().get(..7);
    word.is_some_and(|word| word.eq_ignore_ascii_case("dataset"))
}

fn is_dmr(text: &str) -> bool {
    text.trim_start().starts_with('<') && text.contains("xml.opendap.org/ns/DAP/4.0")
}
