//! Fuzzes what servers of OPeNDAP send: an input is the query of a URL, and an answer for each suffix.
//!
//! ```text
//! %% query
//! v[0:1]
//! %% .dds
//! Dataset { …
//! ```

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use ncutils_core::filter::Registry;
use ncutils_core::format::dap::{DapOptions, DapVersion};
use ncutils_core::format::{ReadOptions, Reader, open_with};
use ncutils_core::store::{Input, QueryServer, Question};

use super::super::files::dataset::{check, read_reader};
use super::key_list::values;
use crate::Seed;

/// A server that gives the same answer to each question of a suffix.
struct Server {
    query: String,
    answers: HashMap<String, Vec<u8>>,
}

impl QueryServer for Server {
    fn ask(&self, question: &Question) -> io::Result<Vec<u8>> {
        match self.answers.get(question.suffix) {
            Some(answer) if answer.len() as u64 <= question.most => Ok(answer.clone()),
            Some(_) => Err(io::Error::other("too long")),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn typed_query(&self) -> &str {
        &self.query
    }

    fn in_flight(&self) -> usize {
        1
    }
}

fn read(input: &[u8], version: DapVersion) {
    if let Some(reader) = opened(input, version) {
        read_reader(&*reader);
    }
}

fn opened(input: &[u8], version: DapVersion) -> Option<Box<dyn Reader>> {
    let mut server = Server {
        query: String::new(),
        answers: HashMap::new(),
    };
    for (name, value) in values(input) {
        match name {
            "query" => server.query = String::from_utf8_lossy(value).into_owned(),
            name => {
                server.answers.insert(name.to_owned(), value.to_vec());
            }
        }
    }
    let options = ReadOptions {
        dap: DapOptions {
            version: Some(version),
            string_length: None,
        },
        ..ReadOptions::DEFAULT
    };
    let input = Input::queries("fuzz", Arc::new(server));
    check(open_with(input, &Registry::builtin(), &options))
}

/// Reads a dataset of DAP2.
pub fn dap2(input: &[u8]) {
    read(input, DapVersion::Two);
}

/// Reads a dataset of DAP4.
pub fn dap4(input: &[u8]) {
    read(input, DapVersion::Four);
}

fn seed(parts: &[(&str, &[u8])]) -> Seed {
    let parts = parts
        .iter()
        .flat_map(|(name, value)| [b"%% ", name.as_bytes(), b"\n", value, b"\n"]);
    Seed::new(parts.collect::<Vec<_>>().concat())
}

const DAS: &[u8] = br#"Attributes { NC_GLOBAL { String t "a\n\x41\101", "b"; Float64 d 1e300, nan; }
v { Int16 _FillValue -1; Byte b 255; Alias x y; inner { UInt32 u 7; } } DODS_EXTRA { String Unlimited_Dimension "t"; } }"#;

/// A DDS of one variable, and its data: numbers, text, a grid, an array of structures, a sequence.
pub fn dap2_seeds(_: &Path) -> Vec<Seed> {
    let answers: [(&[u8], &[u8], &[u8]); 6] = [
        (
            b"Dataset { Int16 v[t = 2]; } d;",
            b"\0\0\0\x02\0\0\0\x02\0\0\0\x01\0\0\0\x02",
            b"",
        ),
        (
            b"Dataset { String v[t = 2]; } d;",
            b"\0\0\0\x02\0\0\0\x01a\0\0\0\0\0\0\0",
            b"v",
        ),
        (
            b"Dataset { Grid { Array: Byte v[t = 3]; Maps: Float32 t[t = 3]; } v; } d;",
            b"\0\0\0\x03\0\0\0\x03abc\0",
            b"v.v[0:1:2]",
        ),
        (
            b"Dataset { Structure { Float64 v; } s[n = 1]; } d;",
            b"\0\0\0\x01\x3f\xf0\0\0\0\0\0\0",
            b"s[0].v",
        ),
        (
            b"Dataset { Sequence { Int32 v; String w; } q; } d;",
            b"\x5a\0\0\0\0\0\0\x07\xa5\0\0\0",
            b"q.v&q.v>1",
        ),
        (
            b"Dataset { UInt32 v; Url u; Int32 w[2][3]; } d;",
            b"\0\0\0\x09",
            b"v",
        ),
    ];
    answers
        .map(|(dds, data, query)| {
            // What is asked for alone is sent without what stands beside it.
            let part: &[u8] = match dds {
                _ if dds.starts_with(b"Dataset { Grid") => b"Dataset { Structure { Byte v[t = 3]; } v; } d;",
                _ if dds.starts_with(b"Dataset { Sequence") => b"Dataset { Sequence { Int32 v; } q; } d;",
                _ if dds.starts_with(b"Dataset { UInt32") => b"Dataset { UInt32 v; } d;",
                dds => dds,
            };
            let data = [part, b"\nData:\n", data].concat();
            seed(&[("query", query), (".dds", dds), (".das", DAS), (".dods", &data)])
        })
        .into()
}

const DMR: &str = r#"<?xml version="1.0"?><Dataset name="d" xmlns="http://xml.opendap.org/ns/DAP/4.0#">
<Dimension name="x" size="2"/><Enumeration name="e" basetype="UInt8"><EnumConst name="a" value="1"/></Enumeration>
<TYPE name="v"MORE><Dim name="/x"/><Attribute name="a" type="Float32"><Value>1.5</Value><Value value="nan"/></Attribute></TYPE>
<Attribute name="c" type="Container"><Attribute name="b" type="String"><Value>&lt;&#65;</Value></Attribute></Attribute>
<Group name="g"><Dimension name="y" size="0"/></Group></Dataset>"#;

/// A DMR of one variable, and its data in chunks: numbers, text, an enumeration, a part.
pub fn dap4_seeds(_: &Path) -> Vec<Seed> {
    let text = [&1u64.to_le_bytes()[..], b"a", &0u64.to_le_bytes()].concat();
    let answers: [(&str, &str, &[u8], &[u8]); 4] = [
        ("Int16", "", b"\x01\0\x02\0", b""),
        ("String", "", &text, b"dap4.ce=/v"),
        ("Enum", " enum=\"/e\"", b"\x01\x01", b""),
        ("Int32", "", b"\x07\0\0\0", b"dap4.ce=/v[1]"),
    ];
    answers
        .map(|(kind, more, data, query)| {
            let dmr = DMR.replace("TYPE", kind).replace("MORE", more);
            let head = |flags: u8, length: usize| [flags, 0, (length >> 8) as u8, length as u8];
            let sum = [0xff; 4];
            let dap = [
                &head(4, dmr.len())[..],
                dmr.as_bytes(),
                &head(4, data.len()),
                data,
                &head(5, 4),
                &sum,
            ]
            .concat();
            let plain = [
                &head(12, dmr.len())[..],
                dmr.as_bytes(),
                &head(13, data.len()),
                data,
            ]
            .concat();
            let answer = if kind == "Int16" { dap } else { plain };
            seed(&[("query", query), (".dmr.xml", dmr.as_bytes()), (".dap", &answer)])
        })
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ncutils_core::format::Region;
    use ncutils_core::model::VarId;

    /// A seed that is refused at its beginning would not lead far.
    #[test]
    fn seeds_are_read_to_their_end() {
        let all = [
            (DapVersion::Two, dap2_seeds(Path::new("."))),
            (DapVersion::Four, dap4_seeds(Path::new("."))),
        ];
        let mut read = 0;
        for (version, seeds) in all {
            for seed in seeds {
                let reader = opened(&seed.bytes, version).unwrap();
                let whole = Region::whole(&reader.schema().shape(VarId(0)));
                let found = reader.read_region(VarId(0), &whole);
                read += 1;
                // One checksum is wrong on purpose.
                assert!(
                    found.is_ok() || format!("{:?}", found.err()).contains("checksum"),
                    "{read}"
                );
            }
        }
        assert_eq!(read, 10);
    }
}
