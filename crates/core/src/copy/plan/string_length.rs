//! The bytes that each string takes, in kinds where all strings of a variable take the same number.
//!
//! ```text
//! asked for ──────────────────────────────────────────────────┐
//! attributes, the input's own number, else 128 ─► the least ──┼─► VariableLayout::string_length
//! all values, and the fill value ─► the longest ──────────────┘
//! ```

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::chunk::{ChunkGrid, Region, element_count};
use crate::error::{Error, Request, Result};
use crate::format::{Reader, Written};
use crate::model::{Attribute, SLOT_SIZE, Schema, Slot, Storage, Type, Values, VarId, VariableLayout};
use crate::threads::on_all;

/// The bytes of each string of a variable whose values are all shorter, as in netCDF-C.
pub const DEFAULT_STRING_LENGTH: u64 = 128;

/// The attribute of a variable that replaces [`DEFAULT_STRING_LENGTH`].
const OF_VARIABLE: &str = "_nczarr_maxstrlen";

/// The global attribute that replaces [`DEFAULT_STRING_LENGTH`].
const OF_DATASET: &str = "_nczarr_default_maxstrlen";

/// Most elements that one thread reads at once from a variable without chunks.
const SLAB: u64 = 16 << 10;

/// The bytes of each string, as the user asks for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StringLength {
    /// The bytes of each string.
    pub bytes: u64,
    /// True if a longer value is cut, never within a UTF-8 character. If false, it is an error.
    pub cut: bool,
}

impl StringLength {
    /// Reads `N` or `N,cut`.
    ///
    /// # Errors
    /// [`Error::Request`], which tells what was expected.
    pub fn parse(text: &str) -> Result<Self> {
        let (number, cut) = match text.split_once(',') {
            Some((number, "cut")) => (Some(number), true),
            Some(_) => (None, false),
            None => (Some(text), false),
        };
        let bytes = number.and_then(|n| n.parse().ok()).filter(|bytes| *bytes > 0);
        let bytes = bytes.ok_or_else(|| {
            let why = "expected a number of bytes, at least 1, or a number and ',cut'";
            Request::StringLength.misspelled(format!("'{text}'"), why)
        })?;
        Ok(Self { bytes, cut })
    }
}

/// A value, by its length.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Longest {
    bytes: u64,
    /// Its index; `None` for the fill value.
    index: Option<Vec<u64>>,
}

/// Sets the string length of variable `var` of `schema`, if it has strings and the kind has such lengths. `source` is the
/// variable of the input whose values it gets. Reads all of them, unless longer ones are to be cut.
///
/// # Errors
/// [`Error::Request`] for a value that is longer than asked for, which names its place; the errors of reading.
pub(crate) fn fit_strings(
    reader: &dyn Reader,
    source: Option<VarId>,
    schema: &Schema,
    var: VarId,
    layout: &mut VariableLayout,
    asked: Option<StringLength>,
) -> Result<()> {
    if !schema.kind.can().fixed_strings || schema.var(var).ty != Type::String {
        return Ok(());
    }
    if let Some(StringLength { bytes, cut: true }) = asked {
        layout.string_length = Some(bytes);
        if let Some(fill) = &mut layout.fill.value {
            cut_strings(fill, bytes);
        }
        return Ok(());
    }
    let longest = longest(reader, source, layout.fill.value.as_ref())?;
    layout.string_length = Some(match asked {
        Some(asked) if longest.bytes > asked.bytes => return Err(too_long(&longest, asked.bytes)),
        Some(asked) => asked.bytes,
        None => {
            let own = || reader.layout(source?).string_length;
            let least = number(&schema.var(var).attributes, OF_VARIABLE)
                .or_else(|| number(&schema.groups[0].attributes, OF_DATASET))
                .or_else(own)
                .unwrap_or(DEFAULT_STRING_LENGTH);
            least.max(longest.bytes).max(1)
        }
    });
    Ok(())
}

