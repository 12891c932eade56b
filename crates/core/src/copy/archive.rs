//! Copies to and from archives: which of them move bytes, and how blocks are to be.
//!
//! | input | output | route |
//! | --- | --- | --- |
//! | classic file, nothing changed | its archive | [`ArchiveRoute::Pack`]: its bytes |
//! | archive, nothing changed | archive of the same kind | [`ArchiveRoute::Repack`]: its blocks |
//! | archive, nothing changed | classic file of the archived kind | [`ArchiveRoute::Restore`] |
//! | anything else | archive | [`ArchiveRoute::Convert`]: the classic file that a copy makes, packed |
//! | anything else | anything else | [`ArchiveRoute::Copy`] |

use super::memory::parse_memory;
use super::plan::{AskedLayout, ChunkSpec, CopyOptions};
use crate::error::{Error, Request, Result};
use crate::filter::spec::Targets;
use crate::filter::{AskedCodec, ChunkType, NumberClass, Registry, deflate::deflate, shuffle::shuffle};
use crate::format::archive::{Blocks, Change, Filter, Filters, LARGEST_BLOCK, MOST_FILTERS, PackOptions};
use crate::model::{ArchiveStep, Endian, Kind, Schema, VarId};

/// The request for a block length, for all variables or for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockSpec {
    /// The variable; `None` for all that no other request names.
    pub variable: Option<String>,
    /// Bytes of a block.
    pub length: u32,
}

impl BlockSpec {
    /// Parses `BYTES` or `VAR:BYTES`.
    ///
    /// # Errors
    /// The mistake, and what was expected.
    pub fn parse(argument: &str) -> Result<Self> {
        let (variable, length) = match argument.rsplit_once(':') {
            Some((name, length)) => (Some(crate::model::unescape(name)), length),
            None => (None, argument),
        };
        let length = parse_memory(length)
            .and_then(|length| u32::try_from(length).ok())
            .filter(|length| {
                let blocks = Blocks {
                    length: *length,
                    filters: None,
                };
                blocks.check().is_ok()
            });
        let length = length.ok_or_else(|| {
            Error::Usage(format!(
                "--block '{argument}': expected a number of bytes up to 256 MiB, such as 256000 or 1M, or VAR:BYTES"
            ))
        })?;
        Ok(Self { variable, length })
    }
}

/// What is asked of a copy to or from an archive, besides the options of every copy.
#[derive(Debug, Clone, Default)]
pub struct ArchiveOptions {
    /// True to make an archive, of the least kind that holds the dataset.
    pub pack: bool,
    /// True to restore the original of an archive.
    pub restore: bool,
    /// Lengths of blocks.
    pub blocks: Vec<BlockSpec>,
    /// True if only a part of the input is copied.
    pub of_part: bool,
}

/// How a copy to or from an archive is made.
#[derive(Debug, Clone)]
pub enum ArchiveRoute {
    /// By the engine, as datasets.
    Copy,
    /// The classic input is packed, byte for byte.
    Pack(PackOptions),
    /// The blocks of the input, which change as told.
    Repack(Vec<Change>),
    /// The original of the input.
    Restore,
    /// An archive of one of these kinds, the first that holds the dataset, of what the engine makes.
    Convert(Vec<Kind>, PackOptions),
}

