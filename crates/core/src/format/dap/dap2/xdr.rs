//! Answers with data: a DDS, then values as XDR (DAP 2.0, section 6).
//!
//! ```text
//! Dataset { … } name;\nData:\n ─► the one variable that was asked for ─► elements of netCDF
//! ```

use super::dds::{self, Atom, Node, NodeKind};
use crate::chunk::swap_units;
use crate::error::{Error, Result};
use crate::format::dap::limits::{MOST_OF_A_HEADER, shown};

/// What begins and ends the rows of a sequence.
const ROW: u32 = 0x5A00_0000;
const END: u32 = 0xA500_0000;

/// The elements of one variable, as netCDF has them.
#[derive(Debug)]
pub struct Elements {
    /// Little-endian numbers, or text in pieces of `width` bytes.
    pub bytes: Vec<u8>,
    /// Bytes of one text; shorter ones are padded with zeros.
    width: usize,
    /// Bytes of the longest text that has more.
    longest: usize,
    /// Rows of the sequence.
    pub rows: u64,
    /// Most bytes.
    most: usize,
}

/// An answer, checked to hold one variable.
pub struct Answer<'a> {
    dataset: dds::Dataset,
    data: &'a [u8],
}

impl<'a> Answer<'a> {
    /// Splits an answer.
    ///
    /// # Errors
    /// What the server says in place of data; an answer that is none.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let header = &bytes[..bytes.len().min(MOST_OF_A_HEADER as usize)];
        let begins = |at: usize| {
            header[at..].starts_with(b"Data:") && matches!(header.get(at.wrapping_sub(1)), Some(b'\n'))
        };
        let found = (0..header.len()).find(|at| header[*at] == b'D' && begins(*at));
        let Some((at, behind)) = found.and_then(|at| {
            let behind = at + b"Data:".len();
            match bytes.get(behind..)? {
                [b'\n', ..] => Some((at, behind + 1)),
                [b'\r', b'\n', ..] => Some((at, behind + 2)),
                _ => None,
            }
        }) else {
            return Err(no_data(&String::from_utf8_lossy(header)));
        };
        Ok(Self {
            dataset: dds::parse(&String::from_utf8_lossy(&bytes[..at]))?,
            data: &bytes[behind..],
        })
    }

    /// The elements of the only variable, which has the type `atom`, and `count` elements without those of sequences. A text
    /// gets `width` bytes.
    ///
    /// # Errors
    /// Another variable, another number of elements, text that is longer, data that ends too early; more than `most` bytes.
    pub fn elements(&self, atom: Atom, count: Option<u64>, width: usize, most: usize) -> Result<Elements> {
        let mut chain = Vec::new();
        let mut members = &self.dataset.members[..];
        while let [node] = members {
            chain.push(node);
            members = node.members();
        }
        let is_asked =
            matches!(chain.last(), Some(Node { kind: NodeKind::Atom(found), .. }) if *found == atom);
        if !is_asked || !members.is_empty() {
            return Err(Error::Damaged(
                "the server's answer has not the one variable that was asked for".to_owned(),
            ));
        }
        let mut told = Some(1u64);
        for node in &chain {
            for dim in &node.dims {
                told = told.and_then(|told| told.checked_mul(dim.length));
            }
        }
        if let Some(count) = count
            && told != Some(count)
        {
            return Err(Error::Damaged(format!(
                "the server's answer has {} elements, and {count} were asked for",
                told.map_or("very many".to_owned(), |told| told.to_string())
            )));
        }
        let mut elements = Elements {
            bytes: Vec::new(),
            width,
            longest: 0,
            rows: 0,
            most,
        };
        let mut xdr = Xdr { rest: self.data };
        xdr.nodes(&chain, &mut elements)?;
        match elements.longest {
            0 => Ok(elements),
            longest => Err(Error::Usage(format!(
                "a string of {longest} bytes, where the dimension of characters has {width}; put #stringlength={longest} behind the URL"
            ))),
        }
    }
}

/// The error of an answer without data.
pub fn no_data(text: &str) -> Error {
    let text = text.trim_start();
    if text.starts_with('<') {
        return Error::Damaged("the server's answer is a web page, and no data".to_owned());
    }
    match text.strip_prefix("Error").and_then(|rest| rest.split_once('"')) {
        Some((_, message)) => {
            let message = message.rsplit_once('"').map_or(message, |(front, _)| front);
            Error::Remote(format!("the server says: {}", shown(message)))
        }
        None => Error::Damaged(format!(
            "the server's answer is no data of DAP2: '{}'",
            shown(text)
        )),
    }
}

impl Elements {
    fn room(&mut self, bytes: usize) -> Result<()> {
        if self.bytes.len().saturating_add(bytes) > self.most {
            return Err(Error::Damaged(format!(
                "the server's answer has more than {} bytes of data",
                self.most
            )));
        }
        let reserved = self.bytes.try_reserve(bytes);
        reserved.map_err(|_| Error::Damaged("there is no memory for the server's answer".to_owned()))
    }

    fn text(&mut self, text: &[u8]) -> Result<()> {
        let text = text.split(|b| *b == 0).next().unwrap_or_default();
        if text.len() > self.width {
            self.longest = self.longest.max(text.len());
            return Ok(());
        }
        self.room(self.width)?;
        self.bytes.extend_from_slice(text);
        self.bytes.resize(self.bytes.len() + self.width - text.len(), 0);
        Ok(())
    }
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

