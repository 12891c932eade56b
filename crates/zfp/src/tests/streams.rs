//! Streams of the C library, which testdata/filters/make_zfp_streams.py makes of the same arrays. Only hashes are stored.

use super::*;

/// Numbers without order: splitmix64 of the index.
fn mixed(index: u64) -> u64 {
    let z = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A number of the field `name`.
fn number(name: &str, scalar: Scalar, sizes: &[u64], index: u64) -> Vec<u8> {
    let bits = 8 * scalar.size() as u32;
    let is_integer = matches!(scalar, Scalar::Int32 | Scalar::Int64);
    let mix = mixed(index);
    let signed = mix as i64;
    let integer = |value: i64| value.to_le_bytes()[..scalar.size()].to_vec();
    let float = |value: f64| match scalar {
        Scalar::Float => (value as f32).to_le_bytes().to_vec(),
        _ => value.to_le_bytes().to_vec(),
    };
    if name == "sparse" && index / 24 % 3 != 1 {
        return vec![0; scalar.size()];
    }
    match name {
        "smooth" => {
            let mut left = index;
            let mut next = |dimension| {
                let size = sizes.get(dimension).copied().unwrap_or(1);
                let at = left % size;
                left /= size;
                at as i64
            };
            let [x, y, z, w] = [next(0), next(1), next(2), next(3)];
            let curve = 3 * x * x - 5 * x * y + 7 * y * z - 2 * z * w + 11 * w * w - 40;
            let value = 1000 * curve + (signed & 15);
            match is_integer {
                true => integer(value << (bits - 30)),
                false => float(value as f64 / 1024.0),
            }
        }
        _ if is_integer => {
            let narrow = match name {
                "wild" => 0,
                "sparse" => 9,
                "tiny" => bits - 3,
                _ => 2,
            };
            integer(signed >> (64 - bits + narrow))
        }
        "noise" | "sparse" => {
            let digits = if scalar == Scalar::Float { 23 } else { 52 };
            float((signed >> (64 - digits)) as f64 * (-(signed & 31) as f64).exp2())
        }
        _ => {
            let (set, free) = match name {
                "tiny" => (0, 0x1f),
                "huge" => (0x7c, 3),
                _ => (0, 0xff),
            };
            let shift = bits - 9;
            let raw = mix >> (64 - bits) & !((0xff & !free) << shift) | set << (shift + 1);
            raw.to_le_bytes()[..scalar.size()].to_vec()
        }
    }
}

/// FNV-1a of 64 bits.
fn hashed(data: &[u8]) -> String {
    let hash = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", data.iter().fold(0xcbf2_9ce4_8422_2325, hash))
}

#[test]
fn streams_of_the_c_library() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/filters/zfp_streams.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [_, shape, name, words, length, stream, array] = fields[..] else {
            panic!("{line}");
        };
        let words = words
            .split(',')
            .map(|word| u32::from_str_radix(word, 16).unwrap());
        let header = Header::parse(&words.collect::<Vec<_>>()).unwrap();
        let sizes: Vec<u64> = shape.rsplit(',').map(|size| size.parse().unwrap()).collect();
        let count = sizes.iter().product();
        let numbers = |index| number(name, header.scalar(), &sizes, index);
        let data: Vec<u8> = (0..count).flat_map(numbers).collect();
        let stored = compressed(&header, &data);
        let is_same = stored.len().to_string() == length && hashed(&stored) == stream;
        let back = decompressed(&header, &stored, data.len()).unwrap();
        if !is_same || hashed(&back) != array {
            wrong.push(format!("{line}: {} bytes, {is_same}", stored.len()));
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    assert!(text.lines().count() > 500);
}
