//! The parameters of zfp: what a user gives, and the words stored.

use ncutils_zfp::{Header, MAX_DIMENSIONS, MAX_PRECISION, Mode, Scalar};

use crate::{ChunkType, Member, NumberClass, Outcome};
use ncutils_model::{Configuration, Encoding, Endian};

/// The first stored word, as the plugin 1.1.1 with zfp 1.0.1 stores it: version of zfp in 16 bits, of its codec in 4, of
/// the plugin in 12.
const VERSION: u32 = 0x1010_5111;

/// Maximum number of parameters that a user gives, and of stored words.
const MOST: usize = 6;

/// Highest number of bits for each number: those of the longest type.
pub const MAX_RATE: f64 = 64.0;

/// What a user is told about wrong parameters.
const TAKES: &str = "takes a mode and its values: 1,0 and bits for each number, above 0 to 64, as a double \
    (1,0,8.0d); 2,0 and bit planes, 1 to 64 (2,0,16); 3,0 and the largest error of floats, as a double (3,0,0.001d); 4,0, least \
    bits and most bits of a block, bit planes, and lowest exponent (4,0,1,16658,64,-1074); or 5 to lose nothing";

/// Names for the parameters of each mode.
pub const MEMBERS: &[Member] = &[
    Member::new("rate", "bits for each number, above 0 to 64"),
    Member::new("precision", "bit planes, 1 to 64"),
    Member::new("accuracy", "largest error of floats"),
    Member::new("reversible", "true"),
    Member::new("minbits", "1 to maxbits, with the three after it"),
    Member::new("maxbits", "to 32768"),
    Member::new("maxprec", "1 to 64"),
    Member::new("minexp", "lowest exponent"),
];

/// Why names of several modes, or not all of one, are refused.
pub const ONE_MODE: &str = "takes one of rate, precision, accuracy and reversible=true, or minbits, maxbits, maxprec and \
    minexp together";

/// The parameters that a user gives, made of named ones; `None` if they are not those of one mode.
pub fn visible(members: &Configuration) -> Option<Vec<u32>> {
    let number = |name: &str| u32::try_from(members.get(name)?.as_u64()?).ok();
    let double = |mode: u32, name: &str| {
        let bits = members.get(name)?.as_f64()?.to_bits();
        Some(vec![mode, 0, bits as u32, (bits >> 32) as u32])
    };
    match members.len() {
        1 if members.contains_key("rate") => double(1, "rate"),
        1 if members.contains_key("precision") => Some(vec![2, 0, number("precision")?]),
        1 if members.contains_key("accuracy") => double(3, "accuracy"),
        1 if members.get("reversible")?.as_bool()? => Some(vec![5]),
        4 => {
            let exponent = i32::try_from(members.get("minexp")?.as_i64()?).ok()?;
            Some(vec![
                4,
                0,
                number("minbits")?,
                number("maxbits")?,
                number("maxprec")?,
                exponent as u32,
            ])
        }
        _ => None,
    }
}

/// A double in two parameters, low word first.
fn double(low: u32, high: u32) -> f64 {
    f64::from_bits(u64::from(high) << 32 | u64::from(low))
}

/// The mode that a user gives. The parameter after the number of the mode is not used. The list may be filled up with
/// zeros, as programs that always give six parameters do.
fn mode(visible: &[u32], scalar: Scalar, dimensions: usize) -> Option<Mode> {
    let values = |count: usize| {
        let (used, rest) = visible.split_at_checked(count)?;
        (visible.len() <= MOST && rest.iter().all(|rest| *rest == 0)).then_some(used)
    };
    Some(match visible.first()? {
        1 => {
            let rate = double(values(4)?[2], visible[3]);
            // A number that is not finite fails too.
            let given = rate > 0.0 && rate <= MAX_RATE;
            Mode::rate(given.then_some(rate)?, scalar, dimensions)
        }
        2 => {
            let planes = values(3)?[2];
            Mode::precision((1..=MAX_PRECISION).contains(&planes).then_some(planes)?)
        }
        // zfp keeps to no error with integers.
        3 if matches!(scalar, Scalar::Int32 | Scalar::Int64) => return None,
        3 => {
            let error = double(values(4)?[2], visible[3]);
            Mode::accuracy((error >= 0.0 && error.is_finite()).then_some(error)?)
        }
        4 => {
            let [_, _, min_bits, max_bits, max_precision, min_exponent] = *values(6)? else {
                return None;
            };
            let possible = (1..=max_bits).contains(&min_bits)
                && max_bits <= 0x8000
                && (1..=MAX_PRECISION).contains(&max_precision);
            possible.then_some(Mode {
                min_bits,
                max_bits,
                max_precision,
                // Signed parameters are stored as their bits.
                min_exponent: min_exponent as i32,
            })?
        }
        5 => values(1).map(|_| Mode::REVERSIBLE)?,
        _ => return None,
    })
}