/// Finds the route of a copy of `input`.
///
/// # Errors
/// Requests that contradict each other, or that an archive cannot fulfil.
pub fn archive_route(input: &Schema, options: &CopyOptions, asked: &ArchiveOptions) -> Result<ArchiveRoute> {
    let changes = asked.of_part
        || options.variables.is_some()
        || options.groups.is_some()
        || options.fix_unlimited
        || !options.quantize.is_empty()
        || !options.shards.is_empty()
        || options.string_length.is_some()
        || options.skip_fill
        || options.page_size.is_some();
    let filters = !options.filters.is_empty() || options.deflate.is_some() || options.shuffle;
    let original = input.kind.unpacked();
    let restores = |kind: Kind| input.kind.step_to(kind) == ArchiveStep::Restore;
    let same_blocks = !filters && options.chunking.is_empty() && asked.blocks.is_empty();
    if asked.restore {
        if original.is_none() {
            return Err(Error::Usage(format!(
                "only an archive can be restored, and this dataset is of the kind '{}'",
                input.kind.name()
            )));
        }
        return match !changes && same_blocks && options.kind.is_none_or(restores) {
            true => Ok(ArchiveRoute::Restore),
            false => Err(Error::Usage(
                "what is restored is the original, byte for byte; leave out options that change it, or the one that restores"
                    .to_owned(),
            )),
        };
    }
    let of_input = original.unwrap_or(input.kind);
    let kinds = match options.kind {
        _ if asked.pack => match of_input.packed() {
            Some(kind) => vec![kind],
            None => Kind::ARCHIVES.to_vec(),
        },
        Some(kind) if kind.unpacked().is_some() => vec![kind],
        Some(kind) if restores(kind) && !changes && same_blocks => return Ok(ArchiveRoute::Restore),
        None if original.is_some() => vec![input.kind],
        _ if !asked.blocks.is_empty() => {
            return Err(Error::Usage(
                "only archives have blocks; ask for an archive, or for chunks".to_owned(),
            ));
        }
        _ => return Ok(ArchiveRoute::Copy),
    };
    let made = blocks(input, options, asked)?;
    let fresh = || {
        let whole = made.iter().map(|change| Blocks {
            length: change.length.unwrap_or(Blocks::default().length),
            filters: change.filters.clone().flatten(),
        });
        let mut variables: Vec<Blocks> = whole.collect();
        let rest = variables.pop().unwrap_or_default();
        PackOptions {
            variables,
            rest,
            threads: 0,
            memory: None,
        }
    };
    Ok(match kinds[..] {
        [kind] if !changes && input.kind.step_to(kind) == ArchiveStep::Repack => ArchiveRoute::Repack(made),
        [kind] if !changes && input.kind.step_to(kind) == ArchiveStep::Pack => ArchiveRoute::Pack(fresh()),
        _ => ArchiveRoute::Convert(kinds, fresh()),
    })
}

/// What the options ask of each variable's blocks, and last of the rest.
fn blocks(input: &Schema, options: &CopyOptions, asked: &ArchiveOptions) -> Result<Vec<Change>> {
    let mut changes = vec![Change::default(); input.vars.len() + 1];
    let rest = input.vars.len();
    let unknown =
        |request: Request, name: &str| request.error(format!("the input has no variable named '{name}'"));
    if let Some(level) = options.deflate {
        for (n, change) in changes.iter_mut().enumerate() {
            let mut filters = Vec::new();
            if options.shuffle && level > 0 && n != rest {
                filters.push(Filter::Shuffle);
            }
            if level > 0 {
                filters.push(Filter::Deflate(level as u8));
            }
            change.filters = Some(Some(Filters::new(filters)));
        }
    } else if options.shuffle && options.filters.is_empty() {
        return Err(Error::Usage(
            "shuffling alone makes nothing smaller; give a level to deflate at too, or filters".to_owned(),
        ));
    }
    let mut named = vec![false; input.vars.len()];
    for request in &options.filters {
        let targets: Vec<usize> = match &request.targets {
            Targets::All => (0..input.vars.len()).filter(|n| !named[*n]).collect(),
            Targets::Named(names) => names
                .iter()
                .map(|name| match input.var_at(name) {
                    Some(VarId(n)) => {
                        named[n] = true;
                        Ok(n)
                    }
                    None => Err(unknown(Request::Filters, name)),
                })
                .collect::<Result<_>>()?,
        };
        for n in targets {
            let size = input.type_size(input.vars[n].ty);
            changes[n].filters = Some(filters_of(&request.pipeline, size, &options.registry)?);
        }
        if request.targets == Targets::All {
            // The rest has no elements.
            let of_bytes = |filters: Filters| {
                let all = filters.list().iter().copied();
                Filters::new(
                    all.filter(|filter| matches!(filter, Filter::Deflate(_) | Filter::Zstd(_)))
                        .collect::<Vec<_>>(),
                )
            };
            let asked = filters_of(&request.pipeline, 1, &options.registry)?;
            changes[rest].filters = Some(asked.map(of_bytes));
        }
    }
    for spec in &options.chunking {
        chunks(input, spec, &mut changes)?;
    }
    for spec in asked.blocks.iter().filter(|spec| spec.variable.is_none()) {
        for change in &mut changes {
            change.length = Some(spec.length);
        }
    }
    for spec in &asked.blocks {
        let Some(name) = &spec.variable else { continue };
        let VarId(n) = input
            .var_at(name)
            .ok_or_else(|| Error::Usage(format!("blocks: the input has no variable named '{name}'")))?;
        changes[n].length = Some(spec.length);
    }
    Ok(changes)
}

