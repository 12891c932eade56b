//! Tests of zip files that are written, and read back.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;

use super::*;
use crate::ReorderWindow;
use crate::keys::key::HOSTILE;
use crate::{ByteRange, GetRange, KeyStore, MemoryOutput, Object, ZipKeys};

fn zip(top_folder: Option<&str>) -> (Arc<MemoryOutput>, ZipOutput) {
    let memory = Arc::new(MemoryOutput::new());
    let output = ZipOutput::create(Arc::clone(&memory) as Arc<dyn Output>, top_folder).unwrap();
    (memory, output)
}

fn read(memory: &MemoryOutput) -> ZipKeys {
    assert!(memory.committed());
    ZipKeys::open(Arc::new(memory.bytes())).unwrap()
}

fn get(keys: &ZipKeys, key: &str) -> Vec<u8> {
    keys.get(key, GetRange::Whole).unwrap().unwrap()
}

#[test]
fn a_dataset_appears_when_it_is_published() {
    let (memory, out) = zip(None);
    out.put_last(".zgroup", b"meta").unwrap();
    out.put("v/0", b"chunk").unwrap();
    out.put("v/0", b"again").unwrap();
    out.put("v/β", b"").unwrap();
    let long = out.create("v/1").unwrap();
    long.write_at(4, b"4567").unwrap();
    long.write_at(0, b"0123").unwrap();
    long.set_size(8).unwrap();
    assert_eq!(out.staged("v/1").unwrap(), None);
    long.finish().unwrap();
    drop(out.create("never").unwrap());
    assert_eq!(out.staged("v/0").unwrap().unwrap(), b"again");
    assert_eq!(out.staged(".zgroup").unwrap().unwrap(), b"meta");
    assert_eq!(out.staged_keys("v/").unwrap(), ["v/0", "v/1", "v/β"]);
    assert!(!memory.committed());
    out.publish().unwrap();
    assert!(out.publish().unwrap_err().to_string().contains("twice"));
    assert!(out.put("late", b"").is_err());
    let keys = read(&memory);
    assert_eq!(keys.list("").unwrap(), [".zgroup", "v/0", "v/1", "v/β"]);
    assert_eq!(get(&keys, "v/0"), b"again");
    assert_eq!(get(&keys, "v/1"), b"01234567");
    assert_eq!(get(&keys, ".zgroup"), b"meta");
    let bytes = memory.bytes();
    let at = |text: &[u8]| bytes.windows(text.len()).position(|found| found == text).unwrap();
    assert!(at(b"meta") > at(b"01234567"), "metadata comes last");
}

#[test]
fn nothing_is_in_a_zip_of_nothing() {
    let (memory, out) = zip(None);
    out.publish().unwrap();
    assert_eq!(memory.bytes().len(), 22);
    assert_eq!(read(&memory).list("").unwrap(), [""; 0]);
}

#[test]
fn the_last_call_for_a_key_counts() {
    let (memory, out) = zip(None);
    out.put("a", b"1").unwrap();
    out.put_last("a", b"2").unwrap();
    out.put_last("b", b"1").unwrap();
    out.put("b", b"2").unwrap();
    out.put_last("c", b"1").unwrap();
    out.put_last("c", b"2").unwrap();
    let reserved = out.reserve("d".into(), 1).unwrap();
    out.put("d", b"2").unwrap();
    out.put_reserved(reserved, b"1").unwrap();
    out.publish().unwrap();
    let keys = read(&memory);
    for key in ["a", "b", "c", "d"] {
        assert_eq!(get(&keys, key), b"2", "{key}");
    }
    let names = memory.bytes();
    let central = names.windows(4).filter(|bytes| bytes == b"PK\x01\x02").count();
    assert_eq!(central, 4, "the directory names each key once");
}

#[test]
fn a_top_folder_comes_first_and_holds_all_keys() {
    let (memory, out) = zip(Some("dätä"));
    out.put_last(".zgroup", b"{}").unwrap();
    out.put("v/0", b"0").unwrap();
    assert_eq!(out.staged_keys("").unwrap(), [".zgroup", "v/0"]);
    out.publish().unwrap();
    assert_eq!(&memory.bytes()[30..37], "dätä/".as_bytes());
    let keys = read(&memory);
    assert_eq!(keys.top_folder(), Some("dätä"));
    let below = keys.below("dätä");
    assert_eq!(below.list("").unwrap(), [".zgroup", "v/0"]);
    assert_eq!(get(&below, "v/0"), b"0");
    for folder in ["a/b", "", "..", "a\\b", "/a"] {
        let output = Arc::new(MemoryOutput::new());
        assert!(ZipOutput::create(output, Some(folder)).is_err(), "{folder}");
    }
}

