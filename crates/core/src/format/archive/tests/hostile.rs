//! Archives that lie with right checksums, and archives that are damaged in places.

use std::io;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::block::{Content, Header, end};
use super::super::fields::crc32;
use super::super::filter::{Filter, Filters};
use super::super::footer::write_back;
use super::super::front::{self, Front};
use super::super::index::Indexes;
use super::super::opened::Archive;
use super::super::streams::{Stream, Streams};
use super::*;
use crate::format::CheckLimits;
use crate::store::Output;

/// An output that counts what is written, and refuses more than a megabyte.
#[derive(Default)]
struct Counting {
    written: AtomicU64,
    sizes: Mutex<Vec<u64>>,
}

impl Output for Counting {
    fn write_all_at(&self, _: u64, data: &[u8]) -> io::Result<()> {
        let before = self.written.fetch_add(data.len() as u64, Ordering::Relaxed);
        match before < 1 << 20 {
            true => Ok(()),
            false => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.sizes.lock().unwrap().push(size);
        match size < 1 << 40 {
            true => Ok(()),
            false => Err(io::ErrorKind::FileTooLarge.into()),
        }
    }

    fn commit(&self) -> io::Result<()> {
        Ok(())
    }

    fn room(&self) -> Option<u64> {
        Some(1 << 20)
    }
}

fn stream(begin: u64, length: u64, block: u32, filters: Filters) -> Stream {
    Stream {
        begin,
        slab: length,
        stride: length,
        count: u64::from(length > 0),
        block,
        element: 1,
        filters,
    }
}

/// An archive of a header without variables, one stream, and these blocks of it, of which each has its stored bytes.
fn made(length: u64, block: u32, filters: Filters, blocks: &[(Header, Vec<u8>)]) -> Vec<u8> {
    let head = header(2, 0, &[], &[]);
    let at = head.len() as u64;
    let list = vec![
        stream(at, length, block, filters),
        stream(0, 0, 64, Filters::default()),
    ];
    let streams = Streams::new(at, at + length, list, true).unwrap();
    let mut bytes = front::encode(2, &head, &streams).unwrap();
    let front = bytes.len() as u64;
    let mut indexes = Indexes::new(2, front, 1 << 20);
    for (header, stored) in blocks {
        indexes.push(header, bytes.len() as u64).unwrap();
        bytes.extend(header.encode());
        bytes.extend(stored);
    }
    bytes.extend(end(blocks.len() as u64));
    let back = bytes.len() as u64;
    let mut put = |part: &[u8]| {
        bytes.extend_from_slice(part);
        Ok(())
    };
    write_back(indexes.list(), back, [0; 32], &mut put).unwrap();
    bytes
}

fn stored(number: u64, mask: u16, bytes: &[u8]) -> (Header, Vec<u8>) {
    let content = Content::Stored {
        length: bytes.len() as u32,
        mask,
        crc: crc32(bytes),
    };
    let header = Header {
        stream: 0,
        number,
        content,
    };
    (header, bytes.to_vec())
}

fn repeated(number: u64, run: u32, byte: u8) -> (Header, Vec<u8>) {
    let content = Content::Repeated {
        element: [byte, 0, 0, 0, 0, 0, 0, 0],
        run,
    };
    let header = Header {
        stream: 0,
        number,
        content,
    };
    (header, Vec::new())
}

fn refused(archive: &[u8]) -> String {
    restore(archive, &Counting::default(), 1, None)
        .unwrap_err()
        .to_string()
}

#[test]
fn blocks_that_lie_are_refused() {
    let zstd = || Filters::new([Filter::Zstd(3)]);
    let mut bomb = Vec::new();
    crate::filter::compressors::zstd::encode_plain(3, &vec![0; 1 << 24], &mut bomb).unwrap();
    let ten = [7; 10];
    for (blocks, filters, says) in [
        (vec![stored(0, 0, &ten)], zstd(), "is not a zstd frame"),
        (vec![stored(0, 0, &bomb[..60.min(bomb.len())])], zstd(), ""),
        (vec![stored(0, 2, &ten)], zstd(), "skips filters"),
        (
            vec![stored(0, 1, &ten)],
            zstd(),
            "decodes to 10 bytes instead of 64",
        ),
        (vec![stored(0, 0, &[7; 65])], zstd(), "longer than it was"),
        (vec![stored(1, 1, &[7; 64])], zstd(), "out of order"),
        (vec![stored(0, 1, &[7; 64])], zstd(), "blocks are missing"),
        (vec![repeated(0, 3, 1)], zstd(), "out of order"),
        (vec![repeated(0, u32::MAX, 1)], zstd(), "out of order"),
        (
            vec![stored(0, 1, &[7; 64]), stored(0, 1, &[7; 64])],
            zstd(),
            "out of order",
        ),
    ] {
        let error = refused(&made(128, 64, filters, &blocks));
        assert!(error.contains(says), "{error}");
    }
    // Sound in all but the SHA-256.
    let error = refused(&made(128, 64, zstd(), &[repeated(0, 2, 0)]));
    assert!(error.contains("read back"), "{error}");
    let output = crate::store::MemoryOutput::new();
    let sound = made(128, 64, zstd(), &[repeated(0, 2, 0)]);
    let error = restore(&sound[..], &output, 1, None).unwrap_err().to_string();
    assert!(error.contains("SHA-256"), "{error}");
}

#[test]
fn a_few_bytes_that_claim_much_take_nothing() {
    let length = (1u64 << 62) - 100;
    let archive = made(length, 1 << 28, Filters::default(), &[repeated(0, u32::MAX, 9)]);
    assert!(archive.len() < 600);
    let output = Counting::default();
    assert!(restore(&archive[..], &output, 1, None).is_err());
    assert!(output.written.load(Ordering::Relaxed) < 1 << 20);
    let output = Counting::default();
    let archive_of_less = made(1 << 39, 1 << 28, Filters::default(), &[repeated(0, 1 << 11, 9)]);
    let error = restore(&archive_of_less[..], &output, 1, None)
        .unwrap_err()
        .to_string();
    assert!(error.contains("of one repeated element"), "{error}");
    assert!(output.written.load(Ordering::Relaxed) < 1000);
    // The index does not have all blocks; nothing is allocated by the claim.
    let opened = Archive::open(Arc::new(archive)).unwrap();
    assert!(opened.read(0, 0, &mut [0; 10]).is_err());
    assert!(opened.read(0, length - 1, &mut [0; 10]).is_err());
}

#[test]
fn two_blocks_cannot_share_bytes() {
    let mut archive = made(
        128,
        64,
        Filters::default(),
        &[stored(0, 0, &[1; 64]), stored(1, 0, &[2; 64])],
    );
    let opened = Archive::open(Arc::new(archive.clone())).unwrap();
    let mut found = [0; 128];
    opened.read(0, 0, &mut found).unwrap();
    assert_eq!(found, [[1; 64], [2; 64]].concat()[..]);
    // The second entry of the index is led to the first block. The content of the index is stored as it is.
    let place = opened.index(0).unwrap().find(1).unwrap().unwrap();
    let gap = archive
        .windows(4)
        .rposition(|window| window == [64, 0, 0, 0])
        .unwrap()
        + 4
        + 8;
    let first = opened.index(0).unwrap().find(0).unwrap().unwrap();
    let lie = first.at.wrapping_sub(place.at);
    let old = u64::from_le_bytes(archive[gap..gap + 8].try_into().unwrap());
    archive[gap..gap + 8].copy_from_slice(&old.wrapping_add(lie).to_le_bytes());
    let section = gap + 8 - (24 + 8 + 2 * 28);
    let crc = crc32(&archive[section..gap + 8]);
    archive[gap + 8..gap + 12].copy_from_slice(&crc.to_le_bytes());
    let opened = Archive::open(Arc::new(archive.clone())).unwrap();
    let error = opened.read(0, 64, &mut [0; 10]).unwrap_err().to_string();
    assert!(error.contains("block 1 of stream 0 is not where"), "{error}");
    let error = restore(&archive[..], &crate::store::MemoryOutput::new(), 1, None);
    assert!(error.is_err());
}

#[test]
fn sections_that_must_be_understood_are_refused() {
    let original = super::made().remove(2).1;
    let archive = archive_of(&original, &PackOptions::default());
    let front = u64::from_le_bytes(archive[24..32].try_into().unwrap()) as usize;
    for (flags, fits) in [(0u16, true), (1, false)] {
        let mut section = Vec::new();
        section.extend(77u16.to_le_bytes());
        section.extend(flags.to_le_bytes());
        section.extend([0; 4]);
        section.extend(3u64.to_le_bytes());
        section.extend(3u64.to_le_bytes());
        section.extend(b"new");
        section.extend(crc32(&section).to_le_bytes());
        let mut newer = archive[..front].to_vec();
        newer.extend(&section);
        newer[12] += 1;
        newer[24..32].copy_from_slice(&((front + section.len()) as u64).to_le_bytes());
        let crc = crc32(&newer[..36]);
        newer[36..40].copy_from_slice(&crc.to_le_bytes());
        let parsed = front::Front::decode(&newer);
        assert_eq!(parsed.is_ok(), fits);
        if let Err(error) = parsed {
            assert!(
                error.to_string().contains("section type 77 must be understood"),
                "{error}"
            );
        }
    }
}

#[test]
fn what_is_whole_is_salvaged() {
    let original = super::made()
        .into_iter()
        .find(|made| made.0 == "records")
        .unwrap()
        .1;
    let blocks = Blocks {
        length: 64,
        filters: None,
    };
    let options = PackOptions {
        variables: vec![blocks.clone(); 3],
        rest: blocks,
        threads: 1,
        memory: None,
    };
    let archive = archive_of(&original, &options);
    let front = u64::from_le_bytes(archive[24..32].try_into().unwrap()) as usize;
    let streams = Front::decode(&archive[..front]).unwrap().streams;
    let salvaged = |bytes: &[u8]| {
        let output = crate::store::MemoryOutput::new();
        let source: Arc<dyn Object> = Arc::new(bytes.to_vec());
        let saved = salvage(&source, &output).unwrap();
        let found = output.bytes();
        assert_eq!(found.len(), original.len());
        for (at, (found, expected)) in found.iter().zip(&original).enumerate() {
            let segment = streams.locate(at as u64, u64::MAX);
            let is_lost = segment.is_some_and(|segment| {
                let variable = (segment.stream < streams.rest()).then_some(segment.stream);
                let mut lost = saved.lost.iter().filter(|lost| lost.variable == variable);
                lost.any(|lost| lost.bytes.contains(&segment.linear))
            });
            match is_lost {
                true => assert_eq!(*found, 0, "byte {at}"),
                false => assert_eq!(found, expected, "byte {at}"),
            }
        }
        saved
    };
    let sound = salvaged(&archive);
    assert!(sound.lost.is_empty() && sound.findings.is_empty());
    let source: Arc<dyn Object> = Arc::new(archive.clone());
    assert_eq!(
        super::super::check(&source, CheckLimits::ONE_THREAD).unwrap().0,
        []
    );
    for at in front..archive.len() {
        let mut damaged = archive.clone();
        damaged[at] ^= 0x10;
        let lost: u64 = salvaged(&damaged)
            .lost
            .iter()
            .map(|lost| lost.bytes.end - lost.bytes.start)
            .sum();
        assert!(lost <= 64, "one block at most: {lost} bytes by byte {at}");
        let source: Arc<dyn Object> = Arc::new(damaged);
        assert_ne!(
            super::super::check(&source, CheckLimits::ONE_THREAD).unwrap().0,
            [],
            "byte {at}"
        );
    }
    // Without a back, and cut within the blocks.
    let cut = salvaged(&archive[..front + 300]);
    assert!(!cut.lost.is_empty());
    // Headers of no stream, one after another, are one gap.
    let strange = Header {
        stream: 7777,
        number: 0,
        content: Content::Repeated {
            element: [0; 8],
            run: 1,
        },
    };
    let mut stuffed = archive[..front].to_vec();
    stuffed.extend(strange.encode().repeat(20_000));
    stuffed.extend_from_slice(&archive[front..]);
    let stuffed = salvaged(&stuffed);
    assert!(
        stuffed.lost.is_empty() && stuffed.findings.len() < 4,
        "{:?}",
        stuffed.findings
    );
}
