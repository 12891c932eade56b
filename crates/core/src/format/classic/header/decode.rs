//! Reading the header.

use std::io;

use super::MAX_VARIABLE_RANK;
use super::variable_position::{Geometry, VariablePosition, record_size, slabs};
use super::version::{NC_ATTRIBUTE, NC_DIMENSION, NC_VARIABLE, Version, padded};
use crate::chunk::swap_units;
use crate::error::{Error, Result};
use crate::model::{Attribute, DimId, Dimension, Schema, Type, Values, Variable};
use crate::store::{Object, known_size};

/// Bytes that are read at once while decoding the header.
const BLOCK: usize = 256 << 10;

/// A decoded header.
#[derive(Debug)]
pub struct Header {
    pub schema: Schema,
    /// The place of each variable.
    pub places: Vec<VariablePosition>,
    pub geometry: Geometry,
    /// The version of the format.
    pub version: Version,
    /// Position after the header, in bytes.
    pub end: u64,
    /// True if the header leaves the number of records to the file's size.
    pub is_streamed: bool,
}

/// Reads the header of a file that starts with `CDF`.
///
/// # Errors
/// Names the part of the header that reaches past the end of the file or breaks the specification.
pub fn decode(source: &dyn Object) -> Result<Header> {
    let mut header = Cursor::new(source)?;
    let magic = header.bytes("magic number", 4)?;
    let version = match *magic {
        [b'C', b'D', b'F', byte] => Version::from_byte(byte)
            .ok_or_else(|| Error::Unsupported(format!("version {byte} of the classic format")))?,
        _ => return Err(Error::UnknownFormat),
    };
    header.version = version;

    let mut schema = Schema::new(version.kind());
    let records = header.count("number of records")?;
    for _ in 0..header.list("list of dimensions", NC_DIMENSION)? {
        let at = header.position();
        let name = header.name(&mut schema.warnings)?;
        let length = header.count("length of a dimension")?;
        let unlimited = length == 0;
        if unlimited && schema.dims.iter().any(|d| d.unlimited) {
            return Err(damaged("dimension", at, "a second record dimension"));
        }
        schema.add_dim(Dimension {
            name,
            group: Schema::ROOT,
            length,
            unlimited,
        });
    }
    schema.groups[Schema::ROOT.0].attributes = header.attributes(&mut schema.warnings)?.into();

    let mut begins = Vec::new();
    for _ in 0..header.list("list of variables", NC_VARIABLE)? {
        begins.push(header.variable(&mut schema)?);
    }
    let end = header.position();
    settle(source, version, schema, records, &begins, end)
}

/// Computes the positions of all variables, and the number of records.
fn settle(
    source: &dyn Object,
    version: Version,
    mut schema: Schema,
    records: u64,
    begins: &[u64],
    end: u64,
) -> Result<Header> {
    let too_large = |i: usize| {
        let name = schema.vars.get(i).map_or("", |v| v.name.as_str());
        Error::Damaged("larger than any file".to_owned()).in_variable(name)
    };
    let slabs = slabs(&schema).map_err(too_large)?;
    let (record_size, record_variables) =
        record_size(&slabs).ok_or_else(|| Error::Damaged("a record is larger than any file".to_owned()))?;
    let places: Vec<_> = slabs
        .iter()
        .zip(begins)
        .map(|((slab, record), begin)| VariablePosition {
            begin: *begin,
            slab: *slab,
            record: *record,
        })
        .collect();
    let first_record = places.iter().filter(|p| p.record).map(|p| p.begin).min();
    let is_streamed = records == version.streaming();
    let records = match first_record {
        _ if !is_streamed => records,
        None => 0,
        Some(first) => {
            let size = known_size(source)?;
            size.saturating_sub(first).checked_div(record_size).unwrap_or(0)
        }
    };
    for (i, place) in places.iter().enumerate() {
        let length = if place.record {
            records.checked_mul(record_size)
        } else {
            Some(place.slab)
        };
        // Later arithmetic on positions relies on this check.
        length
            .and_then(|n| n.checked_add(place.slab)?.checked_add(place.begin))
            .filter(|end| i64::try_from(*end).is_ok())
            .ok_or_else(|| too_large(i))?;
    }
    for dim in schema.dims.iter_mut().filter(|d| d.unlimited) {
        dim.length = records;
    }
    Ok(Header {
        schema,
        places,
        geometry: Geometry {
            records,
            record_size,
            record_variables,
        },
        version,
        end,
        is_streamed,
    })
}

