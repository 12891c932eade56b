//! Tests of the shapes of shards.

use super::*;
use crate::copy::plan::{ChunkSpec, plan};
use crate::format::in_memory::InMemoryReader;
use crate::model::{ChunkKeys, Dimension, KeySeparator, Type, Values, Variable};
use proptest::prelude::*;

fn grid<'a>(chunk: &'a [u64], extent: &'a [u64], element_size: usize) -> Grid<'a> {
    Grid {
        chunk,
        extent,
        element_size,
    }
}

#[test]
fn few_chunks_and_scalars_have_no_shards() {
    assert_eq!(grid(&[1, 361, 720], &[1000, 361, 720], 4).auto(), None);
    assert_eq!(grid(&[10, 10], &[0, 10], 4).auto(), None);
    assert_eq!(grid(&[], &[], 4).auto(), None);
    // One chunk is more than a shard may have.
    assert_eq!(grid(&[1 << 30], &[1 << 50], 4).auto(), None);
    assert_eq!(grid(&[u64::MAX, 2], &[u64::MAX, u64::MAX], 4).auto(), None);
}

#[test]
fn shards_grow_from_the_fastest_dimension_and_are_about_equal() {
    for (chunk, extent, size, shard) in [
        // 246 chunks of 1.04 MB fit: 1001 records in five shards.
        (&[1, 361, 720][..], &[1001, 361, 720][..], 4, &[201, 361, 720][..]),
        // The fastest two dimensions are whole; 98 of 100 would leave a shard of 2.
        (&[1, 100, 100], &[100, 800, 800], 4, &[100, 800, 800]),
        (&[10, 100, 100], &[1000, 800, 800], 4, &[100, 800, 800]),
        // Their index is what limits tiny chunks.
        (&[1], &[1_000_000], 4, &[62_500]),
        (&[1, 1], &[70_000, 1], 1, &[35_000, 1]),
    ] {
        let found = grid(chunk, extent, size).auto();
        assert_eq!(found.as_deref(), Some(shard), "{chunk:?} {extent:?}");
    }
}

#[test]
fn the_nearest_shape_is_named() {
    assert!(whole_chunks(&[10, 20], &[5, 20], &["y", "x"]).is_ok());
    for (shard, says) in [
        (
            &[7, 20][..],
            "length 7 is no multiple of the chunk length 5 along y; the nearest shape is 5,20",
        ),
        (&[8, 20], "nearest shape is 10,20"),
        (&[5, 1], "chunk length 20 along x; the nearest shape is 5,20"),
        (&[0, 20], "nearest shape is 5,20"),
        (&[5, u64::MAX], "along x"),
        (&[5], "2 in all, not 1"),
    ] {
        let error = whole_chunks(shard, &[5, 20], &["y", "x"]).unwrap_err();
        assert!(error.contains(says), "{error}");
    }
}

proptest! {
    /// Whatever is asked for, a shard is whole chunks, and no longer than the extent needs.
    #[test]
    fn shards_are_whole_chunks_within_bounds(
        dims in prop::collection::vec((1..50u64, 0..5000u64), 1..5),
        element_size in 1..100usize,
        bytes in 1..1_000_000_000u64,
        count in 1..100_000u64,
    ) {
        let (chunk, extent): (Vec<u64>, Vec<u64>) = dims.into_iter().unzip();
        let grid = grid(&chunk, &extent, element_size);
        for (found, bytes, count) in [
            (grid.auto(), MAX_SHARD_BYTES, MAX_SHARD_CHUNKS),
            (grid.grown(bytes, count), bytes, count),
        ] {
            let Some(shard) = found else { continue };
            prop_assert!(whole_chunks(&shard, &chunk, &[]).is_ok());
            let chunks: u64 = shard.iter().zip(&chunk).map(|(n, chunk)| n / chunk).product();
            prop_assert!(chunks > 1 && chunks <= count);
            prop_assert!(chunk_bytes(&shard, element_size).unwrap() <= bytes);
            for ((shard, chunk), extent) in shard.iter().zip(&chunk).zip(&extent) {
                prop_assert!(*shard <= (*extent).max(1).div_ceil(*chunk) * chunk);
            }
        }
    }

    #[test]
    fn lengths_of_any_size_are_safe(
        dims in prop::collection::vec((1..=u64::MAX, any::<u64>(), 1..=u64::MAX), 1..4),
        element_size in 1..=usize::MAX,
    ) {
        let (chunk, extent): (Vec<u64>, Vec<u64>) = dims.iter().map(|(chunk, extent, _)| (*chunk, *extent)).unzip();
        let own: Vec<u64> = dims.iter().map(|(.., own)| *own).collect();
        let grid = grid(&chunk, &extent, element_size);
        for shard in [grid.auto(), grid.grown(u64::MAX, u64::MAX), grid.rounded_up(&own).ok()].into_iter().flatten() {
            prop_assert!(whole_chunks(&shard, &chunk, &[]).is_ok());
        }
        let _ = whole_chunks(&own, &chunk, &[]);
    }
}