#[test]
fn keys_that_no_reader_would_take_are_refused() {
    let (_, out) = zip(None);
    for key in HOSTILE.into_iter().chain(["a\\b"]) {
        assert!(out.put(key, b"x").is_err(), "{key:?}");
        assert!(out.put_last(key, b"x").is_err(), "{key:?}");
        assert!(out.create(key).is_err(), "{key:?}");
        assert!(out.reserve(key.into(), 1).is_err(), "{key:?}");
        assert!(out.staged(key).is_err(), "{key:?}");
    }
}

#[test]
fn what_was_reserved_must_come_as_it_was_reserved() {
    let (memory, out) = zip(None);
    let reserved = out.reserve("a".into(), 3).unwrap();
    let key = |key: &str, place| ReservedKey {
        key: key.into(),
        size: 3,
        place,
    };
    assert!(out.put_reserved(key("b", 0), b"123").is_err());
    assert!(out.put_reserved(key("a", 1), b"123").is_err());
    assert!(out.put_reserved(key("a", u64::MAX), b"123").is_err());
    assert!(out.put_reserved(key("a", 0), b"1234").is_err());
    assert_eq!(out.staged("a").unwrap(), None);
    assert!(
        out.publish()
            .unwrap_err()
            .to_string()
            .contains("\"a\" was never written")
    );
    assert!(!memory.committed());
    out.put_reserved(reserved, b"123").unwrap();
    out.publish().unwrap();
    assert_eq!(get(&read(&memory), "a"), b"123");
}

/// The bytes of a zip that `threads` threads write, who take sequence numbers as they come.
fn written_by(threads: u64) -> Vec<u8> {
    let (memory, out) = zip(None);
    let window = ReorderWindow::new();
    let sequence = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let sequence = sequence.fetch_add(1, Ordering::Relaxed);
                    if sequence >= 300 {
                        return;
                    }
                    if sequence.is_multiple_of(7) {
                        std::thread::yield_now();
                        out.put_last(&format!("v{sequence}/.zarray"), b"{}").unwrap();
                    }
                    let value = vec![sequence as u8; (sequence as usize * 997) % 100_000];
                    let reserve = |(key, value): (String, Vec<u8>)| {
                        let reserved = out.reserve(key, value.len()).unwrap();
                        Ok((reserved, value))
                    };
                    let put = |(reserved, value): (ReservedKey, Vec<u8>)| {
                        out.put_reserved(reserved, &value).unwrap();
                        Ok(())
                    };
                    let piece = (format!("v/{}", 1000 - sequence), value);
                    window.submit(sequence, piece, reserve, put).unwrap();
                }
            });
        }
    });
    out.publish().unwrap();
    assert_eq!(read(&memory).list("v/").unwrap().len(), 300);
    memory.bytes()
}

#[test]
fn the_bytes_do_not_depend_on_threads() {
    let one = written_by(1);
    for threads in [2, 5] {
        assert!(written_by(threads) == one, "{threads} threads");
    }
}

#[test]
fn the_next_value_waits_for_the_size_of_one_that_grows() {
    let (memory, out) = zip(None);
    let value = out.create("long").unwrap();
    for refused in [
        out.put("a", b"x"),
        out.reserve("a".into(), 1).map(drop),
        out.create("a").map(drop),
    ] {
        assert!(refused.unwrap_err().to_string().contains("long"));
    }
    out.put_last("meta", b"m").unwrap();
    value.write_at(3, b"345").unwrap();
    value.set_size(6).unwrap();
    assert!(value.set_size(7).is_err());
    out.put("after", b"x").unwrap();
    assert!(value.write_at(2, b"23").is_err(), "bytes are written once");
    value.write_at(0, b"012").unwrap();
    assert!(out.publish().unwrap_err().to_string().contains("long"));
    value.finish().unwrap();
    out.publish().unwrap();
    let keys = read(&memory);
    assert_eq!(get(&keys, "long"), b"012345");
    assert_eq!(get(&keys, "after"), b"x");
    assert_eq!(get(&keys, "meta"), b"m");
}

#[test]
fn a_value_that_is_not_complete_is_refused() {
    let (_, out) = zip(None);
    out.put("a", b"x").unwrap();
    drop(out.create("dropped").unwrap());
    let value = out.create("unsized").unwrap();
    value.write_at(0, b"01").unwrap();
    assert!(value.finish().unwrap_err().to_string().contains("never set"));
    for (written, size) in [
        (&[(0, "01")][..], 3),
        (&[(1, "12")], 3),
        (&[(0, "0"), (2, "2")], 3),
        (&[(0, "0")], 0),
    ] {
        let (_, out) = zip(None);
        let value = out.create("v").unwrap();
        for (at, bytes) in written {
            value.write_at(*at, bytes.as_bytes()).unwrap();
        }
        value.set_size(size).unwrap();
        assert!(value.finish().unwrap_err().to_string().contains("as a whole"));
        assert!(out.publish().is_err());
    }
    out.publish().unwrap();
}