fn too_long(longest: &Longest, asked: u64) -> Error {
    let what = match &longest.index {
        None => "the fill value".to_owned(),
        Some(index) if index.is_empty() => "the value".to_owned(),
        Some(index) => format!("the value at {index:?}"),
    };
    Request::StringLength.error(format!(
        "{what} takes {} bytes, more than {asked}; give {} or more, or '{asked},cut'",
        longest.bytes, longest.bytes
    ))
}

/// The positive integer that an attribute holds.
fn number(attributes: &[Attribute], name: &str) -> Option<u64> {
    let attribute = attributes.iter().find(|a| a.name == name && a.length == 1)?;
    let bytes = &attribute.values.bytes;
    let number = match attribute.ty {
        Type::Byte => i64::from(i8::from_le_bytes(*bytes.first_chunk()?)),
        Type::UByte => i64::from(*bytes.first()?),
        Type::Short => i64::from(i16::from_le_bytes(*bytes.first_chunk()?)),
        Type::UShort => i64::from(u16::from_le_bytes(*bytes.first_chunk()?)),
        Type::Int => i64::from(i32::from_le_bytes(*bytes.first_chunk()?)),
        Type::UInt => i64::from(u32::from_le_bytes(*bytes.first_chunk()?)),
        Type::Int64 | Type::UInt64 => i64::from_le_bytes(*bytes.first_chunk()?),
        _ => return None,
    };
    u64::try_from(number).ok().filter(|number| *number > 0)
}

/// The longest string of `source` and of the fill value. Of several, the first.
fn longest(reader: &dyn Reader, source: Option<VarId>, fill: Option<&Values>) -> Result<Longest> {
    let longest = Longest {
        bytes: fill.map_or(0, longest_string),
        index: None,
    };
    match source {
        None => Ok(longest),
        Some(var) => {
            let found = longest_of(reader, var)?;
            Ok(if found.bytes > longest.bytes {
                found
            } else {
                longest
            })
        }
    }
}

/// The longest string that is stored of a variable. All threads read it, one chunk or slab each.
fn longest_of(reader: &dyn Reader, var: VarId) -> Result<Longest> {
    let layout = reader.layout(var);
    let mut pieces = Pieces {
        grid: None,
        stored: None,
        count: element_count(&layout.extent).unwrap_or(u64::MAX).div_ceil(SLAB),
    };
    let written = reader.written(var)?;
    if written == Written::Nothing {
        pieces.count = 0;
    } else if let Storage::Chunked { shape } = &layout.storage {
        let grid = ChunkGrid::new(&layout.extent, shape)?;
        pieces.count = grid.len();
        if let Written::Chunks(stored) = written {
            pieces.count = stored.len() as u64;
            pieces.stored = Some(stored);
        }
        pieces.grid = Some(grid);
    }
    let next = AtomicU64::new(0);
    let failed = AtomicBool::new(false);
    // The number of the piece comes first: neither the result nor the error depends on threads.
    let found: Mutex<Vec<(u64, Result<Longest>)>> = Mutex::default();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    on_all(
        threads.min(usize::try_from(pieces.count).unwrap_or(usize::MAX)),
        |_, _| {
            let mut best: Option<(u64, Longest)> = None;
            while !failed.load(Ordering::Relaxed) {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= pieces.count {
                    break;
                }
                for region in pieces.regions(n, &layout.extent) {
                    match longest_in(reader, var, &region) {
                        Ok(longest) if best.as_ref().is_none_or(|(_, best)| longest.bytes > best.bytes) => {
                            best = Some((n, longest));
                        }
                        Ok(_) => {}
                        Err(error) => {
                            failed.store(true, Ordering::Relaxed);
                            found
                                .lock()
                                .unwrap_or_else(PoisonError::into_inner)
                                .push((n, Err(error)));
                            return;
                        }
                    }
                }
            }
            if let Some((n, longest)) = best {
                found
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push((n, Ok(longest)));
            }
        },
    );
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|(n, _)| *n);
    let mut longest = Longest {
        bytes: 0,
        index: None,
    };
    for (_, one) in found {
        let one = one?;
        if one.bytes > longest.bytes {
            longest = one;
        }
    }
    Ok(longest)
}

