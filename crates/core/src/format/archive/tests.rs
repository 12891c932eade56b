//! Packing and restoring of made files.

mod hostile;
mod many_blocks;
mod pipes;
mod requests;

use std::sync::Arc;

use proptest::prelude::*;

use super::pack::plan::Blocks;
use super::*;
use crate::format::CheckLimits;
use crate::store::{MemoryOutput, Object};

/// A variable of a made file: code of the type, dimensions by number, position of its data.
#[derive(Debug, Clone)]
pub(super) struct MadeVariable {
    pub ty: u32,
    pub dims: Vec<u32>,
    pub begin: u64,
}

/// The header of a classic file whose variables lie anywhere.
pub(super) fn header(version: u8, records: u64, dims: &[u64], vars: &[MadeVariable]) -> Vec<u8> {
    let wide = version == 5;
    let count = |out: &mut Vec<u8>, n: u64| match wide {
        true => out.extend(n.to_be_bytes()),
        false => out.extend((n as u32).to_be_bytes()),
    };
    let name = |out: &mut Vec<u8>, text: &str| {
        count(out, text.len() as u64);
        out.extend(text.as_bytes());
        out.resize(out.len().next_multiple_of(4), 0);
    };
    let list = |out: &mut Vec<u8>, tag: u32, n: usize| {
        out.extend(if n == 0 { 0 } else { tag }.to_be_bytes());
        count(out, n as u64);
    };
    let mut out = vec![b'C', b'D', b'F', version];
    count(&mut out, records);
    list(&mut out, 10, dims.len());
    for (n, length) in dims.iter().enumerate() {
        name(&mut out, &format!("d{n}"));
        count(&mut out, *length);
    }
    list(&mut out, 12, 0);
    list(&mut out, 11, vars.len());
    for (n, var) in vars.iter().enumerate() {
        name(&mut out, &format!("variable_{n}"));
        count(&mut out, var.dims.len() as u64);
        for dim in &var.dims {
            count(&mut out, (*dim).into());
        }
        list(&mut out, 12, 0);
        out.extend(var.ty.to_be_bytes());
        count(&mut out, 0);
        match version {
            1 => out.extend((var.begin as u32).to_be_bytes()),
            _ => out.extend(var.begin.to_be_bytes()),
        }
    }
    out
}

/// A file with this header and `length` bytes in all; data changes slowly, as that of fields does.
pub(super) fn file(header: Vec<u8>, length: usize) -> Vec<u8> {
    let mut file = header;
    let start = file.len();
    file.extend((start..length.max(start)).map(|n| ((n / 7) ^ (n % 5)) as u8));
    file.truncate(length.max(start));
    file
}

fn archive_of(original: &Vec<u8>, options: &PackOptions) -> Vec<u8> {
    let output = MemoryOutput::new();
    let packed = pack(original, &output, options).unwrap();
    assert_eq!(packed.original, original.len() as u64);
    assert_eq!(packed.archive, output.bytes().len() as u64);
    output.bytes()
}

fn restored(archive: &[u8], threads: usize) -> crate::error::Result<Vec<u8>> {
    let output = MemoryOutput::new();
    restore(archive, &output, threads, None)?;
    Ok(output.bytes())
}

/// Packs with one thread and several, restores, and reads at random.
fn check(original: &Vec<u8>, length: u32, filters: Option<Filters>) {
    let blocks = Blocks { length, filters };
    let options = |threads| PackOptions {
        variables: vec![blocks.clone(); 16],
        rest: blocks.clone(),
        threads,
        memory: None,
    };
    let archive = archive_of(original, &options(1));
    assert!(
        archive_of(original, &options(3)) == archive,
        "threads change the bytes"
    );
    // Other blocks, from the archive and from the original.
    let other = Blocks {
        length: length * 2 + 8,
        filters: None,
    };
    let change = Change {
        length: Some(other.length),
        filters: Some(None),
    };
    let source: Arc<dyn Object> = Arc::new(archive.clone());
    let repacked = MemoryOutput::new();
    repack(&source, &repacked, &vec![change; 17], 3, None).unwrap();
    let others = PackOptions {
        variables: vec![other.clone(); 16],
        rest: other,
        ..options(2)
    };
    assert!(
        repacked.bytes() == archive_of(original, &others),
        "an archive that is packed anew"
    );
    for threads in [1, 3] {
        assert!(restored(&archive, threads).unwrap() == *original, "restored");
    }
    let opened = Arc::new(super::random_access::opened::Archive::open(Arc::new(archive)).unwrap());
    let original_again = super::random_access::opened::Original(opened);
    let step = original.len() / 7 + 1;
    for at in (0..original.len()).step_by(step) {
        for count in [1, step / 2, step * 3] {
            let count = count.min(original.len() - at);
            let mut found = vec![0; count];
            original_again.read_exact_at(at as u64, &mut found).unwrap();
            assert!(found == original[at..at + count], "{count} bytes at {at}");
        }
    }
}

fn variable(ty: u32, dims: &[u32], begin: u64) -> MadeVariable {
    MadeVariable {
        ty,
        dims: dims.to_vec(),
        begin,
    }
}

