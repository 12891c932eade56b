//! Tests of reading zip files, made by Python's zipfile (`testdata/zip/make.py`).

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::*;
use crate::ByteRange;
use crate::keys::key::{HOSTILE, part_of};

fn values() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        (".zgroup", br#"{"zarr_format": 2}"#.to_vec()),
        ("empty", Vec::new()),
        ("v/.zarray", br#"{"shape": [1000]}"#.to_vec()),
        ("v/0", (0..1000u32).map(|n| (n * n % 251) as u8).collect()),
        ("v/1", vec![0; 1000]),
        ("ä/β", "grüße".into()),
    ]
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/zip");
    std::fs::read(folder.join(name)).unwrap()
}

fn open(name: &str) -> Result<ZipKeys> {
    ZipKeys::open(Arc::new(fixture(name)))
}

fn fetched(keys: &Arc<ZipKeys>, gets: Vec<Get>) -> io::Result<Vec<Option<Vec<u8>>>> {
    let (tell, told) = mpsc::channel();
    Arc::clone(keys).fetch(gets, Box::new(move |all| tell.send(all).unwrap()));
    told.recv().unwrap()
}

fn parts() -> Vec<GetRange> {
    let range = |offset, length| GetRange::Range(ByteRange { offset, length });
    vec![
        GetRange::Whole,
        range(0, 10),
        range(990, 10),
        range(7, 2000),
        range(1000, 1),
        range(u64::MAX, usize::MAX),
        GetRange::Suffix(0),
        GetRange::Suffix(16),
        GetRange::Suffix(usize::MAX),
    ]
}

/// Reads all parts of all values, first by single requests and then together, or the other way round.
fn check(keys: ZipKeys, together_first: bool) {
    let keys = Arc::new(keys);
    let names: Vec<_> = values().into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys.list("").unwrap(), names);
    assert_eq!(keys.list("v/").unwrap(), ["v/.zarray", "v/0", "v/1"]);
    assert_eq!(keys.list("v").unwrap().len(), 3);
    assert_eq!(keys.list("v/1").unwrap(), ["v/1"]);
    assert_eq!(keys.list("z").unwrap(), [""; 0]);
    assert_eq!(keys.list_children("").unwrap(), [".zgroup", "empty", "v/", "ä/"]);
    assert_eq!(keys.list_children("v/").unwrap(), [".zarray", "0", "1"]);
    assert_eq!(keys.below("v").list_children("").unwrap(), [".zarray", "0", "1"]);
    assert_eq!(keys.list_children("v/0/").unwrap(), [""; 0]);
    for together in [together_first, !together_first] {
        for part in parts() {
            if together {
                let mut gets: Vec<Get> = names
                    .iter()
                    .map(|key| Get {
                        key: (*key).into(),
                        part,
                    })
                    .collect();
                gets.insert(
                    1,
                    Get {
                        key: "v/none".into(),
                        part,
                    },
                );
                let mut found = fetched(&keys, gets).unwrap();
                assert_eq!(found.remove(1), None);
                for ((key, value), found) in values().iter().zip(found) {
                    assert_eq!(found.unwrap(), part_of(value, part), "{key} {part:?}");
                }
            } else {
                for (key, value) in values() {
                    let found = keys.get(key, part).unwrap().unwrap();
                    assert_eq!(found, part_of(&value, part), "{key} {part:?}");
                    assert_eq!(keys.size(key).unwrap(), Some(value.len() as u64));
                }
            }
        }
    }
    for absent in ["v", "v/0/0", "none"] {
        assert_eq!(keys.get(absent, GetRange::Whole).unwrap(), None, "{absent}");
        assert_eq!(keys.size(absent).unwrap(), None);
    }
    for key in HOSTILE {
        assert!(keys.get(key, GetRange::Whole).is_err(), "{key:?}");
    }
}

#[test]
fn all_forms_of_zips_hold_the_same_keys() {
    for name in [
        "stored.zip",
        "deflated.zip",
        "zip64.zip",
        "comment.zip",
        "duplicates.zip",
        "hostile-names.zip",
        "streamed.zip",
    ] {
        for together_first in [false, true] {
            let keys = open(name).unwrap();
            assert_eq!(keys.top_folder(), None, "{name}");
            check(keys, together_first);
        }
    }
}

#[test]
fn keys_below_a_top_folder_are_named_without_it() {
    let keys = open("top-folder.zip").unwrap();
    assert_eq!(keys.top_folder(), Some("data"));
    assert_eq!(keys.list("").unwrap()[1], "data/empty");
    let below = keys.below("data");
    assert_eq!(below.top_folder(), None);
    assert_eq!(below.below("v").list("").unwrap(), [".zarray", "0", "1"]);
    check(below, true);
    check(keys.below("data/"), false);
    for nothing in ["dat", "", "x", "../data", "data/v/0"] {
        assert_eq!(keys.below(nothing).list("").unwrap(), [""; 0], "{nothing}");
        assert_eq!(keys.below(nothing).top_folder(), None);
    }
}