/// The type of the numbers, for chunks that a user has compressed.
pub fn scalar(chunk: &ChunkType) -> Outcome<Scalar> {
    let Encoding::Numbers { unit } = chunk.encoding else {
        return Err("can be applied to numbers only".to_owned());
    };
    let scalar = match (chunk.number, unit) {
        (Some(NumberClass::Signed), 4) => Scalar::Int32,
        (Some(NumberClass::Signed), 8) => Scalar::Int64,
        (Some(NumberClass::Float), 4) => Scalar::Float,
        (Some(NumberClass::Float), 8) => Scalar::Double,
        _ => return Err("can be applied to int, int64, float and double only".to_owned()),
    };
    match chunk.byte_order() {
        Some(Endian::Big) => Err("cannot be applied to big-endian numbers".to_owned()),
        _ => Ok(scalar),
    }
}

/// The sizes above 1, fastest dimension first, as the header has them.
fn sizes(chunk: &ChunkType) -> Vec<u64> {
    let above_one = chunk.shape.iter().rev().copied();
    above_one.filter(|size| *size > 1).collect()
}

/// The stored words for a header.
fn stored(header: &Header) -> Vec<u32> {
    [&[VERSION], &header.words()[..]].concat()
}

/// The header for chunks with such numbers.
fn header(scalar: Scalar, chunk: &ChunkType, mode: Mode) -> Outcome<Header> {
    let sizes = sizes(chunk);
    if !(1..=MAX_DIMENSIONS).contains(&sizes.len()) {
        return Err(format!(
            "can be applied to chunks with 1 to 4 dimensions above 1, and these have {}",
            sizes.len()
        ));
    }
    Header::new(scalar, &sizes, mode).ok_or_else(|| "cannot be applied to chunks of such length".to_owned())
}

/// The stored words for what a user gives, which may be the stored words of a file, as ncdump prints them.
pub fn working(visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
    let scalar = scalar(chunk)?;
    if let Some(printed) = parse(visible) {
        return Ok(stored(&header(scalar, chunk, printed.mode())?));
    }
    let mode = mode(visible, scalar, sizes(chunk).len()).ok_or_else(|| TAKES.to_owned())?;
    Ok(stored(&header(scalar, chunk, mode)?))
}

/// The stored words for other chunks. The limits on blocks stay, so a fixed rate stays only if the number of dimensions
/// does.
pub fn adapted(words: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
    let Some(old) = parse(words) else {
        return Err("has parameters that are not understood".to_owned());
    };
    // The plugin takes unsigned and big-endian numbers for what they are not. They stay what they are there.
    let scalar = match (chunk.element_size, chunk.number) {
        (_, None) => return Err("can be applied to numbers only".to_owned()),
        (4, Some(NumberClass::Float)) => Scalar::Float,
        (8, Some(NumberClass::Float)) => Scalar::Double,
        (4, Some(_)) => Scalar::Int32,
        (8, Some(_)) => Scalar::Int64,
        _ => return Err("can be applied to numbers of 4 and 8 bytes only".to_owned()),
    };
    let new = header(scalar, chunk, old.mode())?;
    match new == old {
        true => Ok(words.to_vec()),
        false => Ok(stored(&new)),
    }
}

/// The header in stored words.
pub fn parse(words: &[u32]) -> Option<Header> {
    Header::parse(words.get(1..)?)
}