/// `float v(t, y, x)` of 2000 × 100 × 200, t being unlimited, in chunks of 1 × 50 × 100, `short w(x)` and the scalar
/// `double s`.
fn input(kind: Kind) -> InMemoryReader {
    let mut schema = Schema::new(kind);
    let dims: Vec<_> = [("t", 2000, true), ("y", 100, false), ("x", 200, false)]
        .map(|(name, length, unlimited)| {
            schema.add_dim(Dimension {
                name: name.into(),
                group: Schema::ROOT,
                length,
                unlimited,
            })
        })
        .into();
    for (name, ty, dims) in [
        ("v", Type::Float, &dims[..]),
        ("w", Type::Short, &dims[2..]),
        ("s", Type::Double, &[]),
    ] {
        schema.add_var(Variable {
            name: name.into(),
            group: Schema::ROOT,
            ty,
            dims: dims.to_vec(),
            attributes: Vec::new().into(),
        });
    }
    let mut reader = InMemoryReader::new(schema, vec![Values::default(); 3]);
    for (at, shape) in [vec![1, 50, 100], vec![100], vec![]].into_iter().enumerate() {
        reader.layout_mut(VarId(at)).storage = Storage::Chunked { shape };
    }
    reader
}

fn options(shards: &[&str]) -> CopyOptions {
    CopyOptions {
        kind: Some(Kind::Zarr3),
        shards: shards.iter().map(|s| ShardSpec::parse(s).unwrap()).collect(),
        ..CopyOptions::default()
    }
}

fn planned(reader: &InMemoryReader, options: &CopyOptions) -> Result<Vec<VariableLayout>> {
    let plan = plan(reader, options)?;
    Ok(plan
        .variables
        .iter()
        .map(|v| VariableLayout::clone(&v.layout))
        .collect())
}

#[test]
fn a_shard_of_a_size_has_no_more_chunks_than_an_index() {
    let mut schema = Schema::new(Kind::Netcdf4);
    let dim = schema.add_dim(Dimension {
        name: "x".into(),
        group: Schema::ROOT,
        length: 1 << 40,
        unlimited: false,
    });
    schema.add_var(Variable {
        name: "v".into(),
        group: Schema::ROOT,
        ty: Type::Byte,
        dims: vec![dim],
        attributes: Vec::new().into(),
    });
    let mut reader = InMemoryReader::new(schema, vec![Values::default()]);
    reader.layout_mut(VarId(0)).storage = Storage::Chunked { shape: vec![1] };
    let layouts = planned(&reader, &options(&["10G"])).unwrap();
    let shard = layouts[0].shard.as_deref().unwrap();
    assert!(
        shard[0] > 1 << 23 && shard[0] <= MOST_CHUNKS_OF_SHARD,
        "{shard:?}"
    );
}

