//! The route of a copy to or from an archive.

use super::changes::blocks;
use super::options::ArchiveOptions;
use crate::copy::plan::CopyOptions;
use crate::error::{Error, Result};
use crate::format::archive::{Blocks, Change, PackOptions};
use crate::model::{ArchiveStep, Kind, Schema};

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
        || !options.fixed_dims.is_empty()
        || !options.unlimited_dims.is_empty()
        || !options.excluded.is_empty()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copy::archive::BlockSpec;
    use crate::copy::plan::ChunkSpec;
    use crate::filter::spec;
    use crate::format::archive::{Filter, Filters};
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
