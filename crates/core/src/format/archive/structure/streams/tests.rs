use super::*;

fn stream(begin: u64, slab: u64, stride: u64, count: u64) -> Stream {
    Stream {
        begin,
        slab,
        stride,
        count,
        block: 16,
        element: 1,
        filters: Filters::default(),
    }
}

/// Every byte of the original is in one place of one stream, and the stream's place leads back to it.
fn check(streams: &Streams) {
    let mut at = streams.header;
    let mut seen = vec![0; streams.list.len()];
    while at < streams.original {
        let segment = streams.locate(at, u64::MAX).unwrap();
        assert!(segment.length > 0 && segment.at == at);
        assert_eq!(segment.linear, seen[segment.stream], "{segment:?}");
        let (back, length) = streams.place(segment.stream, segment.linear, u64::MAX).unwrap();
        assert_eq!((back, length), (at, segment.length), "{segment:?}");
        seen[segment.stream] += segment.length;
        at += segment.length;
    }
    let lengths: Vec<_> = streams.list.iter().map(Stream::length).collect();
    assert_eq!(seen, lengths);
    for (n, length) in lengths.iter().enumerate() {
        assert_eq!(streams.place(n, *length, 1), None);
    }
    let again = Streams::decode(streams.header, streams.original, &streams.encode()).unwrap();
    assert_eq!(again.list, streams.list);
}

#[test]
fn every_byte_has_one_place() {
    for list in [
        vec![],
        vec![stream(12, 5, 5, 1)],
        vec![
            stream(40, 6, 20, 3),
            stream(12, 20, 20, 1),
            stream(48, 2, 20, 3),
            stream(0, 0, 0, 0),
        ],
        vec![stream(30, 6, 6, 3), stream(60, 9, 9, 1)],
        vec![stream(41, 3, 20, 3), stream(50, 9, 20, 3), stream(10, 3, 3, 1)],
    ] {
        for original in [101, 120] {
            let list = list.iter().cloned().chain([stream(0, 0, 0, 0)]).collect();
            check(&Streams::new(10, original, list, true).unwrap());
        }
    }
    check(&Streams::new(10, 10, vec![stream(0, 0, 0, 0)], true).unwrap());
}

#[test]
fn impossible_streams_are_refused() {
    for list in [
        vec![stream(5, 5, 5, 1)],
        vec![stream(96, 6, 6, 1)],
        vec![stream(20, 6, 6, 1), stream(25, 6, 6, 1)],
        vec![stream(20, 6, 4, 3)],
        vec![stream(20, 6, 20, 3), stream(24, 6, 20, 3)],
        vec![stream(20, 6, 20, 3), stream(30, 6, 21, 3)],
        vec![stream(20, 6, 20, 3), stream(30, 6, 6, 1)],
        vec![stream(20, u64::MAX, 20, 3)],
        vec![stream(20, 1, u64::MAX, u64::MAX)],
        vec![stream(20, 0, 0, 1)],
    ] {
        let list = list.into_iter().chain([stream(0, 0, 0, 0)]).collect();
        assert!(Streams::new(10, 100, list, true).is_err());
    }
    assert!(Streams::new(10, 100, vec![stream(0, 80, 80, 1)], false).is_err());
    assert!(Streams::new(10, 100, Vec::new(), false).is_err());
}