#[test]
fn damaged_zips_are_refused() {
    for (name, why) in [
        ("damaged-disks.zip", "several disks"),
        ("damaged-count.zip", "has 6 entries, not 7"),
        ("damaged-directory.zip", "reaches past"),
        ("damaged-cut.zip", "without an end record"),
    ] {
        let error = open(name).err().unwrap().to_string();
        assert!(error.contains(why), "{name}: {error}");
    }
    for bytes in [&b""[..], b"PK\x05\x06", &[0; 100]] {
        assert!(ZipKeys::open(Arc::new(bytes.to_vec())).is_err());
    }
    let bytes = fixture("stored.zip");
    for end in 0..bytes.len() {
        assert!(ZipKeys::open(Arc::new(bytes[..end].to_vec())).is_err(), "{end}");
    }
}

#[test]
fn entries_that_lie_fail_and_the_others_are_read() {
    for (name, bad, why) in [
        ("damaged-method.zip", "v/0", "\"v/0\" is compressed by method 12"),
        ("damaged-encrypted.zip", "v/0", "\"v/0\" is encrypted"),
        ("damaged-longer.zip", "v/1", "does not inflate to its size"),
        ("damaged-shorter.zip", "v/1", "does not inflate to its size"),
        ("damaged-bomb.zip", "v/1", "a size that its data cannot have"),
        ("damaged-checksum.zip", "v/1", "wrong checksum"),
        ("damaged-overlap.zip", "v/0", "overlaps what comes after it"),
        ("damaged-other-entry.zip", "v/0", "local header of another entry"),
    ] {
        let keys = Arc::new(open(name).unwrap());
        for (n, (key, value)) in values().into_iter().enumerate() {
            let found = keys.get(key, GetRange::Whole);
            if key == bad {
                let error = found.unwrap_err().to_string();
                assert!(error.contains(why), "{name}: {error}");
                let gets = values().into_iter().map(|(key, _)| Get::whole(key)).collect();
                let error = fetched(&keys, gets).unwrap_err();
                assert!(error.to_string().contains(why), "{name}: {error}");
                assert_eq!(FailedRequest::split(error).0, Some(n));
                assert!(why.contains("checksum") == keys.get(key, GetRange::Suffix(9)).is_ok());
            } else {
                assert_eq!(found.unwrap().unwrap(), value, "{name} {key}");
            }
        }
    }
}

/// An object whose requests are slow, which counts them.
struct Slow {
    bytes: Vec<u8>,
    size: Option<u64>,
    reads: AtomicUsize,
    fetches: Mutex<Vec<usize>>,
}

impl Object for Slow {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(self.size)
    }
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.bytes.read_exact_at(offset, buf)
    }
    fn requests(&self) -> Requests {
        Requests::slow(20, 4)
    }
    fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
        self.fetches.lock().unwrap().push(ranges.len());
        Arc::new(self.bytes.clone()).fetch(ranges, done);
    }
}

fn slow(name: &str) -> Arc<Slow> {
    let bytes = fixture(name);
    Arc::new(Slow {
        size: Some(bytes.len() as u64),
        bytes,
        reads: AtomicUsize::new(0),
        fetches: Mutex::default(),
    })
}

#[test]
fn slow_objects_get_few_requests_and_many_at_once() {
    for name in ["stored.zip", "deflated.zip", "zip64.zip", "streamed.zip"] {
        let object = slow(name);
        let keys = ZipKeys::open(Arc::clone(&object) as Arc<dyn Object>).unwrap();
        assert!(KeyStore::requests(&keys).ahead);
        // The last bytes, and the directory.
        assert_eq!(object.reads.swap(0, Ordering::Relaxed), 2);
        for _ in 0..2 {
            keys.get("v/0", GetRange::Whole).unwrap();
            assert_eq!(object.reads.swap(0, Ordering::Relaxed), 1, "{name}");
        }
        let keys = Arc::new(keys);
        let gets = |part| -> Vec<Get> {
            let all = values().into_iter();
            all.map(|(key, _)| Get {
                key: key.into(),
                part,
            })
            .collect()
        };
        fetched(&keys, gets(GetRange::Whole)).unwrap();
        assert_eq!(*object.fetches.lock().unwrap(), [6], "{name}");
        let new = Arc::new(ZipKeys::open(Arc::clone(&object) as Arc<dyn Object>).unwrap());
        object.fetches.lock().unwrap().clear();
        fetched(&new, gets(GetRange::Suffix(4))).unwrap();
        fetched(&new, gets(GetRange::Suffix(4))).unwrap();
        let fetches = object.fetches.lock().unwrap().clone();
        // The two values that are stored need their headers first. What is deflated comes with its header.
        assert!(fetches.len() <= 3, "{name}: {fetches:?}");
    }
}

#[test]
fn an_object_without_a_size_is_refused() {
    let object = Arc::new(Slow {
        size: None,
        ..Arc::into_inner(slow("stored.zip")).unwrap()
    });
    let error = ZipKeys::open(object).err().unwrap().to_string();
    assert!(error.contains("does not tell its size"), "{error}");
}

#[test]
fn threads_read_at_once() {
    let keys = open("deflated.zip").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for (key, value) in values().into_iter().cycle().take(200) {
                    assert_eq!(keys.get(key, GetRange::Whole).unwrap().unwrap(), value);
                }
            });
        }
    });
}
