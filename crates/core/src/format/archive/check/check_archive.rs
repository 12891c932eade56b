//! Checks an archive.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::finding::{Finding, MOST_FINDINGS};
use super::passing::Passing;
use crate::chunk::resize;
use crate::error::{Error, Result};
use crate::format::archive::pack::pack_file::Packed;
use crate::format::archive::random_access::opened::Archive;
use crate::format::archive::restore::assemble::{Assembly, RestoreJob};
use crate::format::archive::restore::blocks::{Blocks, stream_of};
use crate::format::archive::shares::Shares;
use crate::format::archive::structure::fields::damaged;
use crate::format::archive::structure::front::is_archive;
use crate::format::{CheckLimits, ReadValues};
use crate::store::{Object, known_size};

/// Bytes that are read at once.
const PIECE: u64 = 1 << 20;

/// Bytes of a repeated element that one thread puts at once.
const PART: u64 = 4 << 20;

/// The first blocks that cannot be decoded, in the order of the archive.
#[derive(Default)]
struct BadBlocks {
    first: BTreeMap<u64, Finding>,
    /// Number of blocks that are bad besides.
    more: u64,
}

impl BadBlocks {
    fn add(&mut self, job: u64, finding: Finding) {
        self.first.insert(job, finding);
        if self.first.len() > MOST_FINDINGS {
            self.first.pop_last();
            self.more += 1;
        }
    }

    fn into_findings(self) -> Vec<Finding> {
        let mut findings: Vec<_> = self.first.into_values().collect();
        if self.more > 0 {
            let told = format!("{} more blocks cannot be decoded", self.more);
            findings.push(Finding::of(&damaged(told)));
        }
        findings
    }
}

/// Checks everything of an archive: each block, that the index agrees with the blocks, and the SHA-256 of the original.
/// Returns what is wrong, which is nothing for a sound archive, and how much of the blocks was read. Findings are in the order of
/// the archive. After a structure that leads on to others was found damaged, what follows it is not checked. A pipe is read as it
/// comes.
///
/// # Errors
/// If the archive cannot be read.
pub fn check(source: &Arc<dyn Object>, limits: CheckLimits) -> Result<(Vec<Finding>, ReadValues)> {
    let opened = Blocks::open(stream_of(source)?, Shares::index(limits.memory));
    let blocks = match opened {
        Ok(blocks) => blocks,
        Err(Error::Io { what, cause }) => return Err(Error::Io { what, cause }),
        Err(error) => return Ok((vec![Finding::of(&error)], ReadValues::default())),
    };
    let bad = Mutex::new(BadBlocks::default());
    let (blocks, found) = assemble(blocks, limits, &bad);
    let read = blocks.read_values();
    let bad = bad.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut findings = bad.into_findings();
    match found.and_then(|found| Ok((found, blocks.finish()?.1))) {
        Err(Error::Io { what, cause }) => return Err(Error::Io { what, cause }),
        Err(error) => findings.push(Finding::of(&error)),
        Ok((Some(found), sha256)) if found != sha256 => {
            let wrong = damaged("the SHA-256 of the original is another one than its bytes have");
            findings.push(Finding::of(&wrong));
        }
        Ok(_) => {}
    }
    Ok((findings, read))
}

/// Puts the original together in passing, and hashes it.
fn assemble<R: Read + Send>(
    blocks: Blocks<R>,
    limits: CheckLimits,
    bad: &Mutex<BadBlocks>,
) -> (Blocks<R>, Result<Option<[u8; 32]>>) {
    let streams = &blocks.front.streams;
    let rest = streams.rest();
    let passing = Shares::passing(limits.memory);
    let original = Passing::of(streams.original, passing);
    let shares = Shares::of(limits.memory, limits.threads, streams.longest_block());
    let add = |job: &RestoreJob, error: Error| {
        let stream = job.header.stream as usize;
        let finding = Finding {
            variable: (stream < rest).then_some(stream),
            block: Some(job.header.number),
            byte: Some(job.at),
            what: error.to_string(),
        };
        bad.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .add(job.number, finding);
        Ok(())
    };
    let assembly = Assembly {
        output: &original,
        shares,
        bad: &add,
        hashed: &|to| original.pass(to),
        lag: passing / 2,
        part: PART,
    };
    assembly.run(blocks)
}

/// Reads back what was packed or restored, all of it, and compares it with what was read for that.
///
/// # Errors
/// What differs or is damaged, and failures of reading.
pub fn verify(written: &Arc<dyn Object>, packed: &Packed, limits: CheckLimits) -> Result<()> {
    let wrong = |why: &str| Error::Damaged(format!("the output does not have what was asked for: {why}"));
    if !is_archive(&**written)? {
        return match hash(&**written)? == packed.sha256 {
            true => Ok(()),
            false => Err(wrong("the SHA-256 of its bytes is another one")),
        };
    }
    let (findings, _) = check(written, limits)?;
    if let Some(first) = findings.first() {
        return Err(wrong(&first.what));
    }
    match Archive::open(written.clone())?.sha256()? == packed.sha256 {
        true => Ok(()),
        false => Err(wrong("the SHA-256 of its original is another one")),
    }
}

fn hash(source: &dyn Object) -> Result<[u8; 32]> {
    let size = known_size(source)?;
    let mut sha = Sha256::new();
    let mut piece = Vec::new();
    let mut at = 0;
    while at < size {
        resize(&mut piece, PIECE.min(size - at) as usize)?;
        source
            .read_exact_at(at, &mut piece)
            .map_err(|e| Error::io("cannot read", e))?;
        sha.update(&piece);
        at += piece.len() as u64;
    }
    Ok(sha.finalize().into())
}
