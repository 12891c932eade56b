//! Files that grow: whatever is written last before a kill, the file is the old one or the new one.

use std::io;
use std::sync::{Arc, Mutex};

use ncutils_core::cdl::read::{CdlReader, PlanOptions, Text, declare, plan as plan_of_text};
use ncutils_core::copy::plan::{CopyOptions, added_records, join_source, plan_grown};
use ncutils_core::copy::{Readers, RunOptions, prepare, run};
use ncutils_core::filter::Registry;
use ncutils_core::format::{self, Growing, Reader, Region};
use ncutils_core::join::{Inputs, JoinRequest, Merged};
use ncutils_core::model::{Growth, Kind, VarId};
use ncutils_core::store::{MemoryOutput, Output};

/// Bytes at the beginning of a file that the last write may replace.
const SWITCH: u64 = 48;

#[derive(Debug, Clone)]
enum Event {
    Write(u64, Vec<u8>),
    Size(u64),
    Sync,
}

/// A file in memory that notes what is done to it.
struct Recorded(Mutex<Vec<Event>>);

impl Recorded {
    fn note(&self, event: Event) -> io::Result<()> {
        self.0.lock().unwrap().push(event);
        Ok(())
    }
}

impl Output for Recorded {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.note(Event::Write(offset, data.to_vec()))
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.note(Event::Size(size))
    }

    fn sync(&self) -> io::Result<()> {
        self.note(Event::Sync)
    }

    fn commit(&self) -> io::Result<()> {
        self.note(Event::Sync)
    }
}

/// The file after these events.
fn after(old: &[u8], events: &[Event]) -> Vec<u8> {
    let mut bytes = old.to_vec();
    for event in events {
        match event {
            Event::Write(at, data) => {
                let end = *at as usize + data.len();
                bytes.resize(bytes.len().max(end), 0);
                bytes[*at as usize..end].copy_from_slice(data);
            }
            Event::Size(size) => bytes.resize(*size as usize, 0),
            Event::Sync => {}
        }
    }
    bytes
}

/// A dataset of `count` cells from `first` on.
fn dataset(kind: Kind, first: i32, count: i32) -> Vec<u8> {
    let list = |values: Vec<i32>| values.iter().map(i32::to_string).collect::<Vec<_>>().join(", ");
    let times = list((first..first + count).collect());
    let values = list((first * 3..(first + count) * 3).collect());
    let chunks = match kind.can().chunks {
        true => "v:_ChunkSizes = 4, 2; v:_DeflateLevel = 1;",
        false => "",
    };
    let text = format!(
        "netcdf t {{ dimensions: time = unlimited; x = 3;
         variables: int time(time); short v(time, x); {chunks} byte odd(time); float fixed(x); :title = \"t\";
         data: time = {times}; v = {values}; odd = {times}; fixed = 1, 2, 3; }}"
    );
    let source = Text::new(Arc::new(text.into_bytes()), "t.cdl").unwrap();
    let reader = CdlReader::new(source.clone(), declare(&source).unwrap()).unwrap();
    let options = PlanOptions {
        kind,
        no_fill: false,
        header_only: false,
        string_length: None,
    };
    let plan = plan_of_text(&reader, reader.storages(), options, &Registry::builtin()).unwrap();
    let prepared = prepare(&reader, &plan).unwrap();
    let output = Arc::new(MemoryOutput::new());
    let writer = format::create(output.clone(), &plan.schema, &prepared.plans).unwrap();
    run(&reader, &prepared, writer, &RunOptions::default()).unwrap();
    output.bytes()
}

/// The values of all variables; `None` of what is no dataset.
fn values(bytes: Vec<u8>) -> Option<Vec<Vec<u8>>> {
    let reader = format::open(Arc::new(bytes), &Registry::builtin()).ok()?;
    let all = 0..reader.schema().vars.len();
    let read = |n| {
        let whole = Region::whole(&reader.layout(VarId(n)).extent);
        reader
            .read_region(VarId(n), &whole)
            .ok()
            .map(|values| values.bytes)
    };
    all.map(read).collect()
}

/// What is done to the file `old` to add the cells of `new`.
fn grown(old: &[u8], new: Vec<u8>) -> Vec<Event> {
    let registry = Registry::builtin();
    let files = [old.to_vec(), new];
    let of_inputs = registry.clone();
    let inputs = Inputs::new(vec!["old".into(), "new".into()], 2, move |n| {
        format::open(Arc::new(files[n].clone()), &of_inputs)
    });
    let request = JoinRequest {
        dim: "time".to_owned(),
        ..JoinRequest::default()
    };
    let all = |schema: &ncutils_core::model::Schema| Ok((0..schema.vars.len()).map(VarId).collect());
    let joined = Merged::new(inputs, &request, &registry, all).unwrap().growing();
    let kind = joined.schema().kind;
    let records = (kind.can().grows == Growth::Records).then(|| added_records(&joined, &registry).unwrap());
    let options = CopyOptions {
        kind: Some(kind),
        ..CopyOptions::default()
    };
    let plan = plan_grown(&joined, records.as_ref(), &options).unwrap();
    let source = join_source(&joined, records.as_ref());
    let readers = Readers::new(&source, joined.pool());
    let prepared = prepare(readers, &plan).unwrap();
    let output = Arc::new(Recorded(Mutex::default()));
    let growing = Growing::File {
        old: Arc::new(old.to_vec()),
        output: output.clone(),
    };
    let writer = format::grow(growing, &plan.schema, &prepared.plans, &registry).unwrap();
    run(readers, &prepared, writer, &RunOptions::default()).unwrap();
    std::mem::take(&mut output.0.lock().unwrap())
}

#[test]
fn a_file_is_the_old_one_until_the_last_write() {
    for kind in [
        Kind::Netcdf4,
        Kind::Netcdf4Classic,
        Kind::Classic,
        Kind::Offset64,
        Kind::Data64,
    ] {
        for (before, more) in [(10, 7), (8, 1), (1, 30), (0, 3)] {
            let old = dataset(kind, 0, before);
            let (of_old, of_new) = (values(old.clone()), values(dataset(kind, 0, before + more)));
            assert!(of_old.is_some() && of_new.is_some());
            let events = grown(&old, dataset(kind, before, more));
            let synced = events
                .iter()
                .position(|event| matches!(event, Event::Sync))
                .unwrap();
            for (n, event) in events.iter().enumerate() {
                if let Event::Write(at, data) = event {
                    let is_switch = n == synced + 1 && at + data.len() as u64 <= SWITCH;
                    assert!(
                        is_switch || n < synced && *at >= old.len() as u64,
                        "{kind:?}: {n} at {at}"
                    );
                }
                assert_eq!(
                    values(after(&old, &events[..n])),
                    if n < synced + 2 {
                        of_old.clone()
                    } else {
                        of_new.clone()
                    }
                );
            }
            assert_eq!(values(after(&old, &events)), of_new, "{kind:?} {before} {more}");
            // Writes that are not durable yet may be lost, each for itself.
            for kept in 0..2 {
                let some: Vec<Event> = events[..synced].iter().skip(kept).step_by(2).cloned().collect();
                assert_eq!(values(after(&old, &some)), of_old);
            }
        }
    }
}