/// The pieces in which a variable is read.
struct Pieces {
    /// The grid of its chunks, if it has chunks.
    grid: Option<ChunkGrid>,
    /// The chunks that are stored; `None` for all.
    stored: Option<Vec<u64>>,
    /// Number of pieces.
    count: u64,
}

impl Pieces {
    /// The regions of piece `n`.
    fn regions(&self, n: u64, extent: &[u64]) -> Vec<Region> {
        match &self.grid {
            None => Region::range(extent, n.saturating_mul(SLAB), SLAB),
            Some(grid) => {
                let stored = self.stored.as_ref();
                let chunk = stored.map_or(n, |stored| stored.get(n as usize).copied().unwrap_or(n));
                vec![grid.region(chunk)]
            }
        }
    }
}

/// The longest string of a region.
fn longest_in(reader: &dyn Reader, var: VarId, region: &Region) -> Result<Longest> {
    let values = reader.read_region(var, region)?;
    let mut longest = (0, 0);
    for (n, slot) in values.bytes.chunks_exact(SLOT_SIZE).enumerate() {
        let length = Slot::read(slot).length;
        if length > longest.0 {
            longest = (length, n as u64);
        }
    }
    let (bytes, mut n) = longest;
    let mut index = region.start.clone();
    for (at, count) in index.iter_mut().zip(&region.count).rev() {
        *at += n % (*count).max(1);
        n /= (*count).max(1);
    }
    Ok(Longest {
        bytes,
        index: Some(index),
    })
}

/// Cuts strings to at most `most` bytes, never within a UTF-8 character. Text that is not UTF-8 is cut anywhere.
pub(crate) fn cut_strings(values: &mut Values, most: u64) {
    let Values { bytes, heap } = values;
    for slot in bytes.chunks_exact_mut(SLOT_SIZE) {
        let mut cut = Slot::read(slot);
        if cut.length <= most {
            continue;
        }
        let text = usize::try_from(cut.offset)
            .ok()
            .and_then(|start| heap.get(start..));
        cut.length = text.map_or(most, |text| boundary(text, most));
        slot.copy_from_slice(&cut.to_bytes());
    }
}

/// The last place, at most `most`, that is not within a UTF-8 character of `text`.
fn boundary(text: &[u8], most: u64) -> u64 {
    let is_inside = |at: u64| {
        let byte = usize::try_from(at).ok().and_then(|at| text.get(at));
        byte.is_some_and(|byte| byte & 0xC0 == 0x80)
    };
    // A character has at most three bytes after its first.
    let found = (most.saturating_sub(3)..=most).rev().find(|at| !is_inside(*at));
    found.unwrap_or(most)
}

