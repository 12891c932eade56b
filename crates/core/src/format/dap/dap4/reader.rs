//! Reading a dataset of DAP4.

use std::fmt::Write;
use std::sync::Arc;

use super::chunks;
use super::constraint::Constraint;
use super::dmr::{Asked, Described, described};
use super::elements::elements;
use crate::error::Result;
use crate::format::dap::limits::{MOST_OF_A_HEADER, MOST_OF_OPEN_DATA};
use crate::format::dap::pieces::pieces;
use crate::format::dap::reader::ServedDataset;
use crate::format::dap::server::Server;
use crate::format::dap::slice::{Slice, element_count};
use crate::model::{Schema, Slot, Type, TypeClass, Values, VarId};
use crate::store::{QueryServer, Question};

/// A dataset on a server of DAP4.
pub struct Dap4Dataset {
    server: Server,
    dataset: Described,
}

impl Dap4Dataset {
    /// Opens the dataset of a server whose DMR is `dmr`.
    ///
    /// # Errors
    /// A DMR that is malformed, a constraint that does not fit.
    pub fn open(server: &Arc<dyn QueryServer>, dmr: &str) -> Result<Self> {
        let server = Server::new(server);
        let constraint = Constraint::parse(server.typed_query())?;
        let dataset = described(dmr, &constraint)?;
        Ok(Self { server, dataset })
    }

    /// The type in which elements are sent: numbers for an enumeration.
    fn sent(&self, ty: Type) -> Type {
        match ty {
            Type::User(id) => match &self.dataset.schema.user_type(id).class {
                TypeClass::Enum { base, .. } => *base,
                _ => ty,
            },
            ty => ty,
        }
    }
}

/// Adds the elements of the next piece.
fn append(all: &mut Values, next: Values, ty: Type) {
    if all.bytes.is_empty() {
        *all = next;
        return;
    }
    if ty != Type::String {
        return all.bytes.extend_from_slice(&next.bytes);
    }
    for slot in next.bytes.chunks_exact(crate::model::SLOT_SIZE) {
        all.push_string(next.slot_content(Slot::read(slot), 1));
    }
}

fn question(asked: &Asked, slices: &[Slice], ty: Type, size: u64) -> Question {
    let mut query = String::from("dap4.ce=");
    for byte in asked.path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'_' | b'-' | b'.' | b'~' => {
                query.push(char::from(byte))
            }
            // Writing to a string does not fail.
            _ => drop(write!(query, "%{byte:02X}")),
        }
    }
    for (served, chosen) in asked.slices.iter().zip(slices) {
        let part = served.within(*chosen).written();
        query.push_str(&part.replace('[', "%5B").replace(']', "%5D"));
    }
    let bytes = element_count(slices).unwrap_or(u64::MAX).saturating_mul(size);
    let most = match ty {
        Type::String => MOST_OF_OPEN_DATA,
        // Chunks have heads of their own.
        _ => bytes.saturating_add(bytes / 16),
    };
    Question {
        suffix: ".dap",
        query,
        most: most.saturating_add(MOST_OF_A_HEADER),
    }
}

impl ServedDataset for Dap4Dataset {
    fn schema(&self) -> &Schema {
        &self.dataset.schema
    }

    fn elements_of(&self, var: VarId, slices: &[Slice]) -> Result<Values> {
        let asked = &self.dataset.asked[var.0];
        let mut all = Values::default();
        let ty = self.sent(asked.ty);
        let size = self.dataset.schema.type_size(ty) as u64;
        let parts = pieces(slices, size)?;
        let questions = parts.iter().map(|part| question(asked, part, ty, size));
        let mut counts = parts.iter().map(|part| element_count(part).unwrap_or(u64::MAX));
        self.server.answers(questions.collect(), |answer| {
            let count = counts.next().unwrap_or(0);
            let found = elements(chunks::data(answer)?, &self.dataset.schema, ty, count)?;
            append(&mut all, found, ty);
            Ok(())
        })?;
        Ok(all)
    }
}