/// Files with what is allowed, odd, or wrong.
pub(super) fn made() -> Vec<(&'static str, Vec<u8>)> {
    let mut all = Vec::new();
    let mut add = |name, records, dims: &[u64], vars: &[MadeVariable], length| {
        all.push((name, file(header(2, records, dims, vars), length)));
    };
    let h = 400;
    add("no variable", 0, &[], &[], 60);
    add("trailing bytes", 0, &[], &[], 1000);
    add(
        "gap",
        0,
        &[10],
        &[variable(5, &[0], h), variable(6, &[0], h + 100)],
        600,
    );
    add(
        "no record",
        0,
        &[0, 10],
        &[variable(5, &[0, 1], h), variable(3, &[1], h)],
        420,
    );
    add("one record variable", 7, &[0, 3], &[variable(3, &[0, 1], h)], 442);
    add(
        "records",
        50,
        &[0, 3],
        &[
            variable(3, &[0, 1], h),
            variable(6, &[0], h + 8),
            variable(1, &[0], h + 16),
        ],
        400 + 50 * 20,
    );
    add(
        "cut records",
        50,
        &[0, 3],
        &[
            variable(3, &[0, 1], h),
            variable(6, &[0], h + 8),
            variable(1, &[0], h + 16),
        ],
        400 + 20 * 20 + 11,
    );
    add(
        "streaming count",
        u64::MAX,
        &[0, 3],
        &[variable(3, &[0, 1], h), variable(6, &[0], h + 8)],
        400 + 9 * 16 + 5,
    );
    add(
        "cut data",
        0,
        &[100],
        &[variable(6, &[0], h), variable(4, &[0], h + 800)],
        1000,
    );
    add("past the end", 0, &[100], &[variable(6, &[0], 5000)], 600);
    add(
        "out of order",
        0,
        &[10],
        &[
            variable(5, &[0], h + 200),
            variable(6, &[0], h),
            variable(5, &[0], h + 100),
        ],
        700,
    );
    add(
        "overlap",
        0,
        &[20],
        &[
            variable(5, &[0], h),
            variable(5, &[0], h + 40),
            variable(6, &[0], h + 4),
        ],
        600,
    );
    add(
        "overlapping records",
        20,
        &[0, 4],
        &[
            variable(5, &[0, 1], h),
            variable(5, &[0, 1], h + 8),
            variable(4, &[1], h + 40),
        ],
        1200,
    );
    add("in the header", 0, &[20], &[variable(5, &[0], 8)], 600);
    add("constant", 0, &[3000], &[variable(5, &[0], h)], 400);
    let last = all.last_mut().unwrap();
    last.1.resize(400, 0);
    last.1.extend([7, 8, 9, 10].repeat(3000));
    all
}

#[test]
fn made_files_come_back() {
    for (name, original) in made() {
        println!("{name}");
        check(&original, 64, None);
        check(
            &original,
            100,
            Some(Filters::new([Filter::Delta, Filter::Shuffle, Filter::Deflate(3)])),
        );
        check(&original, DEFAULT_BLOCK, None);
        check(&original, 1, Some(Filters::default()));
    }
}

#[test]
fn many_interleaved_variables_are_read_in_passes() {
    // 200 variables of 200 KB: their open blocks take more than one pass may.
    let vars: Vec<_> = (0..200).map(|n| variable(5, &[0, 1], 20_000 + n * 400)).collect();
    let head = header(2, 500, &[0, 100], &vars);
    assert!(head.len() < 20_000);
    let original = file(head, 20_000 + 500 * 200 * 400);
    let archive = archive_of(
        &original,
        &PackOptions {
            threads: 2,
            ..PackOptions::default()
        },
    );
    assert!(restored(&archive, 2).unwrap() == original);
    let little = PackOptions {
        threads: 2,
        memory: Some(4 << 20),
        ..PackOptions::default()
    };
    let of_little = archive_of(&original, &little);
    let output = MemoryOutput::new();
    restore(&of_little[..], &output, 2, Some(4 << 20)).unwrap();
    assert!(output.bytes() == original);
    let source: Arc<dyn Object> = Arc::new(archive);
    assert_eq!(super::check(&source, CheckLimits::ONE_THREAD).unwrap().0, []);
}

#[test]
fn every_flipped_bit_and_every_cut_is_found() {
    let original = made().into_iter().find(|(name, _)| *name == "records").unwrap().1;
    let blocks = Blocks {
        length: 256,
        filters: None,
    };
    let options = PackOptions {
        variables: vec![blocks.clone(); 3],
        rest: blocks,
        threads: 1,
        memory: None,
    };
    let archive = archive_of(&original, &options);
    for bit in 0..archive.len() * 8 {
        let mut flipped = archive.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(restored(&flipped, 1).is_err(), "bit {bit}");
        let object: Arc<dyn Object> = Arc::new(flipped);
        let is_sound =
            super::check(&object, CheckLimits::ONE_THREAD).is_ok_and(|(faults, _)| faults.is_empty());
        assert!(!is_sound, "bit {bit}");
    }
    for length in 0..archive.len() {
        assert!(restored(&archive[..length], 1).is_err(), "{length} bytes");
        let object: Arc<dyn Object> = Arc::new(archive[..length].to_vec());
        assert!(super::random_access::opened::Archive::open(object.clone()).is_err());
        let is_sound =
            super::check(&object, CheckLimits::ONE_THREAD).is_ok_and(|(faults, _)| faults.is_empty());
        assert!(!is_sound, "{length} bytes");
    }
    let longer = [archive.as_slice(), b"x"].concat();
    assert!(restored(&longer, 1).is_err());
    assert!(super::random_access::opened::Archive::open(Arc::new(longer)).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_layout_comes_back(
        version in prop::sample::select(vec![1u8, 2, 5]),
        records in 0u64..30,
        vars in prop::collection::vec((1u32..7, prop::sample::select(vec![vec![], vec![0], vec![1], vec![0, 1], vec![2, 1]]), 0u64..1500), 0..6),
        length in 0usize..4000,
        block in 1u32..300,
    ) {
        let vars: Vec<_> = vars.iter().map(|(ty, dims, begin)| variable(*ty, dims, *begin)).collect();
        let original = file(header(version, records, &[0, 5, 3], &vars), length);
        check(&original, block, None);
    }
}
