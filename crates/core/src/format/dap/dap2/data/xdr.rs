//! Values as XDR (DAP 2.0, section 6), decoded to elements of netCDF.

use super::no_data::no_data;
use crate::chunk::swap_units;
use crate::error::{Error, Result};
use crate::format::dap::dap2::dds::{Atom, Node, NodeKind};

/// What begins and ends the rows of a sequence.
pub const ROW: u32 = 0x5A00_0000;
pub const END: u32 = 0xA500_0000;

/// The elements of one atomic variable, as netCDF has them.
#[derive(Debug)]
pub struct Elements {
    /// Little-endian numbers, or text in pieces of `width` bytes.
    pub bytes: Vec<u8>,
    /// Rows of the sequence that the variable is in.
    pub rows: u64,
    /// Bytes of one text; shorter ones are padded with zeros.
    width: usize,
    /// Bytes of the longest text that has more.
    longest: usize,
    /// Most bytes; `None` for a variable whose elements are dropped.
    most: Option<usize>,
}

impl Elements {
    /// Elements that are kept: texts with `width` bytes each, and at most `most` bytes of all.
    pub fn kept(width: usize, most: usize) -> Self {
        Self {
            bytes: Vec::new(),
            rows: 0,
            width,
            longest: 0,
            most: Some(most),
        }
    }

    /// Elements that nobody asked for.
    pub fn dropped() -> Self {
        Self {
            most: None,
            ..Self::kept(0, 0)
        }
    }

    /// The elements, if each text has fit.
    ///
    /// # Errors
    /// A text that is longer than its width.
    pub fn complete(self) -> Result<Self> {
        match self.longest {
            0 => Ok(self),
            longest => Err(Error::Usage(format!(
                "a string of {longest} bytes, where the dimension of characters has {}; put #stringlength={longest} behind the URL",
                self.width
            ))),
        }
    }

    /// Reserves memory for more bytes. Returns false if they are dropped.
    fn room(&mut self, bytes: usize) -> Result<bool> {
        let Some(most) = self.most else {
            return Ok(false);
        };
        if self.bytes.len().saturating_add(bytes) > most {
            return Err(Error::Damaged(format!(
                "the server's answer has more than {most} bytes of data"
            )));
        }
        let reserved = self.bytes.try_reserve(bytes);
        reserved.map_err(|_| Error::Damaged("there is no memory for the server's answer".to_owned()))?;
        Ok(true)
    }

    fn text(&mut self, text: &[u8]) -> Result<()> {
        let text = text.split(|b| *b == 0).next().unwrap_or_default();
        if text.len() > self.width && self.most.is_some() {
            self.longest = self.longest.max(text.len());
            return Ok(());
        }
        if self.room(self.width)? {
            self.bytes.extend_from_slice(text);
            self.bytes.resize(self.bytes.len() + self.width - text.len(), 0);
        }
        Ok(())
    }
}

/// Decodes the values of `nodes`. `to` has an entry for each atomic variable of theirs, in order.
///
/// # Errors
/// Data that ends too early, or is not as the nodes say.
pub fn decode(nodes: &[Node], data: &[u8], to: &mut [Elements]) -> Result<()> {
    Xdr { rest: data }.members(nodes, to)
}

struct Xdr<'a> {
    rest: &'a [u8],
}