fn damaged(what: &str, at: u64, why: &str) -> Error {
    Error::Damaged(format!("{what} at byte {at}: {why}"))
}

/// Reads the header from its start, a block at a time. Never allocates more than the rest of the file.
struct Cursor<'a> {
    source: &'a dyn Object,
    /// Size of the file in bytes. `None` if unknown: the file then ends where a read fails.
    size: Option<u64>,
    /// Bytes to read at once if the size is unknown.
    block_size: usize,
    version: Version,
    block: Vec<u8>,
    /// Offset of `block` in the file.
    start: u64,
    /// Bytes of `block` that were decoded.
    used: usize,
}

impl<'a> Cursor<'a> {
    fn new(source: &'a dyn Object) -> Result<Self> {
        Ok(Self {
            source,
            size: source.size().map_err(|e| Error::io("cannot read", e))?,
            block_size: BLOCK,
            version: Version::Classic,
            block: Vec::new(),
            start: 0,
            used: 0,
        })
    }

    fn position(&self) -> u64 {
        self.start + self.used as u64
    }

    /// The next `n` bytes.
    fn bytes(&mut self, what: &str, n: u64) -> Result<&[u8]> {
        let at = self.position();
        let left = self.size.map(|size| size.saturating_sub(at));
        let truncated = || {
            let left = left.map_or("fewer".to_owned(), |left| left.to_string());
            let why = format!("the file is truncated: {n} bytes needed, {left} left");
            damaged(what, at, &why)
        };
        let n = usize::try_from(n)
            .ok()
            .filter(|n| left.is_none_or(|left| *n as u64 <= left))
            .ok_or_else(truncated)?;
        if self.block.len() - self.used < n {
            match left {
                Some(left) => self.read_block(n, left),
                None => self.read_growing(n),
            }
            .map_err(|e| match e.kind() {
                io::ErrorKind::UnexpectedEof if left.is_none() => truncated(),
                _ => Error::io(format!("cannot read {what} at byte {at}"), e),
            })?;
        }
        let from = self.used;
        self.used += n;
        self.block.get(from..self.used).ok_or(Error::UnknownFormat)
    }

    /// Reads a block of at least `n` bytes. `left` is the rest of the file, in bytes.
    fn read_block(&mut self, n: usize, left: u64) -> io::Result<()> {
        let at = self.position();
        // `n` is at most `left`, so this is at most `left` too.
        let length = usize::try_from(left).map_or(n.max(BLOCK), |left| left.min(n.max(BLOCK)));
        self.block.clear();
        self.block.resize(length, 0);
        (self.start, self.used) = (at, 0);
        self.source.read_exact_at(at, &mut self.block)
    }

