use super::*;

fn header(entry: &StoredEntry) -> (CentralHeader, Vec<u8>) {
    let mut bytes = Vec::new();
    entry.central(&mut bytes);
    let mut header = CentralHeader::parse(&bytes).unwrap();
    assert_eq!(header.length(), bytes.len());
    let extra = CENTRAL + entry.name.len();
    assert!(header.complete(&bytes[extra..]));
    (header, bytes)
}

#[test]
fn numbers_that_do_not_fit_are_in_the_extra_field() {
    let ones = u64::from(u32::MAX);
    for (size, offset, extra) in [
        (0, 0, 0),
        (ones - 1, ones - 1, 0),
        (ones, 7, 20),
        (7, ones, 12),
        (1 << 40, 1 << 41, 28),
    ] {
        let entry = StoredEntry {
            name: "ä/0",
            crc: 0x0102_0304,
            size,
            long: false,
            offset,
        };
        let (found, bytes) = header(&entry);
        assert_eq!((found.size, found.compressed, found.offset), (size, size, offset));
        assert_eq!((found.extra, found.flags, found.crc), (extra, UTF8, entry.crc));
        assert!(!(20..extra).any(|cut| {
            let mut found = CentralHeader::parse(&bytes).unwrap();
            let at = CENTRAL + entry.name.len();
            found.complete(&bytes[at..at + usize::from(cut)]) && found.extra == 28 && found.offset == offset
        }));
        let mut local = Vec::new();
        entry.local(&mut local);
        let found = LocalHeader::parse(&local).unwrap();
        assert_eq!(found.length(), local.len());
        assert_eq!(StoredEntry::local_length(entry.name.len(), size), local.len());
    }
}

#[test]
fn a_header_whose_room_was_taken_before_has_both_sizes() {
    let entry = StoredEntry {
        name: "v/c/0",
        crc: 7,
        size: 9,
        long: true,
        offset: 3,
    };
    let mut local = Vec::new();
    entry.local(&mut local);
    assert_eq!(StoredEntry::local_length(entry.name.len(), u64::MAX), local.len());
    assert_eq!(LocalHeader::parse(&local).unwrap().length(), local.len());
    assert_eq!(local[18..26], [0xff; 8]);
    let sizes = [[9, 0, 0, 0, 0, 0, 0, 0]; 2].concat();
    assert!(local.ends_with(&sizes));
    let (found, _) = header(&entry);
    assert_eq!(
        (found.size, found.extra),
        (9, 0),
        "the directory has the short form"
    );
}

#[test]
fn other_extra_fields_are_passed_over() {
    let mut header = CentralHeader::parse(&{
        let mut bytes = Vec::new();
        StoredEntry {
            name: "",
            crc: 0,
            size: u64::MAX,
            long: false,
            offset: 3,
        }
        .central(&mut bytes);
        bytes
    })
    .unwrap();
    let extra = [&[9, 9, 2, 0, 1, 2, 1, 0, 16, 0][..], &[5; 16]].concat();
    assert!(!header.clone().complete(&[1, 0, 8, 0, 1, 1, 1, 1, 1, 1, 1, 1]));
    assert!(header.complete(&extra));
    assert_eq!(header.size, 0x0505_0505_0505_0505);
    // Such fields are damaged, and nobody needs them.
    for damaged in [&[1][..], &[1, 0, 9, 0, 1], &[9, 9, 255, 255]] {
        assert!(header.clone().complete(damaged));
    }
}

#[test]
fn the_end_is_found_before_a_comment_that_looks_like_one() {
    let end = |entries, size, offset| End {
        disks: [0; 2],
        entries: [entries; 2],
        size,
        offset,
    };
    let small = end(3, 4, 5);
    let mut bytes = [&[0; 9][..], &small.bytes()].concat();
    assert_eq!(End::find(&bytes), Some((9, small)));
    bytes[9 + 20] = 30;
    bytes.extend([&small.bytes()[..], &[0; 8]].concat());
    assert_eq!(End::find(&bytes), Some((9, small)));
    assert!(!small.overflows());
    bytes.push(0);
    assert_eq!(End::find(&bytes), None);
    for large in [end(65535, 1, 1), end(1, u32::MAX.into(), 0), end(9, 9, 1 << 40)] {
        let bytes = large.bytes();
        assert_eq!(End::parse64(&bytes), Some(large));
        assert_eq!(
            parse_locator(&bytes[END64..]),
            Some((large.size + large.offset, 1))
        );
        let (at, end) = End::find(&bytes).unwrap();
        assert_eq!(at, END64 + LOCATOR);
        assert!(end.overflows());
    }
    assert_eq!(end(65534, 1, 1).bytes().len(), END);
}
