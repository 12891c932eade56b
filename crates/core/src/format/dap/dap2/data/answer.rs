//! [`Answer`]: a DDS, then values (DAP 2.0, section 6).
//!
//! ```text
//! Dataset { … } name;\nData:\n ─► the variables that were asked for ─► xdr ─► elements of netCDF
//! ```

use std::collections::HashMap;

use super::no_data::no_data;
use super::xdr::{Elements, decode};
use crate::error::{Error, Result};
use crate::format::dap::dap2::dds::{self, Atom, Node, NodeKind};
use crate::format::dap::dap2::leaf::Leaf;
use crate::format::dap::dap2::names::decoded;
use crate::format::dap::limits::MOST_OF_A_HEADER;

/// An answer, split into its description and its data.
pub struct Answer<'a> {
    dataset: dds::Dataset,
    data: &'a [u8],
}

/// A variable that was asked for, and what is expected of it.
pub struct Asked<'a> {
    /// The variable.
    pub leaf: &'a Leaf,
    /// Number of elements, without those of sequences; `None` for any.
    pub count: Option<u64>,
    /// Bytes of each text.
    pub width: usize,
    /// Most bytes of its elements.
    pub most: usize,
}

/// An atomic variable of an answer.
struct AnswerAtom {
    /// The names of the nodes down to it, decoded.
    path: Vec<String>,
    atom: Atom,
    /// Number of elements, without those of sequences; `None` for more than fit 64 bits.
    count: Option<u64>,
}

impl AnswerAtom {
    /// True for this variable. Servers may leave out structures around it.
    fn is(&self, leaf: &Leaf) -> bool {
        self.atom == leaf.atom && self.path.last() == Some(&leaf.own_name())
    }
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

    /// The elements of the only variable.
    ///
    /// # Errors
    /// Another variable, another number of elements, text that is longer, data that ends too early, too many bytes.
    pub fn elements(&self, asked: &Asked<'_>) -> Result<Elements> {
        match &self.found()[..] {
            [one] if one.is(asked.leaf) => check_count(one, asked)?,
            _ => return Err(other_variables()),
        }
        let mut elements = [Elements::kept(asked.width, asked.most)];
        decode(&self.dataset.members, self.data, &mut elements)?;
        let [elements] = elements;
        elements.complete()
    }

    /// The number of rows of the sequence that the only variable, `leaf`, is in.
    ///
    /// # Errors
    /// Another variable, data that ends too early.
    pub fn rows(&self, leaf: &Leaf) -> Result<u64> {
        match &self.found()[..] {
            [one] if one.is(leaf) => {}
            _ => return Err(other_variables()),
        }
        let mut dropped = [Elements::dropped()];
        decode(&self.dataset.members, self.data, &mut dropped)?;
        Ok(dropped[0].rows)
    }