/// The filters that a request names; `None` for those that are chosen by samples.
fn filters_of(asked: &[AskedCodec], size: usize, registry: &Registry) -> Result<Option<Filters>> {
    if let [AskedCodec::Auto(_)] = asked {
        return Ok(None);
    }
    let chunk = ChunkType::of_numbers(NumberClass::Unsigned, size.max(1), Endian::Big, &[1 << 16]);
    let refused = |what: &str| {
        Request::Filters.error(format!(
            "{what} is not a filter of archives; these are deflate, shuffle, bitshuffle without compression, zstd and delta"
        ))
    };
    let mut filters = Vec::new();
    for codec in asked {
        if let AskedCodec::Name { name, .. } = codec
            && name == "delta"
        {
            filters.push(Filter::Delta);
            continue;
        }
        if let AskedCodec::Id {
            id: deflate::ID,
            parameters,
        } = codec
            && *parameters == [0]
        {
            continue;
        }
        let stored = registry.new_pipeline(std::slice::from_ref(codec), &chunk)?;
        for spec in stored {
            filters.push(Filter::of_spec(&spec).ok_or_else(|| refused(&spec.to_string()))?);
        }
    }
    if filters.len() > MOST_FILTERS {
        return Err(refused(&format!("a list of more than {MOST_FILTERS} filters")));
    }
    // Shuffling without elements does nothing.
    if size == 1 {
        filters.retain(|filter| filter.spec().hdf5_id() != Some(shuffle::ID));
    }
    Ok(Some(Filters::new(filters)))
}

/// Makes blocks of chunks that are runs of the linear order.
fn chunks(input: &Schema, spec: &ChunkSpec, changes: &mut [Change]) -> Result<()> {
    match spec {
        ChunkSpec::Unchunked => Ok(()),
        ChunkSpec::Variable { name, layout } => {
            let VarId(n) = input
                .var_at(name)
                .ok_or_else(|| Request::Chunks.error(format!("the input has no variable named '{name}'")))?;
            match layout {
                AskedLayout::Chunked(shape) => set_shape(input, n, shape, changes),
                AskedLayout::Contiguous | AskedLayout::Compact => Ok(()),
                AskedLayout::External(_) => Err(Request::Chunks.error(format!(
                    "variable {name}: external files hold data of netCDF-4 and HDF5, not of archives; add -k nc4"
                ))),
            }
        }
        ChunkSpec::Dimensions(list) => {
            for (n, var) in input.vars.iter().enumerate() {
                let asked = |dim: &crate::model::DimId| {
                    let dim = input.dim(*dim);
                    list.iter()
                        .find(|(name, _)| *name == dim.name)
                        .map(|(_, length)| length.unwrap_or(dim.length))
                };
                if var.dims.iter().all(|dim| asked(dim).is_none()) {
                    continue;
                }
                // As in chunks, where dimensions that are not named are whole, or of length 1 if unlimited.
                let own = |dim: &crate::model::Dimension| if dim.unlimited { 1 } else { dim.length };
                let lengths = var.dims.iter();
                let shape: Vec<u64> = lengths
                    .map(|dim| asked(dim).unwrap_or(own(input.dim(*dim))))
                    .collect();
                set_shape(input, n, &shape, changes)?;
            }
            Ok(())
        }
    }
}