impl<'a> Xdr<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| {
            let rest = self.rest.get(..64.min(self.rest.len())).unwrap_or_default();
            match rest.starts_with(b"Error") {
                true => no_data(&String::from_utf8_lossy(self.rest)),
                false => Error::Truncated("the server's answer ends before its data".to_owned()),
            }
        })?;
        self.rest = rest;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u32> {
        let taken = self.take(4)?;
        Ok(taken.iter().fold(0, |word, byte| word << 8 | u32::from(*byte)))
    }

    /// A length, which must be as it was announced.
    fn length(&mut self, announced: u64) -> Result<()> {
        match u64::from(self.word()?) {
            found if found == announced => Ok(()),
            found => Err(Error::Damaged(format!(
                "the data of the server's answer has {found} elements, and its description {announced}"
            ))),
        }
    }

    /// Variables that stand together. `to` has an entry for each atomic one of them, in order.
    fn members(&mut self, members: &[Node], to: &mut [Elements]) -> Result<()> {
        let mut rest = to;
        for member in members {
            let (own, behind) = rest.split_at_mut(member.atoms());
            self.node(member, own)?;
            rest = behind;
        }
        Ok(())
    }

    fn node(&mut self, node: &Node, to: &mut [Elements]) -> Result<()> {
        let count = node
            .dims
            .iter()
            .try_fold(1u64, |count, dim| count.checked_mul(dim.length));
        let count =
            count.ok_or_else(|| Error::Damaged("the server's answer has too many elements".to_owned()))?;
        let [first, ..] = to else {
            // It may have any number of elements without bytes.
            return Err(Error::Damaged(
                "a structure of the server has no variables".to_owned(),
            ));
        };
        match &node.kind {
            NodeKind::Atom(atom) if atom.is_text() => {
                if !node.dims.is_empty() {
                    self.length(count)?;
                }
                for _ in 0..count {
                    let length = self.word()? as usize;
                    let text = self.take(length)?;
                    self.take(length.wrapping_neg() % 4)?;
                    first.text(text)?;
                }
                Ok(())
            }
            NodeKind::Atom(atom) if node.dims.is_empty() => self.scalar(*atom, first),
            NodeKind::Atom(atom) => {
                self.length(count)?;
                self.length(count)?;
                self.array(*atom, count, first)
            }
            NodeKind::Structure(members) | NodeKind::Grid(members) => {
                if !node.dims.is_empty() {
                    self.length(count)?;
                }
                for _ in 0..count {
                    self.members(members, to)?;
                }
                Ok(())
            }
            NodeKind::Sequence(members) => loop {
                match self.word()? {
                    ROW => {
                        to.iter_mut().for_each(|one| one.rows += 1);
                        self.members(members, to)?;
                    }
                    END => return Ok(()),
                    _ => {
                        return Err(Error::Damaged(
                            "a row of the server's sequence has no mark".to_owned(),
                        ));
                    }
                }
            },
        }
    }

    fn scalar(&mut self, atom: Atom, to: &mut Elements) -> Result<()> {
        if atom == Atom::Byte {
            let word = self.word()?;
            if !to.room(1)? {
                return Ok(());
            }
            // Some servers put the byte in front of its padding, as in an array.
            to.bytes.push(match word.to_be_bytes() {
                [byte, 0, 0, 0] if byte != 0 => byte,
                [_, _, _, byte] => byte,
            });
            return Ok(());
        }
        self.array(atom, 1, to)
    }

    fn array(&mut self, atom: Atom, count: u64, to: &mut Elements) -> Result<()> {
        let (sent, kept) = match atom {
            Atom::Byte => (1, 1),
            Atom::Int16 | Atom::UInt16 => (4, 2),
            Atom::Float64 => (8, 8),
            _ => (4, 4),
        };
        let count = usize::try_from(count)
            .ok()
            .and_then(|count| count.checked_mul(sent));
        let count =
            count.ok_or_else(|| Error::Damaged("the server's answer has too many elements".to_owned()))?;
        let bytes = self.take(count)?;
        let is_kept = to.room(count / sent * kept)?;
        match sent {
            1 => {
                if is_kept {
                    to.bytes.extend_from_slice(bytes);
                }
                // Some servers leave the padding of the last array out.
                let padding = count.wrapping_neg() % 4;
                self.take(padding.min(self.rest.len()))?;
            }
            _ if !is_kept => {}
            _ if sent == kept => {
                let start = to.bytes.len();
                to.bytes.extend_from_slice(bytes);
                swap_units(&mut to.bytes[start..], kept);
            }
            _ => {
                for number in bytes.chunks_exact(sent) {
                    to.bytes.extend(number[sent - kept..].iter().rev());
                }
            }
        }
        Ok(())
    }
}
