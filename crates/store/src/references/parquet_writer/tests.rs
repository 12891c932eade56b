use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use super::*;
use crate::references::parquet::read_rows;
use crate::{GetRange, MemoryKeys};

fn stored(offset: u64) -> Reference {
    stored_in("/d/a.nc", offset)
}

fn stored_in(object: &str, offset: u64) -> Reference {
    Reference::Stored(StoredRange {
        object: object.into(),
        range: Some((offset, 8)),
        version: None,
    })
}

fn array(path: &str, counts: &[u64]) -> ReferencedArray {
    ReferencedArray {
        shape: Vec::new(),
        dimensions: Vec::new(),
        path: path.to_owned(),
        counts: counts.to_vec(),
        fill: Box::new(|| Ok(vec![7; 3])),
    }
}

/// Keys whose first put waits until it is told to go on.
struct Waiting {
    keys: Arc<dyn KeyOutput>,
    begun: Sender<()>,
    go_on: Mutex<Receiver<()>>,
}

impl KeyOutput for Waiting {
    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        let _ = self.begun.send(());
        let waits = self.go_on.lock().unwrap();
        waits
            .recv_timeout(Duration::from_secs(20))
            .map_err(io::Error::other)?;
        self.keys.put(key, value)
    }
    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.keys.put_last(key, value)
    }
    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>> {
        self.keys.create(key)
    }
    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        self.keys.staged(key)
    }
    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.keys.staged_keys(prefix)
    }
    fn publish(&self) -> io::Result<()> {
        self.keys.publish()
    }
}

#[test]
fn rows_are_added_while_a_file_is_written() {
    let keys = MemoryKeys::new();
    let (begun, has_begun) = mpsc::channel();
    let (tell, told) = mpsc::channel();
    let output = ParquetReferenceOutput::new(Arc::new(Waiting {
        keys: Arc::new(keys.output()),
        begun,
        go_on: Mutex::new(told),
    }));
    output.begin_arrays(vec![array("v", &[2, 10_000])]).unwrap();
    output.put("v/0.1", b"inline").unwrap();
    output.put("v/1.1", b"later").unwrap();
    thread::scope(|scope| {
        // The first file is complete, and is written by this thread.
        let first = scope.spawn(|| output.put_reference("v/1.0", &stored(1)));
        has_begun.recv_timeout(Duration::from_secs(20)).unwrap();
        output.put_reference("v/1.2", &stored(2)).unwrap();
        output.put("v/1.3", b"last").unwrap();
        tell.send(()).unwrap();
        first.join().unwrap().unwrap();
    });
    tell.send(()).unwrap();
    output.publish().unwrap();
    assert_eq!(keys.list("v/").unwrap(), ["v/refs.0.parq", "v/refs.1.parq"]);
}

#[test]
fn all_files_of_an_array_are_written() {
    let keys = MemoryKeys::new();
    let output = ParquetReferenceOutput::new(Arc::new(keys.output()));
    output.put_last("v/.zarray", b"{}").unwrap();
    output
        .begin_arrays(vec![
            array("v", &[3, 10_000]),
            array("w", &[]),
            array("x", &[2]),
            array("y", &[u64::MAX]),
        ])
        .unwrap();
    // Values come first, and places in the order of chunks.
    output.put("v/2.5", b"inline").unwrap();
    output.put_reference("v/0.3", &stored(5)).unwrap();
    output.put_reference("v/2.9999", &stored(9)).unwrap();
    output.put_reference("w/0", &stored(1)).unwrap();
    assert!(output.put_reference("v/3.0", &stored(1)).is_err());
    assert!(output.put_reference("z/0", &stored(1)).is_err());
    output.publish().unwrap();
    assert_eq!(
        keys.list("").unwrap(),
        [
            ".zmetadata",
            "v/refs.0.parq",
            "v/refs.1.parq",
            "v/refs.2.parq",
            "w/refs.0.parq",
            "x/refs.0.parq"
        ]
    );
}

#[test]
fn few_objects_and_many_are_read_as_written() {
    for objects in [1, 2, 3, 256, 257, 1000] {
        let keys = MemoryKeys::new();
        let output = ParquetReferenceOutput::new(Arc::new(keys.output()));
        output.begin_arrays(vec![array("v", &[1003])]).unwrap();
        output.put("v/1001", b"inline").unwrap();
        let reference = |n: u64| stored_in(&format!("/d/{}.nc", n / 2 % objects), n);
        let all = (0..1003).filter(|n| ![7, 8, 1001].contains(n));
        for n in all.clone() {
            output.put_reference(&format!("v/{n}"), &reference(n)).unwrap();
        }
        // The last one counts.
        output.put_reference("v/5", &stored(50)).unwrap();
        output.publish().unwrap();
        let file = keys.get("v/refs.0.parq", GetRange::Whole).unwrap().unwrap();
        let rows = read_rows(&file, 1003).unwrap();
        assert_eq!(rows.len(), 1003);
        assert!(
            all.filter(|n| *n != 5)
                .all(|n| rows.get(n as usize) == Some(reference(n)))
        );
        assert_eq!(rows.get(5), Some(stored(50)));
        assert_eq!((rows.get(7), rows.get(8)), (None, None));
        assert_eq!(rows.get(1001), Some(Reference::Inline(b"inline".to_vec())));
    }
}
