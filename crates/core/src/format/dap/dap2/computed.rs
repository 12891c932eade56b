//! [`Computed`]: what functions of the server give. Their results cannot be asked for in parts, so one answer brings all.

use std::sync::{Arc, Mutex, PoisonError};

use super::data::{Answer, Asked, question};
use super::leaf::Leaf;
use crate::error::{Error, Result};
use crate::format::dap::server::Server;
use crate::format::dap::slice::{Slice, element_count};
use crate::format::dap::taken::taken;

/// Most bytes of results.
const MOST: u64 = 64 << 20;

/// The results of functions.
pub struct Computed {
    /// The constraint of the URL, decoded.
    constraint: String,
    /// The elements of each variable, once they were asked for.
    all: Mutex<Option<Arc<Vec<Vec<u8>>>>>,
}

impl Computed {
    /// The results that a constraint with functions gives.
    pub fn new(constraint: String) -> Self {
        Self {
            constraint,
            all: Mutex::new(None),
        }
    }

    /// The elements of a box of one variable of `leaves`.
    ///
    /// # Errors
    /// Those of the server; an answer that is malformed.
    pub fn elements(
        &self,
        server: &Server,
        leaves: &[Leaf],
        var: usize,
        slices: &[Slice],
    ) -> Result<Vec<u8>> {
        let all = {
            let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
            match &*all {
                Some(all) => Arc::clone(all),
                None => Arc::clone(all.insert(Arc::new(self.fetch(server, leaves)?))),
            }
        };
        let leaf = &leaves[var];
        let lengths: Vec<u64> = leaf.dims.iter().map(|dim| dim.length).collect();
        taken(&all[var], &lengths, slices, leaf.size())
    }

    fn fetch(&self, server: &Server, leaves: &[Leaf]) -> Result<Vec<Vec<u8>>> {
        let asked: Vec<Asked<'_>> = leaves
            .iter()
            .map(|leaf| Asked {
                leaf,
                count: element_count(&leaf.whole()),
                width: leaf.width,
                most: MOST as usize,
            })
            .collect();
        let mut all = Vec::new();
        server.answers(vec![question(&self.constraint, "", MOST)], |answer| {
            let found = Answer::parse(answer)?.several(&asked)?;
            all = found.into_iter().map(|elements| elements.bytes).collect();
            Ok(())
        })?;
        let is_whole = |(leaf, bytes): (&Leaf, &Vec<u8>)| {
            element_count(&leaf.whole()) == Some((bytes.len() / leaf.size().max(1)) as u64)
        };
        match leaves.iter().zip(&all).all(is_whole) {
            true => Ok(all),
            false => Err(Error::Damaged(
                "the server's answer has another number of elements than its description".to_owned(),
            )),
        }
    }
}
