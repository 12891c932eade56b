use std::sync::mpsc;

use super::*;
use crate::integrity::check::Loss;
use crate::integrity::in_keys::{Array, BYTES, STRINGS, Slow, keys, open_keys, strings};

fn lost(var: usize, chunk: u64) -> Checked {
    Checked {
        losses: vec![Loss {
            var: VarId(var),
            part: Lost::Chunk(chunk),
            only_checksum: false,
            is_unchecked: false,
        }],
        ..Checked::default()
    }
}

fn fetched(reader: &dyn Reader, var: VarId, chunks: &[u64]) -> Vec<Option<Vec<u8>>> {
    let (tell, told) = mpsc::channel();
    reader.fetch_chunks(
        var,
        chunks.to_vec(),
        Box::new(move |found| tell.send(found).unwrap()),
    );
    let found = told.recv().unwrap().unwrap();
    found
        .into_iter()
        .map(|chunk| chunk.map(|data| data.bytes))
        .collect()
}

#[test]
fn what_is_left_is_asked_for_at_once() {
    let stored = [("0", vec![1, 2]), ("1", vec![3, 4]), ("2", vec![5, 6])];
    let array = |name| Array {
        name,
        shape: &[6],
        chunks: &[2],
        members: BYTES,
        stored: &stored,
    };
    let slow = Slow::default();
    let reader = open_keys(slow.over(keys(&[array("a"), array("b")])));
    let salvage = Salvage::new(&*reader, &lost(1, 1), false);
    let (one, three) = (Some(vec![1, 2]), Some(vec![5, 6]));
    let whole = [one.clone(), Some(vec![3, 4]), three.clone()];
    assert_eq!(fetched(&salvage, VarId(0), &[0, 1, 2]), whole);
    assert_eq!(slow.asked(), [3]);
    assert_eq!(fetched(&salvage, VarId(1), &[0, 1, 2]), [one, None, three]);
    assert_eq!(slow.asked(), [2]);
}

#[test]
fn chunks_that_are_lost_are_not_read_for_each_element() {
    let text = |part: &[&str]| strings(part);
    let array = Array {
        name: "s",
        shape: &[6, 2],
        chunks: &[2, 2],
        members: STRINGS,
        stored: &[
            ("0.0", text(&["a", "b", "c", "d"])),
            ("1.0", vec![255; 9]),
            ("2.0", text(&["i", "j", "k", "l"])),
        ],
    };
    let slow = Slow::default();
    let reader = open_keys(slow.over(keys(&[array])));
    let salvage = Salvage::new(&*reader, &lost(0, 1), false);
    let read = |start: u64, count: u64| -> String {
        let region = Region {
            start: vec![start, 0],
            count: vec![count, 2],
        };
        let values = salvage.read_region(VarId(0), &region).unwrap();
        let slots = values.bytes.chunks_exact(16).map(crate::model::Slot::read);
        let texts = slots.map(|slot| match values.slot_content(slot, 1) {
            Some(text) if !text.is_empty() => String::from_utf8(text.to_vec()).unwrap(),
            _ => "-".to_owned(),
        });
        texts.collect()
    };
    let asked = || slow.asked().into_iter().sum::<usize>();
    assert_eq!((read(0, 6), asked()), ("abcd----ijkl".to_owned(), 2));
    assert_eq!((read(1, 4), asked()), ("cd----ij".to_owned(), 2));
    assert_eq!((read(2, 2), asked()), ("----".to_owned(), 0));
}
