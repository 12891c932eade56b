//! zfpy, a codec of Zarr: a stream of zfp that begins with its header.
//!
//! | member | meaning | default |
//! | --- | --- | --- |
//! | `mode` | 2: `rate` counts; 3: `precision`; 4: `tolerance` | 4 |
//! | `rate` | bits for each number | −1 |
//! | `precision` | bit planes | −1 |
//! | `tolerance` | largest error of floats | −1 |
//!
//! Nothing is lost where the value that counts is negative. `compression_kwargs`, which numcodecs writes as well, has
//! the same value, and no effect. Numbers and dimensions are as for the HDF5 filter, but dimensions may be 1.
//!
//! In version 3 of Zarr the codec is `numcodecs.zfpy`, and makes the bytes of the array in place of the codec `bytes`.
//!
//! numcodecs, `ZFPY`; zfp 1.0, "Header".

use ncutils_zfp::{
    Header, MAX_DIMENSIONS, MAX_PRECISION, Mode, Scalar, compress_with_header, decompress_with_header,
};

use crate::codec::codec_input::CodecInput;
use crate::codec::facts::CodecFacts;
use crate::zarr_only::zarr_configuration::{configuration, integer, member, same};
use crate::zfp::parameters::{MAX_RATE, scalar};
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome};
use ncutils_model::CodecSpec;

/// The zfpy codec.
#[derive(Debug, Clone, Copy)]
pub struct Zfpy;

/// What a configuration asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Asked {
    Rate(f64),
    Precision(u32),
    Accuracy(f64),
    Reversible,
}

impl Asked {
    fn parse(spec: &CodecSpec) -> Outcome<Self> {
        let known = ["mode", "tolerance", "rate", "precision", "compression_kwargs"];
        let (_, configuration) = configuration(spec, &known)?;
        let float = |name: &str, most: f64| match member(configuration, name) {
            None => Ok(-1.0),
            Some(value) => value
                .as_f64()
                .filter(|number| *number <= most)
                .ok_or_else(|| format!("its member {name} is {value}")),
        };
        let asked = match integer(configuration, "mode", 2..=4, Some(4))? {
            2 => Self::Rate(float("rate", MAX_RATE)?),
            3 => match integer(configuration, "precision", -1..=MAX_PRECISION.into(), Some(-1))? {
                -1 => Self::Reversible,
                planes => Self::Precision(planes as u32),
            },
            _ => Self::Accuracy(float("tolerance", f64::MAX)?),
        };
        Ok(match asked {
            Self::Rate(value) | Self::Accuracy(value) if value < 0.0 => Self::Reversible,
            asked => asked,
        })
    }

    fn mode(self, scalar: Scalar, dimensions: usize) -> Mode {
        match self {
            Self::Rate(rate) => Mode::rate(rate, scalar, dimensions),
            Self::Precision(planes) => Mode::precision(planes),
            Self::Accuracy(tolerance) => Mode::accuracy(tolerance),
            Self::Reversible => Mode::REVERSIBLE,
        }
    }
}

/// The header of chunks that are encoded here.
struct Bound {
    header: Header,
}

impl Codec for Zfpy {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            zarr2: Some("zfpy"),
            zarr3: Some("numcodecs.zfpy"),
            parameters_help: "mode, tolerance, rate, precision",
            input: CodecInput::Elements,
            makes_bytes: true,
            is_lossy: true,
            same_configuration: Some(|a, b| same(Asked::parse(a), Asked::parse(b))),
            ..CodecFacts::named("zfpy")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let asked = Asked::parse(spec)?;
        let scalar = scalar(chunk)?;
        let sizes: Vec<u64> = chunk.shape.iter().rev().copied().collect();
        if !(1..=MAX_DIMENSIONS).contains(&sizes.len()) {
            return Err(format!(
                "can be applied to chunks with 1 to 4 dimensions, and these have {}",
                sizes.len()
            ));
        }
        let header = Header::new(scalar, &sizes, asked.mode(scalar, sizes.len()));
        let header = header.ok_or_else(|| "cannot be applied to chunks of such length".to_owned())?;
        Ok(Box::new(Bound { header }))
    }
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        compress_with_header(&self.header, input, out).map_err(|error| error.to_string())
    }

    /// The mode is that of the stream.
    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let (header, _) = Header::at_start(input).ok_or("it does not begin with a header of zfp")?;
        if (header.scalar(), header.byte_count()) != (self.header.scalar(), self.header.byte_count()) {
            return Err(format!(
                "its header says {:?} numbers of type {:?}",
                header.sizes(),
                header.scalar()
            ));
        }
        decompress_with_header(input, limit, out).map_err(|error| error.to_string())
    }

    /// Any mode may have made a stream, so the bound is that of most bits.
    fn max_encoded_size(&self, _: usize) -> usize {
        self.header.max_stream().saturating_mul(4).saturating_add(64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NumberClass, Registry};
    use ncutils_model::{Endian, ZarrVersion};
    use serde_json::json;

    fn spec(configuration: serde_json::Value) -> CodecSpec {
        CodecSpec::zarr(
            ZarrVersion::V2,
            "zfpy",
            configuration.as_object().unwrap().clone(),
        )
    }

    fn floats(shape: &[u64]) -> ChunkType {
        ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, shape)
    }

    #[test]
    fn configurations() {
        let asked = |configuration| Asked::parse(&spec(configuration));
        assert_eq!(asked(json!({"mode": 2, "rate": 8})), Ok(Asked::Rate(8.0)));
        assert_eq!(asked(json!({"mode": 3, "precision": 9})), Ok(Asked::Precision(9)));
        assert_eq!(asked(json!({"mode": 3, "tolerance": 1})), Ok(Asked::Reversible));
        assert_eq!(
            asked(json!({"tolerance": 0.5, "rate": -1})),
            Ok(Asked::Accuracy(0.5))
        );
        assert_eq!(asked(json!({})), Ok(Asked::Reversible));
        for wrong in [
            json!({"mode": 1}),
            json!({"mode": 2, "rate": 65}),
            json!({"mode": 3, "precision": 65}),
            json!({"tolerance": "0.1"}),
            json!({"accuracy": 0.1}),
        ] {
            assert!(asked(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn other_headers_are_refused() {
        let bind = |shape: &[u64]| Zfpy.bind(&spec(json!({})), &floats(shape));
        let data: Vec<u8> = (0..70).flat_map(|n| (n as f32 / 3.0).to_le_bytes()).collect();
        let (mut stored, mut out) = (Vec::new(), Vec::new());
        let bound = bind(&[1, 10, 7]).unwrap();
        bound.encode(&data, ChunkShape::Full, &mut stored).unwrap();
        assert_eq!(stored.len() % 8, 0);
        bound.decode(&stored, ChunkShape::Full, 280, &mut out).unwrap();
        assert_eq!(out, data);
        for end in [0, 5, 11, 12, stored.len() - 8] {
            assert!(
                bound
                    .decode(&stored[..end], ChunkShape::Full, 280, &mut out)
                    .is_err()
            );
        }
        let error = bind(&[10, 8])
            .unwrap()
            .decode(&stored, ChunkShape::Full, 320, &mut out);
        assert!(error.unwrap_err().contains("[7, 10, 1] numbers"));
        assert!(bind(&[2; 5]).err().unwrap().contains("1 to 4 dimensions"));
        let bytes = Registry::builtin().bind(&[spec(json!({}))], &ChunkType::of_bytes(9));
        assert!(
            bytes
                .unwrap()
                .encode(&[0; 9], ChunkShape::Full, &mut crate::Scratch::new())
                .is_err()
        );
    }
}