/// The length of the longest string of `values`, in bytes.
pub(crate) fn longest_string(values: &Values) -> u64 {
    let slots = values.bytes.chunks_exact(SLOT_SIZE);
    slots.map(|slot| Slot::read(slot).length).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copy::plan::{CopyOptions, plan};
    use crate::copy::{CopyPlan, RunOptions, prepare, run};
    use crate::format::in_memory::InMemoryReader;
    use crate::format::{EncodedChunk, Writer};
    use crate::model::{Capabilities, CodecNames, CodecSpec, DimId, Dimension, Kind, Variable, ZarrVersion};
    use std::sync::Arc;

    /// As Zarr version 2.
    static FIXED_STRINGS: Capabilities = {
        let mut can = Capabilities::new("fixed strings");
        can.contiguous = false;
        can.chunks = true;
        can.codecs = Some(CodecNames::Zarr(ZarrVersion::V2));
        can.atomic_types = &[Type::String, Type::Int];
        can.fixed_strings = true;
        can
    };

    /// A variable of strings, `names(y, x)` with 2 × 20,000 elements, where [1, 7] is `long`.
    fn input(long: &str, attributes: Vec<Attribute>, global: Vec<Attribute>) -> InMemoryReader {
        let mut schema = Schema::new(Kind::Netcdf4);
        for (name, length) in [("y", 2), ("x", 20_000)] {
            schema.add_dim(Dimension {
                name: name.into(),
                group: Schema::ROOT,
                length,
                unlimited: false,
            });
        }
        schema.groups[0].attributes = global.into();
        schema.add_var(Variable {
            name: "names".into(),
            group: Schema::ROOT,
            ty: Type::String,
            dims: vec![DimId(0), DimId(1)],
            attributes: attributes.into(),
        });
        let mut strings = vec![Some(&b"short"[..]); 40_000];
        strings[3] = None;
        strings[20_007] = Some(long.as_bytes());
        InMemoryReader::new(schema, vec![Values::from_strings(strings)])
    }

    fn number_attribute(name: &str, value: i32) -> Attribute {
        Attribute {
            name: name.into(),
            ty: Type::Int,
            length: 1,
            values: Values::from_bytes(value.to_le_bytes().to_vec()),
        }
    }

    fn planned(reader: &dyn Reader, asked: Option<&str>) -> Result<CopyPlan> {
        let options = CopyOptions {
            kind: Some(Kind::Other(&FIXED_STRINGS)),
            string_length: asked.map(|text| StringLength::parse(text).unwrap()),
            deflate: Some(1),
            shuffle: true,
            ..CopyOptions::default()
        };
        plan(reader, &options)
    }

    fn length(reader: &dyn Reader, asked: Option<&str>) -> u64 {
        let plan = planned(reader, asked).unwrap();
        plan.variables[0].layout.string_length.unwrap()
    }

    #[test]
    fn the_longest_value_counts_unless_the_least_is_longer() {
        let long = "x".repeat(200);
        let none = || Vec::new();
        let of_variable = |n| vec![number_attribute(OF_VARIABLE, n)];
        let of_dataset = |n| vec![number_attribute(OF_DATASET, n)];
        for (long, attributes, global, bytes) in [
            ("x", none(), none(), 128),
            (&long[..], none(), none(), 200),
            ("x", of_variable(7), of_dataset(9), 7),
            ("x", of_variable(-1), of_dataset(9), 9),
            (&long, of_variable(7), of_dataset(9), 200),
            ("x", of_variable(300), none(), 300),
        ] {
            assert_eq!(length(&input(long, attributes, global), None), bytes);
        }
        let plan = planned(&input(&long, none(), none()), None).unwrap();
        let layout = &plan.variables[0].layout;
        // A codec is bound to what is stored, and the string is what it compresses.
        assert_eq!(layout.filters[0].configuration().unwrap()["elementsize"], 200);
        let chunk = crate::filter::ChunkType::new(&plan.schema, Type::String, layout, &[2, 3]);
        assert_eq!((chunk.element_size, chunk.number), (200, None));
    }

    #[test]
    fn a_value_longer_than_asked_for_is_named_by_its_place() {
        let reader = input(&"x".repeat(200), Vec::new(), Vec::new());
        assert_eq!(length(&reader, Some("200")), 200);
        assert_eq!(length(&reader, Some("5,cut")), 5);
        let error = planned(&reader, Some("199")).unwrap_err().to_string();
        assert_eq!(
            error,
            "variable names: string length: the value at [1, 7] takes 200 bytes, more than 199; give 200 or more, or '199,cut'"
        );
        for wrong in ["", "0", "-1", "12,", "12,cut,cut", "cut"] {
            let error = StringLength::parse(wrong).unwrap_err().to_string();
            assert!(error.contains("expected a number of bytes"), "{error}");
        }
    }

    #[test]
    fn other_kinds_read_no_strings() {
        let options = CopyOptions {
            string_length: Some(StringLength { bytes: 1, cut: false }),
            ..CopyOptions::default()
        };
        let plan = plan(&input("long", Vec::new(), Vec::new()), &options).unwrap();
        assert_eq!(plan.variables[0].layout.string_length, None);
    }

    #[test]
    fn strings_are_cut_between_characters() {
        for (text, most, cut) in [
            ("abc", 3, "abc"),
            ("abc", 2, "ab"),
            ("aä", 2, "a"),
            ("a€b", 3, "a"),
            ("a€b", 4, "a€"),
            ("😀", 3, ""),
        ] {
            let mut values = Values::from_strings([Some(text.as_bytes()), None]);
            cut_strings(&mut values, most);
            assert_eq!(values.string(0), Some(cut.as_bytes()), "{text} to {most}");
            assert_eq!(values.string(SLOT_SIZE), None);
        }
        let mut latin1 = Values::from_strings([Some(&[0xA4; 9][..])]);
        cut_strings(&mut latin1, 5);
        assert_eq!(latin1.string(0).unwrap().len(), 5);
    }

    /// Keeps the longest string that it receives.
    struct Longest(Arc<AtomicU64>);

    impl Writer for Longest {
        fn write_encoded_chunk(&self, _: u64, _: VarId, _: u64, _: EncodedChunk) -> Result<()> {
            Err(Error::Internal("strings are values".into()))
        }
        fn write_range(&self, _: VarId, _: u64, _: &[u8]) -> Result<()> {
            Err(Error::Internal("strings are values".into()))
        }
        fn write_values(&self, _: u64, _: VarId, _: &Region, values: Values) -> Result<()> {
            self.0.fetch_max(longest_string(&values), Ordering::Relaxed);
            Ok(())
        }
        fn finish(self: Box<Self>) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_copy_cuts_what_it_writes() {
        let reader = input("a long string", Vec::new(), Vec::new());
        for (asked, longest) in [(None, 13), (Some("7,cut"), 7)] {
            let plan = planned(&reader, asked).unwrap();
            let prepared = prepare(&reader, &plan).unwrap();
            let found = Arc::new(AtomicU64::new(0));
            let writer = Box::new(Longest(Arc::clone(&found)));
            run(&reader, &prepared, writer, &RunOptions::default()).unwrap();
            assert_eq!(found.load(Ordering::Relaxed), longest);
        }
        // A string that was not there when the copy was planned.
        let mut plan = planned(&reader, None).unwrap();
        plan.variables[0].layout.string_length = Some(3);
        let prepared = prepare(&reader, &plan).unwrap();
        let writer = Box::new(Longest(Arc::default()));
        let error = run(&reader, &prepared, writer, &RunOptions::default()).unwrap_err();
        assert!(error.to_string().contains("a string of "), "{error}");
    }

    #[test]
    fn filters_of_heap_addresses_are_not_those_of_strings() {
        struct Stored(InMemoryReader, VariableLayout);
        impl Reader for Stored {
            fn schema(&self) -> &Schema {
                self.0.schema()
            }
            fn layout(&self, _: VarId) -> &VariableLayout {
                &self.1
            }
            fn written(&self, _: VarId) -> Result<Written> {
                Ok(Written::Nothing)
            }
            fn read_range(&self, _: VarId, _: u64, _: &mut [u8]) -> Result<()> {
                Ok(())
            }
            fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
                self.0.read_region(var, region)
            }
        }
        let inner = input("x", Vec::new(), Vec::new());
        let mut layout = inner.layout(VarId(0)).clone().in_chunks(vec![2, 100]);
        layout.filters = vec![CodecSpec::hdf5(1, [2])];
        layout.string_length = Some(10);
        let reader = Stored(inner, layout);
        let copied = plan(&reader, &CopyOptions::default()).unwrap();
        assert!(copied.variables[0].layout.filters.is_empty());
        // The input's own number is kept.
        let options = CopyOptions {
            kind: Some(Kind::Other(&FIXED_STRINGS)),
            ..CopyOptions::default()
        };
        let copied = plan(&reader, &options).unwrap();
        let layout = &copied.variables[0].layout;
        assert_eq!((layout.filters.len(), layout.string_length), (1, Some(10)));
    }
}