#[test]
fn more_entries_than_16_bits_count() {
    let (memory, out) = zip(None);
    for n in 0..65_535 + 3 {
        out.put(&format!("v/{n}"), &[n as u8]).unwrap();
    }
    out.publish().unwrap();
    let keys = read(&memory);
    assert_eq!(keys.list("v/").unwrap().len(), 65_538);
    assert_eq!(get(&keys, "v/65537"), [1]);
}

/// An output that forgets long pieces, which are zeros.
#[derive(Default)]
struct Sparse {
    pieces: Mutex<BTreeMap<u64, Vec<u8>>>,
    size: AtomicU64,
}

impl Output for Sparse {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if data.len() < 1 << 20 {
            self.pieces.lock().unwrap().insert(offset, data.to_vec());
        }
        Ok(())
    }
    fn set_size(&self, size: u64) -> io::Result<()> {
        self.size.store(size, Ordering::Relaxed);
        Ok(())
    }
    fn commit(&self) -> io::Result<()> {
        Ok(())
    }
}

impl Object for Sparse {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.size.load(Ordering::Relaxed)))
    }
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        buf.fill(0);
        for (at, piece) in self.pieces.lock().unwrap().iter() {
            for (n, byte) in piece.iter().enumerate() {
                let place = (at + n as u64).checked_sub(offset).map(|place| place as usize);
                if let Some(found) = place.and_then(|place| buf.get_mut(place)) {
                    *found = *byte;
                }
            }
        }
        Ok(())
    }
}

#[test]
fn entries_beyond_4_gib_are_in_zip64_form() {
    let sparse = Arc::new(Sparse::default());
    let out = ZipOutput::create(Arc::clone(&sparse) as Arc<dyn Output>, None).unwrap();
    let length = (4usize << 30) + 5;
    // Pages that are only read take no memory.
    out.put("long", &vec![0; length]).unwrap();
    out.put("after", b"value").unwrap();
    out.publish().unwrap();
    let keys = ZipKeys::open(sparse).unwrap();
    assert_eq!(keys.size("long").unwrap(), Some(length as u64));
    assert_eq!(get(&keys, "after"), b"value");
    assert_eq!(keys.get("long", GetRange::Suffix(3)).unwrap().unwrap(), [0; 3]);
    let range = ByteRange {
        offset: length as u64 - 9,
        length: 20,
    };
    assert_eq!(keys.get("long", GetRange::Range(range)).unwrap().unwrap(), [0; 9]);
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        values in proptest::collection::vec(("[a-cé.]{1,3}(/[a-c0]{1,3}){0,3}", proptest::collection::vec(any::<u8>(), 0..300), 0..4u8), 0..30),
        folder in proptest::option::of("[a-zä]{1,9}"),
    ) {
        let (memory, out) = zip(folder.as_deref());
        let mut expected = BTreeMap::new();
        for (key, value, how) in &values {
            if check_name(key).is_err() {
                continue;
            }
            match how {
                0 => out.put(key, value).unwrap(),
                1 => out.put_last(key, value).unwrap(),
                2 => {
                    let reserved = out.reserve(key.clone(), value.len()).unwrap();
                    out.put_reserved(reserved, value).unwrap();
                }
                _ => {
                    let long = out.create(key).unwrap();
                    let (a, b) = value.split_at(value.len() / 3);
                    let (b, c) = b.split_at(b.len() / 2);
                    let (to_b, to_c) = (a.len() as u64, (a.len() + b.len()) as u64);
                    for (at, part) in [(to_c, c), (0, a), (to_b, b)] {
                        long.write_at(at, part).unwrap();
                    }
                    long.set_size(value.len() as u64).unwrap();
                    long.finish().unwrap();
                }
            }
            expected.insert(key.clone(), value.clone());
        }
        let names: Vec<_> = expected.keys().cloned().collect();
        prop_assert_eq!(out.staged_keys("").unwrap(), names.clone());
        for (key, value) in &expected {
            prop_assert_eq!(&out.staged(key).unwrap().unwrap(), value);
        }
        out.publish().unwrap();
        let keys = read(&memory);
        let keys = match &folder {
            Some(folder) => keys.below(folder),
            None => keys,
        };
        prop_assert_eq!(keys.list("").unwrap(), names);
        for (key, value) in expected {
            prop_assert_eq!(keys.get(&key, GetRange::Whole).unwrap().unwrap(), value);
        }
    }
}