    fn nodes(&mut self, chain: &[&Node], to: &mut Elements) -> Result<()> {
        let Some((node, inside)) = chain.split_first() else {
            return Ok(());
        };
        let count = node
            .dims
            .iter()
            .try_fold(1u64, |count, dim| count.checked_mul(dim.length));
        let count =
            count.ok_or_else(|| Error::Damaged("the server's answer has too many elements".to_owned()))?;
        match &node.kind {
            NodeKind::Atom(atom) if atom.is_text() => {
                if !node.dims.is_empty() {
                    self.length(count)?;
                }
                for _ in 0..count {
                    let length = self.word()? as usize;
                    let text = self.take(length)?;
                    self.take(length.wrapping_neg() % 4)?;
                    to.text(text)?;
                }
                Ok(())
            }
            NodeKind::Atom(atom) if node.dims.is_empty() => self.scalar(*atom, to),
            NodeKind::Atom(atom) => {
                self.length(count)?;
                self.length(count)?;
                self.array(*atom, count, to)
            }
            NodeKind::Structure(_) | NodeKind::Grid(_) => {
                if !node.dims.is_empty() {
                    self.length(count)?;
                }
                for _ in 0..count {
                    self.nodes(inside, to)?;
                }
                Ok(())
            }
            NodeKind::Sequence(_) => loop {
                match self.word()? {
                    ROW => {
                        to.rows += 1;
                        self.nodes(inside, to)?;
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
            to.room(1)?;
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
        to.room(count / sent * kept)?;
        match sent {
            1 => {
                to.bytes.extend_from_slice(bytes);
                // Some servers leave the padding of the last array out.
                let padding = count.wrapping_neg() % 4;
                self.take(padding.min(self.rest.len()))?;
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(dds: &str, data: &[u8], atom: Atom, count: u64) -> Result<Elements> {
        let answer = [dds.as_bytes(), b"\nData:\n", data].concat();
        Answer::parse(&answer)?.elements(atom, Some(count), 4, 1 << 20)
    }

    #[test]
    fn numbers_and_text() {
        let dds = "Dataset { Structure { Int16 x[n = 2]; } s; } d;";
        let found = elements(
            dds,
            &[0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 1, 2, 255, 255, 255, 254],
            Atom::Int16,
            2,
        )
        .unwrap();
        assert_eq!(found.bytes, [2, 1, 254, 255]);
        let found = elements(
            "Dataset { Byte x[3]; } d;",
            &[0, 0, 0, 3, 0, 0, 0, 3, 1, 2, 3, 0],
            Atom::Byte,
            3,
        )
        .unwrap();
        assert_eq!(found.bytes, [1, 2, 3]);
        for word in [[0, 0, 0, 9], [9, 0, 0, 0]] {
            assert_eq!(
                elements("Dataset { Byte x; } d;", &word, Atom::Byte, 1)
                    .unwrap()
                    .bytes,
                [9]
            );
        }
        let text = [&[0, 0, 0, 2, 0, 0, 0, 3][..], b"abc\0", &[0, 0, 0, 0]].concat();
        assert_eq!(
            elements("Dataset { String x[2]; } d;", &text, Atom::String, 2)
                .unwrap()
                .bytes,
            b"abc\0\0\0\0\0"
        );
        let long = [&[0, 0, 0, 5][..], b"abcde\0\0\0"].concat();
        let error = elements("Dataset { String x; } d;", &long, Atom::String, 1).unwrap_err();
        assert!(error.to_string().contains("#stringlength=5"), "{error}");
    }

    #[test]
    fn rows() {
        let dds = "Dataset { Sequence { Int32 a; } rows; } d;";
        let data = [
            0x5A, 0, 0, 0, 0, 0, 0, 7, 0x5A, 0, 0, 0, 0, 0, 0, 8, 0xA5, 0, 0, 0,
        ];
        let found = elements(dds, &data, Atom::Int32, 1).unwrap();
        assert_eq!((found.rows, found.bytes), (2, vec![7, 0, 0, 0, 8, 0, 0, 0]));
        assert!(elements(dds, &data[..16], Atom::Int32, 1).is_err());
        assert!(elements(dds, &data[4..], Atom::Int32, 1).is_err());
    }

    #[test]
    fn lies_are_errors() {
        let dds = "Dataset { Int32 x[2]; } d;";
        for (data, says) in [
            (&[0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1][..], "ends before"),
            (&[255, 255, 255, 255, 255, 255, 255, 255], "4294967295 elements"),
            (
                b"Error { code = 1; message = \"no\"; };"[..8].as_ref(),
                "elements",
            ),
        ] {
            let error = elements(dds, data, Atom::Int32, 2).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        assert!(elements(dds, &[0; 16], Atom::Float32, 2).is_err());
        assert!(elements(dds, &[0; 16], Atom::Int32, 3).is_err());
        let huge = "Dataset { Int32 x[4294967295][4294967295][4294967295]; } d;";
        assert!(elements(huge, &[0; 16], Atom::Int32, 3).is_err());
        let many = "Dataset { Structure { Int32 x; } s[4294967295]; } d;";
        assert!(
            elements(many, &[255; 16], Atom::Int32, 4_294_967_295)
                .unwrap_err()
                .to_string()
                .contains("ends before")
        );
        for (answer, says) in [
            (&b"<html>"[..], "a web page"),
            (
                b"Error { code = 1; message = \"no \"x\" here\"; };",
                "the server says: no \"x\" here",
            ),
            (b"", "no data of DAP2"),
        ] {
            let error = Answer::parse(answer).err().unwrap().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