    /// Reads a block of at least `n` bytes if the size is unknown. Memory grows only with the bytes that
    /// exist.
    fn read_growing(&mut self, n: usize) -> io::Result<()> {
        let at = self.position();
        self.block.clear();
        (self.start, self.used) = (at, 0);
        while self.block.len() < n {
            let have = self.block.len();
            // Near the end blocks shrink, until reading a single byte fails.
            let length = self.block_size.max(1);
            self.block.resize(have + length, 0);
            match self
                .source
                .read_exact_at(at + have as u64, &mut self.block[have..])
            {
                Ok(()) => {}
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof && length > 1 => {
                    self.block.truncate(have);
                    self.block_size = length / 2;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// A big-endian number of `width` bytes, at most 8.
    fn number(&mut self, what: &str, width: usize) -> Result<u64> {
        let bytes = self.bytes(what, width as u64)?;
        Ok(bytes.iter().fold(0, |n, b| n << 8 | u64::from(*b)))
    }

    /// A number whose width depends on the version: a count, length, id or size.
    fn count(&mut self, what: &str) -> Result<u64> {
        self.number(what, self.version.count_width())
    }

    fn tag(&mut self, what: &str) -> Result<u32> {
        self.number(what, 4).map(|n| n as u32)
    }

    /// Reads the head of a list. Returns the number of entries.
    fn list(&mut self, what: &str, tag: u32) -> Result<u64> {
        let at = self.position();
        let found = self.tag(what)?;
        let count = self.count(what)?;
        if found != tag && !(found == 0 && count == 0) {
            return Err(damaged(what, at, &format!("tag {found} instead of {tag}")));
        }
        // The smallest entry is a name and a number. A count that cannot fit is rejected before the loop
        // starts.
        let smallest = 2 * self.version.count_width() as u64;
        if self
            .size
            .is_some_and(|size| count > size.saturating_sub(self.position()) / smallest)
        {
            return Err(damaged(
                what,
                at,
                &format!("{count} entries do not fit in the file"),
            ));
        }
        Ok(count)
    }

    /// Reads `n` bytes, padded to a multiple of 4. The padding's content is ignored, because not all writers
    /// clear it.
    fn padded_bytes(&mut self, what: &str, n: u64) -> Result<Vec<u8>> {
        let content = self.bytes(what, n)?.to_vec();
        let padding = padded(n).unwrap_or(n) - n;
        self.bytes(what, padding)?;
        Ok(content)
    }

    fn name(&mut self, warnings: &mut Vec<String>) -> Result<String> {
        let length = self.count("length of a name")?;
        let mut bytes = self.padded_bytes("name", length)?;
        // Old writers counted the padding as part of the name. For netCDF a name ends at its first NUL.
        if let Some(end) = bytes.iter().position(|b| *b == 0) {
            bytes.truncate(end);
        }
        String::from_utf8(bytes).or_else(|e| {
            let name = String::from_utf8_lossy(e.as_bytes()).into_owned();
            warnings.push(format!(
                "the name {name} is not UTF-8; bytes that are not are shown as \u{fffd}"
            ));
            Ok(name)
        })
    }

    fn ty(&mut self) -> Result<Type> {
        let at = self.position();
        let code = self.tag("type")?;
        self.version
            .type_of(code)
            .ok_or_else(|| damaged("type", at, &format!("{code} is not a type of this format")))
    }

    fn attributes(&mut self, warnings: &mut Vec<String>) -> Result<Vec<Attribute>> {
        let mut attributes = Vec::new();
        for _ in 0..self.list("list of attributes", NC_ATTRIBUTE)? {
            let name = self.name(warnings)?;
            let ty = self.ty()?;
            let at = self.position();
            let length = self.count("length of an attribute")?;
            let size = ty.atomic_size();
            let (Ok(length), Some(bytes)) = (usize::try_from(length), length.checked_mul(size as u64)) else {
                return Err(damaged("attribute", at, "longer than the file"));
            };
            let mut bytes = self.padded_bytes("value of an attribute", bytes)?;
            swap_units(&mut bytes, size);
            attributes.push(Attribute {
                name,
                ty,
                length,
                values: Values::from_bytes(bytes),
            });
        }
        Ok(attributes)
    }

    /// Adds the next variable to the schema. Returns the position of its data.
    fn variable(&mut self, schema: &mut Schema) -> Result<u64> {
        let name = self.name(&mut schema.warnings)?;
        let at = self.position();
        let rank = self.count("number of dimensions")?;
        if rank > MAX_VARIABLE_RANK as u64 {
            return Err(damaged("variable", at, &format!("{rank} dimensions")).in_variable(&name));
        }
        let mut dims = Vec::new();
        for i in 0..rank {
            let at = self.position();
            let id = self.count("dimension id")?;
            let id = usize::try_from(id).ok().filter(|id| *id < schema.dims.len());
            let id = id
                .map(DimId)
                .ok_or_else(|| damaged("dimension id", at, "no such dimension"))?;
            if schema.dim(id).unlimited && i > 0 {
                return Err(
                    damaged("variable", at, "the record dimension is not the first").in_variable(&name)
                );
            }
            dims.push(id);
        }
        let attributes = self
            .attributes(&mut schema.warnings)
            .map_err(|e| e.in_variable(&name))?;
        let ty = self.ty().map_err(|e| e.in_variable(&name))?;
        self.count("vsize")?;
        let begin = self.number("begin", self.version.offset_width())?;
        schema.add_var(Variable {
            name,
            group: Schema::ROOT,
            ty,
            dims,
            attributes: attributes.into(),
        });
        Ok(begin)
    }
}