#[test]
fn what_is_asked_for() {
    let reader = input(Kind::Netcdf4);
    for (asked, v, w) in [
        (&[][..], Some(&[2000, 100, 200][..]), None),
        (&["none"], None, None),
        (&["/"], None, None),
        (&["none", "auto"], Some(&[2000, 100, 200]), None),
        (&["v:"], None, None),
        (&["v:7,50,200", "w:200"], Some(&[7, 50, 200]), Some(&[200][..])),
        (&["v:7,50,200", "v:"], Some(&[7, 50, 200]), None),
        // What an option leaves open fills the shard.
        (&["t/10"], Some(&[10, 100, 200]), None),
        (&["t/10", "v:"], None, None),
        (&["t/5000"], Some(&[5000, 50, 200]), None),
        // A rule of several dimensions leaves variables of one dimension alone.
        (&["t/2,y/51,x/120"], Some(&[2, 100, 200]), None),
        (&["t/2,y/51", "x/120"], Some(&[2, 100, 200]), Some(&[200])),
        (&["x/"], Some(&[2000, 100, 200]), Some(&[200])),
        (&["y/1,x/1,t/1"], None, None),
        // 4 chunks of 20 kB to a record.
        (&["160K"], Some(&[2, 100, 200]), Some(&[200])),
        (&["1"], None, None),
    ] {
        let layouts = planned(&reader, &options(asked)).unwrap();
        assert_eq!(layouts[0].shard.as_deref(), v, "{asked:?}");
        assert_eq!(layouts[1].shard.as_deref(), w, "{asked:?}");
        assert_eq!(layouts[2].shard, None);
        assert_eq!(layouts[0].chunk_shape(), [1, 50, 100]);
    }
    for (asked, says) in [
        ("nothing/3", "no dimension named 'nothing'"),
        ("nothing:", "no variable named 'nothing'"),
        ("v:1,60,100", "along y; the nearest shape is 1,50,100"),
        ("s:1", "0 in all, not 1"),
    ] {
        let error = planned(&reader, &options(&[asked])).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn an_input_with_shards_keeps_them() {
    let mut reader = input(Kind::Zarr3);
    let keys = ChunkKeys {
        begin_with_c: false,
        separator: KeySeparator::Dot,
    };
    let v = reader.layout_mut(VarId(0));
    v.shard = Some(vec![10, 100, 100]);
    v.shard_index = IndexLocation::Start;
    v.chunk_keys = keys;
    let kept = planned(&reader, &options(&[])).unwrap();
    assert_eq!(kept[0].shard.as_deref(), Some(&[10, 100, 100][..]));
    assert_eq!(
        (kept[0].shard_index, kept[0].chunk_keys),
        (IndexLocation::Start, keys)
    );
    assert_eq!(kept[1].shard, None);
    let other_chunks = CopyOptions {
        chunking: vec![ChunkSpec::parse("v:4,30,200").unwrap()],
        shard_index: Some(IndexLocation::End),
        ..options(&[])
    };
    let kept = planned(&reader, &other_chunks).unwrap();
    assert_eq!(kept[0].shard.as_deref(), Some(&[12, 120, 200][..]));
    assert_eq!(kept[0].shard_index, IndexLocation::End);
    let along_t = planned(&reader, &options(&["t/20"])).unwrap();
    assert_eq!(along_t[0].shard.as_deref(), Some(&[20, 100, 100][..]));
}

#[test]
fn other_kinds_have_no_shards() {
    let reader = input(Kind::Zarr3);
    let asked = CopyOptions {
        kind: Some(Kind::Netcdf4),
        ..options(&["none"])
    };
    let error = planned(&reader, &asked).unwrap_err().to_string();
    assert!(
        error.contains("shards: the kind 'netCDF-4' has no shards"),
        "{error}"
    );
    let index_alone = CopyOptions {
        kind: Some(Kind::Netcdf4),
        shard_index: Some(IndexLocation::End),
        ..options(&[])
    };
    assert_eq!(planned(&reader, &index_alone).unwrap()[0].shard, None);
    let mut reader = input(Kind::Zarr3);
    reader.layout_mut(VarId(0)).shard = Some(vec![10, 100, 100]);
    reader.layout_mut(VarId(0)).shard_index = IndexLocation::Start;
    let plain = CopyOptions {
        kind: Some(Kind::Netcdf4),
        ..CopyOptions::default()
    };
    let layouts = planned(&reader, &plain).unwrap();
    assert_eq!(
        (layouts[0].shard.as_ref(), layouts[0].shard_index),
        (None, IndexLocation::End)
    );
}