fn set_shape(input: &Schema, n: usize, shape: &[u64], changes: &mut [Change]) -> Result<()> {
    let var = &input.vars[n];
    let refuse = |why: &str| Err(Request::Chunks.error(format!("variable {}: {why}", var.name)));
    if shape.len() != var.dims.len() {
        return refuse("the shape has another number of lengths than the variable has dimensions");
    }
    // A dimension without records still has blocks of one.
    let lengths: Vec<u64> = var.dims.iter().map(|dim| input.dim(*dim).length.max(1)).collect();
    let shape: Vec<u64> = shape
        .iter()
        .zip(&lengths)
        .map(|(n, length)| *n.min(length))
        .collect();
    let cut = shape.iter().position(|n| *n != 1).unwrap_or(shape.len());
    let whole = shape
        .iter()
        .zip(&lengths)
        .skip(cut + 1)
        .all(|(n, length)| n >= length);
    if !whole {
        return refuse(
            "blocks of an archive are runs of the elements' order, so a shape is ones, one length, and then whole dimensions",
        );
    }
    let size = input.type_size(var.ty) as u64;
    let bytes = shape.iter().try_fold(size, |bytes, n| bytes.checked_mul(*n));
    match bytes
        .and_then(|bytes| u32::try_from(bytes).ok())
        .filter(|bytes| *bytes <= LARGEST_BLOCK)
    {
        Some(0) => refuse("each length of a shape is at least 1"),
        Some(length) => {
            changes[n].length = Some(length);
            Ok(())
        }
        None => refuse("a block has at most 256 MiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::spec;
    use crate::model::{Dimension, Type, Variable};

    fn schema(kind: Kind) -> Schema {
        let mut schema = Schema::new(kind);
        let dims = [4, 6, 10].map(|length| {
            schema.add_dim(Dimension {
                name: format!("d{length}"),
                group: Schema::ROOT,
                length,
                unlimited: false,
            })
        });
        schema.add_var(Variable {
            name: "v".into(),
            group: Schema::ROOT,
            ty: Type::Float,
            dims: dims.to_vec(),
            attributes: Vec::new().into(),
        });
        schema
    }

    fn asked(kind: Option<Kind>, arguments: &[&str]) -> CopyOptions {
        let filters = arguments.iter().map(|text| spec::parse(text).unwrap());
        CopyOptions {
            kind,
            filters: filters.collect(),
            ..CopyOptions::default()
        }
    }

    #[test]
    fn bytes_move_where_nothing_changes() {
        let pack = ArchiveOptions {
            pack: true,
            ..ArchiveOptions::default()
        };
        let none = ArchiveOptions::default();
        let (file, archive) = (schema(Kind::Offset64), schema(Kind::Offset64Archive));
        let route_of = |input: &Schema, kind, asked_for: &ArchiveOptions| {
            archive_route(input, &asked(kind, &[]), asked_for).unwrap()
        };
        assert!(matches!(route_of(&file, None, &pack), ArchiveRoute::Pack(_)));
        assert!(matches!(
            route_of(&file, Some(Kind::Offset64Archive), &none),
            ArchiveRoute::Pack(_)
        ));
        assert!(matches!(
            route_of(&file, Some(Kind::ClassicArchive), &none),
            ArchiveRoute::Convert(..)
        ));
        assert!(matches!(route_of(&file, None, &none), ArchiveRoute::Copy));
        assert!(matches!(route_of(&archive, None, &none), ArchiveRoute::Repack(_)));
        assert!(matches!(
            route_of(&archive, Some(Kind::Offset64), &none),
            ArchiveRoute::Restore
        ));
        assert!(matches!(
            route_of(&archive, Some(Kind::Data64), &none),
            ArchiveRoute::Copy
        ));
        assert!(matches!(
            route_of(&archive, Some(Kind::Netcdf4), &none),
            ArchiveRoute::Copy
        ));
        let ArchiveRoute::Convert(kinds, _) = route_of(&schema(Kind::Netcdf4), None, &pack) else {
            panic!("a copy makes a classic file first");
        };
        assert_eq!(kinds, Kind::ARCHIVES);
        let part = CopyOptions {
            fix_unlimited: true,
            ..CopyOptions::default()
        };
        assert!(matches!(
            archive_route(&archive, &part, &none).unwrap(),
            ArchiveRoute::Convert(..)
        ));
        let restore = ArchiveOptions {
            restore: true,
            ..ArchiveOptions::default()
        };
        assert!(archive_route(&file, &asked(None, &[]), &restore).is_err());
        assert!(archive_route(&archive, &part, &restore).is_err());
        assert!(matches!(
            route_of(&archive, None, &restore),
            ArchiveRoute::Restore
        ));
    }

    #[test]
    fn blocks_and_filters_are_those_of_the_options() {
        let options = ArchiveOptions {
            pack: true,
            blocks: vec![
                BlockSpec::parse("1000").unwrap(),
                BlockSpec::parse("v:2K").unwrap(),
            ],
            ..ArchiveOptions::default()
        };
        let ArchiveRoute::Pack(packed) = archive_route(
            &schema(Kind::Classic),
            &asked(None, &["*,delta|32008|zstd,level=5"]),
            &options,
        )
        .unwrap() else {
            panic!("bytes are packed");
        };
        assert_eq!((packed.variables[0].length, packed.rest.length), (2000, 1000));
        let filters = [Filter::Delta, Filter::Bitshuffle, Filter::Zstd(5)];
        assert_eq!(packed.variables[0].filters, Some(Filters::new(filters)));
        assert_eq!(packed.rest.filters, Some(Filters::new([Filter::Zstd(5)])));
        for refused in ["v,307,9", "v,32008,0,2", "v,zfp", "w,1,5"] {
            let asked = asked(None, &[refused]);
            assert!(
                archive_route(&schema(Kind::Classic), &asked, &options).is_err(),
                "{refused}"
            );
        }
        for wrong in ["", "0", "v:", "1T", "x:-1"] {
            assert!(BlockSpec::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn chunks_are_runs_of_the_linear_order() {
        let blocks_of = |text: &str| {
            let options = CopyOptions {
                chunking: vec![ChunkSpec::parse(text).unwrap()],
                ..CopyOptions::default()
            };
            let pack = ArchiveOptions {
                pack: true,
                ..ArchiveOptions::default()
            };
            match archive_route(&schema(Kind::Classic), &options, &pack)? {
                ArchiveRoute::Pack(packed) => Ok(packed.variables[0].length),
                other => panic!("{other:?}"),
            }
        };
        for (text, bytes) in [
            ("v:1,3,10", 120),
            ("v:1,1,5", 20),
            ("v:2,6,10", 480),
            ("d4/1", 240),
            ("v:1,100,10", 240),
            ("d4/9", 960),
            ("/", 256 << 10),
        ] {
            assert_eq!(blocks_of(text).unwrap(), bytes, "{text}");
        }
        let refused: Result<u32> = blocks_of("v:2,3,10");
        assert!(
            refused
                .unwrap_err()
                .to_string()
                .contains("runs of the elements' order")
        );
    }
}