    /// The elements of several variables, in the order of `asked`. The answer has them in any order, and may have others.
    ///
    /// # Errors
    /// The same, and a variable that is missing.
    pub fn several(&self, asked: &[Asked<'_>]) -> Result<Vec<Elements>> {
        let mut wanted: HashMap<String, usize> = HashMap::new();
        for (n, one) in asked.iter().enumerate() {
            wanted.insert(one.leaf.full_name(), n);
        }
        let mut numbers = Vec::new();
        let mut all = Vec::new();
        for found in self.found() {
            let number = wanted.remove(&found.path.join("."));
            numbers.push(number);
            all.push(match number.map(|n| &asked[n]) {
                None => Elements::dropped(),
                Some(one) if one.leaf.atom != found.atom => return Err(other_variables()),
                Some(one) => {
                    check_count(&found, one)?;
                    Elements::kept(one.width, one.most)
                }
            });
        }
        if !wanted.is_empty() {
            return Err(other_variables());
        }
        decode(&self.dataset.members, self.data, &mut all)?;
        let mut ordered: Vec<Option<Elements>> = asked.iter().map(|_| None).collect();
        for (number, elements) in numbers.into_iter().zip(all) {
            if let Some(place) = number.and_then(|number| ordered.get_mut(number)) {
                *place = Some(elements.complete()?);
            }
        }
        ordered
            .into_iter()
            .map(|elements| elements.ok_or_else(other_variables))
            .collect()
    }

    /// The atomic variables of the answer, in order.
    fn found(&self) -> Vec<AnswerAtom> {
        let mut all = Vec::new();
        for node in &self.dataset.members {
            collect(node, &[], Some(1), &mut all);
        }
        all
    }
}

fn collect(node: &Node, above: &[String], count: Option<u64>, all: &mut Vec<AnswerAtom>) {
    let path = [above, &[decoded(&node.name)]].concat();
    let lengths = node.dims.iter().map(|dim| dim.length);
    let count = lengths.fold(count, |count, length| count?.checked_mul(length));
    match &node.kind {
        NodeKind::Atom(atom) => all.push(AnswerAtom {
            path,
            atom: *atom,
            count,
        }),
        _ => {
            for member in node.members() {
                collect(member, &path, count, all);
            }
        }
    }
}

fn check_count(found: &AnswerAtom, asked: &Asked<'_>) -> Result<()> {
    match asked.count {
        Some(count) if found.count != Some(count) => Err(Error::Damaged(format!(
            "the server's answer has {} elements, and {count} were asked for",
            found
                .count
                .map_or("very many".to_owned(), |told| told.to_string())
        ))),
        _ => Ok(()),
    }
}

fn other_variables() -> Error {
    Error::Damaged("the server's answer has other variables than were asked for".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::super::constraint::Constraint;
    use super::super::super::leaves::leaves;
    use super::super::xdr::{END, ROW};
    use super::*;

    /// The elements of a variable with the name, structures and sequences of the first one of the answer.
    fn elements(dds: &str, data: &[u8], atom: Atom, count: u64) -> Result<Elements> {
        let answer = [dds.as_bytes(), b"\nData:\n", data].concat();
        let all = leaves(&dds::parse(dds).unwrap(), &Constraint::default())
            .unwrap()
            .all;
        let leaf = Leaf {
            atom,
            ..all[0].clone()
        };
        Answer::parse(&answer)?.elements(&Asked {
            leaf: &leaf,
            count: Some(count),
            width: 4,
            most: 1 << 20,
        })
    }

    #[test]
    fn several_variables_come_in_any_order() {
        let dds = "Dataset { Int32 a; Structure { Int32 x[2]; String n; } s[2]; Sequence { Byte b; } q; Int16 c; } d;";
        let words: [u32; 21] = [
            7,
            2,
            2,
            2,
            1,
            2,
            1,
            0x7878_0000,
            2,
            2,
            3,
            4,
            0,
            ROW,
            5,
            END,
            9,
            0,
            0,
            0,
            0,
        ];
        let data: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        let answer = [dds.as_bytes(), b"\nData:\n", &data].concat();
        let all = leaves(&dds::parse(dds).unwrap(), &Constraint::default())
            .unwrap()
            .all;
        let asked = |name: &str, count| Asked {
            leaf: all.iter().find(|leaf| leaf.name == name).unwrap(),
            count: Some(count),
            width: 2,
            most: 100,
        };
        let answer = Answer::parse(&answer).unwrap();
        let found = answer
            .several(&[
                asked("c", 1),
                asked("s.x", 4),
                asked("s.n", 2),
                asked("q.b", 1),
                asked("a", 1),
            ])
            .unwrap();
        let bytes: Vec<&[u8]> = found.iter().map(|one| &one.bytes[..]).collect();
        assert_eq!(
            bytes,
            [
                &[9, 0][..],
                &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0],
                b"x\0\0\0",
                &[5],
                &[7, 0, 0, 0]
            ]
        );
        assert_eq!(found[3].rows, 1);
        assert_eq!(answer.several(&[asked("a", 1)]).unwrap().len(), 1);
        assert!(answer.several(&[asked("a", 2)]).is_err());
        assert!(answer.several(&[asked("a", 1), asked("a", 1)]).is_err());
        assert!(answer.elements(&asked("a", 1)).is_err());
    }

    #[test]
    fn structures_without_bytes_are_errors() {
        let dds = "Dataset { Int32 a; Structure { Structure { } e; } s[4294967295]; } d;";
        let answer = [dds.as_bytes(), b"\nData:\n", &[0; 64]].concat();
        let all = leaves(&dds::parse(dds).unwrap(), &Constraint::default())
            .unwrap()
            .all;
        let asked = Asked {
            leaf: &all[0],
            count: Some(1),
            width: 0,
            most: 100,
        };
        assert!(Answer::parse(&answer).unwrap().several(&[asked]).is_err());
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
        let other = b"Dataset { Int32 y[2]; } d;\nData:\n\0\0\0\x02\0\0\0\x02\0\0\0\0\0\0\0\0";
        let all = leaves(&dds::parse(dds).unwrap(), &Constraint::default())
            .unwrap()
            .all;
        let asked = Asked {
            leaf: &all[0],
            count: Some(2),
            width: 0,
            most: 8,
        };
        let error = Answer::parse(other).unwrap().elements(&asked).unwrap_err();
        assert!(error.to_string().contains("other variables"), "{error}");
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
