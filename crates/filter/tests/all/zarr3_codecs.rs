//! Codecs in version 3 of Zarr: their names and configurations, and chunks of zarr-python.

use ncutils_filter::{
    AskedCodec, ChunkShape, ChunkType, CodecInput, EncodedChunk, NumberClass, Program, Registry, Scratch,
    spec::filter_argument, spec::json_text,
};
use ncutils_model::{CodecNames, CodecSpec, Endian, ZarrVersion};

const V3: CodecNames = CodecNames::Zarr(ZarrVersion::V3);

/// Chunks of 3 by 4 floats.
fn floats() -> ChunkType {
    ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, &[3, 4])
}

/// The codecs of a list in JSON.
fn codecs(json: &str) -> Vec<CodecSpec> {
    let asked = AskedCodec::list_from_json(json).unwrap();
    asked.iter().map(|codec| codec.stored().unwrap()).collect()
}

fn in_v3(given: &CodecSpec) -> String {
    let named = Registry::builtin().named(given, V3, &floats());
    named.map_or_else(|error| error.to_string(), |named| json_text::format([&named]))
}

#[test]
fn forms_of_filters_of_hdf5() {
    for (id, parameters, form) in [
        (
            1,
            vec![5],
            r#"[{"name": "numcodecs.zlib", "configuration": {"level": 5}}]"#,
        ),
        (
            2,
            vec![4],
            r#"[{"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}}]"#,
        ),
        (3, vec![], r#"[{"name": "numcodecs.fletcher32"}]"#),
        (
            307,
            vec![9],
            r#"[{"name": "numcodecs.bz2", "configuration": {"level": 9}}]"#,
        ),
        #[cfg(feature = "blosc")]
        (
            32001,
            vec![2, 2, 4, 48, 5, 2, 5],
            r#"[{"name": "blosc", "configuration": {"typesize": 4, "cname": "zstd", "clevel": 5, "shuffle": "bitshuffle", "blocksize": 0}}]"#,
        ),
        #[cfg(feature = "blosc")]
        (
            32001,
            vec![2, 2, 4, 48, 9, 0, 1],
            r#"[{"name": "blosc", "configuration": {"typesize": 4, "cname": "lz4", "clevel": 9, "shuffle": "noshuffle", "blocksize": 0}}]"#,
        ),
        (
            32015,
            vec![3],
            r#"[{"name": "zstd", "configuration": {"level": 3, "checksum": false}}]"#,
        ),
    ] {
        let hdf5 = CodecSpec::hdf5(id, parameters);
        assert_eq!(in_v3(&hdf5), form);
        let registry = Registry::builtin();
        let back = registry
            .named(&codecs(form)[0], CodecNames::Hdf5, &floats())
            .unwrap();
        assert_eq!((back.hdf5_id(), back.parameters()), (Some(id), hdf5.parameters()));
        assert!(registry.same_stream(&back, &codecs(form)[0], &floats()));
    }
    for id in [4, 5, 6, 32000, 32004, 32008, 32013, 32026, 65000] {
        assert!(
            in_v3(&CodecSpec::hdf5(id, [])).contains("has no form in version 3 of Zarr"),
            "{id}"
        );
    }
}

#[test]
fn forms_of_codecs_of_version_2() {
    for (v2, v3) in [
        (
            r#"{"id": "zlib", "level": 1}"#,
            r#"{"name": "numcodecs.zlib", "configuration": {"level": 1}}"#,
        ),
        (
            r#"{"id": "gzip", "level": 5}"#,
            r#"{"name": "gzip", "configuration": {"level": 5}}"#,
        ),
        (
            r#"{"id": "zstd", "level": 3, "checksum": true}"#,
            r#"{"name": "zstd", "configuration": {"level": 3, "checksum": true}}"#,
        ),
        (
            r#"{"id": "lz4", "acceleration": 2}"#,
            r#"{"name": "numcodecs.lz4", "configuration": {"acceleration": 2}}"#,
        ),
        (
            r#"{"id": "lzma", "format": 1, "check": -1, "preset": null, "filters": null}"#,
            r#"{"name": "numcodecs.lzma", "configuration": {"format": 1, "check": -1, "preset": null, "filters": null}}"#,
        ),
        (
            r#"{"id": "delta", "dtype": "<f4", "astype": "<f4"}"#,
            r#"{"name": "numcodecs.delta", "configuration": {"dtype": "<f4", "astype": "<f4"}}"#,
        ),
        (
            r#"{"id": "fixedscaleoffset", "offset": 0, "scale": 10, "dtype": "<f4", "astype": "<i2"}"#,
            r#"{"name": "numcodecs.fixedscaleoffset", "configuration": {"offset": 0, "scale": 10, "dtype": "<f4", "astype": "<i2"}}"#,
        ),
        (
            r#"{"id": "quantize", "digits": 2, "dtype": "<f4", "astype": "<f4"}"#,
            r#"{"name": "numcodecs.quantize", "configuration": {"digits": 2, "dtype": "<f4", "astype": "<f4"}}"#,
        ),
        (
            r#"{"id": "bitround", "keepbits": 9}"#,
            r#"{"name": "numcodecs.bitround", "configuration": {"keepbits": 9}}"#,
        ),
        (
            r#"{"id": "astype", "encode_dtype": "<f8", "decode_dtype": "<f4"}"#,
            r#"{"name": "numcodecs.astype", "configuration": {"encode_dtype": "<f8", "decode_dtype": "<f4"}}"#,
        ),
        (r#"{"id": "packbits"}"#, r#"{"name": "numcodecs.packbits"}"#),
        (r#"{"id": "crc32"}"#, r#"{"name": "numcodecs.crc32"}"#),
        (r#"{"id": "crc32c"}"#, r#"{"name": "crc32c"}"#),
        (r#"{"id": "adler32"}"#, r#"{"name": "numcodecs.adler32"}"#),
        (r#"{"id": "fletcher32"}"#, r#"{"name": "numcodecs.fletcher32"}"#),
    ] {
        let (v2, v3) = (&codecs(v2)[0], format!("[{v3}]"));
        assert_eq!(in_v3(v2), v3);
        let names = CodecNames::Zarr(ZarrVersion::V2);
        let back = Registry::builtin()
            .named(&codecs(&v3)[0], names, &floats())
            .unwrap();
        assert!(Registry::builtin().same_stream(&back, v2, &floats()), "{v3}");
    }
}

/// Floats 0 to 11 as zarr-python 3.1.5 with numcodecs 0.16.6 stores them, and the codecs around `bytes`.
const CHUNKS: [(&str, &str); 23] = [
    (
        r#"[{"name":"gzip","configuration":{"level":5}}]"#,
        "1f8b0800afdf026b00ff63600081067b20e1004440dc00c40b80f800103f0062064706060120560062034700787d663e30000000",
    ),
    (
        r#"[{"name":"zstd","configuration":{"level":0,"checksum":false}}]"#,
        "28b52ffd2030810100FLOATS",
    ),
    (
        r#"[{"name":"blosc","configuration":{"typesize":4,"cname":"zstd","clevel":5,"shuffle":"shuffle","blocksize":0}}]"#,
        "02019304300000003000000040000000FLOATS",
    ),
    (
        r#"[{"name":"zstd","configuration":{"level":3,"checksum":false}},{"name":"crc32c"}]"#,
        "28b52ffd2030810100FLOATS4daf7273",
    ),
    (
        r#"[{"name":"transpose","configuration":{"order":[1,0]}}]"#,
        "0000000000008040000000410000803f0000a04000001041000000400000c04000002041000040400000e04000003041",
    ),
    (
        r#"[{"name":"numcodecs.gzip","configuration":{}}]"#,
        "1f8b0800afdf026b04ff63600081067b20e1004440dc00c40b80f800103f0062064706060120560062034700787d663e30000000",
    ),
    (
        r#"[{"name":"numcodecs.zstd","configuration":{}}]"#,
        "28b52ffd2030810100FLOATS",
    ),
    (
        r#"[{"name":"numcodecs.blosc","configuration":{}}]"#,
        "02013301300000003000000040000000FLOATS",
    ),
    (
        r#"[{"name":"numcodecs.zlib","configuration":{}}]"#,
        "780163600081067b20e1004440dc00c40b80f800103f006206470606012056006203470098a306a4",
    ),
    (
        r#"[{"name":"numcodecs.shuffle","configuration":{"elementsize":4}},{"name":"numcodecs.zlib","configuration":{"level":5}}]"#,
        "785e6360c0011a181c1a161c78c020a060c060ef00068e40000058cf06a4",
    ),
    (
        r#"[{"name":"numcodecs.bz2","configuration":{}}]"#,
        "425a683131415926535983f5861a0000007c555000400040004000e000400040004000400020002189a868da840d0342d72e9954900893d94de4d4592303e2ee48a70a12107eb0c340",
    ),
    (
        r#"[{"name":"numcodecs.lz4","configuration":{}}]"#,
        "3000000011000100f01b803f0000004000004040000080400000a0400000c0400000e04000000041000010410000204100003041",
    ),
    (
        r#"[{"name":"numcodecs.delta","configuration":{"dtype":"float32"}}]"#,
        "000000000000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f",
    ),
    (
        r#"[{"name":"numcodecs.fixedscaleoffset","configuration":{"offset":0,"scale":10,"astype":"int16","dtype":"float32"}}]"#,
        "00000a0014001e00280032003c00460050005a0064006e00",
    ),
    (
        r#"[{"name":"numcodecs.quantize","configuration":{"digits":2,"dtype":"float32"}}]"#,
        "FLOATS",
    ),
    (
        r#"[{"name":"numcodecs.bitround","configuration":{"keepbits":9}}]"#,
        "FLOATS",
    ),
    (
        r#"[{"name":"bitround","configuration":{"keepbits":9}}]"#,
        "FLOATS",
    ),
    (
        r#"[{"name":"numcodecs.crc32","configuration":{}}]"#,
        "787d663eFLOATS",
    ),
    (
        r#"[{"name":"numcodecs.crc32c","configuration":{}}]"#,
        "FLOATSe99cff5d",
    ),
    (
        r#"[{"name":"numcodecs.adler32","configuration":{}}]"#,
        "a406a398FLOATS",
    ),
    (
        r#"[{"name":"numcodecs.fletcher32","configuration":{}}]"#,
        "FLOATSc6e26a7e",
    ),
    // zarr-python 3.4.2.
    (
        r#"[{"name":"cast_value","configuration":{"data_type":"uint8"}}]"#,
        "000102030405060708090a0b",
    ),
    (
        r#"[{"name":"scale_offset","configuration":{"offset":1,"scale":2}},{"name":"cast_value","configuration":{"data_type":"int8","rounding":"towards-zero"}}]"#,
        "fe00020406080a0c0e101214",
    ),
];

#[test]
fn chunks_of_zarr_python() {
    let floats_in_hex =
        "000000000000803f0000004000004040000080400000a0400000c0400000e04000000041000010410000204100003041";
    let expected: Vec<u8> = (0..12u8).flat_map(|n| f32::from(n).to_le_bytes()).collect();
    for (json, hex) in CHUNKS {
        if cfg!(not(feature = "blosc")) && json.contains("blosc") {
            continue;
        }
        let hex = hex.replace("FLOATS", floats_in_hex);
        let digits = hex.as_bytes().chunks(2);
        let bytes: Vec<u8> = digits
            .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
            .collect();
        let pipeline = Registry::builtin().bind(&codecs(json), &floats()).unwrap();
        let mut scratch = Scratch::new();
        let decode = |bytes: Vec<u8>, scratch: &mut Scratch| {
            let chunk = EncodedChunk {
                bytes,
                filter_mask: 0,
            };
            pipeline.decode(chunk, ChunkShape::Full, scratch)
        };
        assert_eq!(decode(bytes.clone(), &mut scratch).unwrap(), expected, "{json}");
        let encoded = pipeline
            .encode(&expected, ChunkShape::Full, &mut scratch)
            .unwrap();
        assert_eq!(decode(encoded.bytes, &mut scratch).unwrap(), expected, "{json}");
        // Checksums are verified wherever a chunk is decoded.
        if ["crc32", "adler32", "fletcher32"]
            .iter()
            .any(|sum| json.contains(sum))
        {
            for at in [0, 20, bytes.len() - 1] {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1;
                assert!(decode(damaged, &mut scratch).is_err(), "{json}, byte {at}");
            }
        }
    }
}

#[test]
fn kinds_of_codecs_and_who_has_them() {
    let registry = Registry::builtin();
    let mut arrays = Vec::new();
    let mut of_tensorstore = Vec::new();
    for codec in registry.iter() {
        let Some(name) = codec.zarr_name(ZarrVersion::V3) else {
            assert!(codec.facts().input < CodecInput::Array, "{}", codec.name());
            continue;
        };
        let input = codec.facts().input;
        let (is_array, needs_elements) = (input >= CodecInput::Array, input >= CodecInput::Elements);
        assert!(!is_array || needs_elements, "{name}");
        let reaches_further = ["transpose", "numcodecs.delta", "numcodecs.packbits"].contains(&name);
        assert_eq!(
            input == CodecInput::EachElement,
            is_array && !reaches_further,
            "{name}"
        );
        if is_array {
            arrays.push(name);
        }
        if registry.known_to(
            &codecs(&format!(r#"{{"name": "{name}"}}"#))[0],
            Program::Tensorstore,
        ) {
            of_tensorstore.push(name);
        }
    }
    arrays.sort_unstable();
    let expected = [
        "cast_value",
        "numcodecs.astype",
        "numcodecs.bitround",
        "numcodecs.delta",
        "numcodecs.fixedscaleoffset",
        "numcodecs.packbits",
        "numcodecs.quantize",
        "scale_offset",
        "transpose",
    ];
    assert_eq!(arrays, expected);
    of_tensorstore.sort_unstable();
    of_tensorstore.retain(|name| *name != "blosc");
    assert_eq!(of_tensorstore, ["crc32c", "gzip", "transpose", "zstd"]);
    for other in [
        r#"{"name": "numcodecs.zstd"}"#,
        r#"{"name": "odd"}"#,
        r#"{"id": "zstd"}"#,
    ] {
        assert!(
            !registry.known_to(&codecs(other)[0], Program::Tensorstore),
            "{other}"
        );
    }
}

/// What `-F` makes of a variable's filters in version 3.
fn asked(argument: &str) -> Result<String, String> {
    let registry = Registry::builtin();
    let made = || {
        let asked = filter_argument::parse(argument)?.pipeline;
        let chunk = floats();
        let pipeline = registry.new_pipeline(&asked, &chunk)?;
        let named: Result<Vec<_>, _> = pipeline
            .iter()
            .map(|codec| registry.named_or_equivalent(codec, V3, &chunk))
            .collect();
        Ok(json_text::format(&named?))
    };
    made().map_err(|error: ncutils_model::Error| error.to_string())
}

#[test]
fn codecs_that_a_user_asks_for() {
    for (argument, codecs) in [
        (
            "v,gzip,level=3",
            r#"[{"name": "gzip", "configuration": {"level": 3}}]"#,
        ),
        (
            "*,zstd,level=3,checksum=true",
            r#"[{"name": "zstd", "configuration": {"level": 3, "checksum": true}}]"#,
        ),
        ("*,crc32c", r#"[{"name": "crc32c"}]"#),
        (
            "*,transpose,order=[1,0]",
            r#"[{"name": "transpose", "configuration": {"order": [1,0]}}]"#,
        ),
        (
            "*,transpose, order=[1, 0]|zstd,3|crc32c",
            r#"[{"name": "transpose", "configuration": {"order": [1,0]}},{"name": "zstd", "configuration": {"level": 3, "checksum": false}},{"name": "crc32c"}]"#,
        ),
        (
            "*,numcodecs.shuffle|numcodecs.zlib,level=5",
            r#"[{"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}},{"name": "numcodecs.zlib", "configuration": {"level": 5}}]"#,
        ),
        (
            "*,zstd,3|cast_value,data_type=int8,out_of_range=clamp",
            r#"[{"name": "cast_value", "configuration": {"data_type": "int8", "out_of_range": "clamp"}},{"name": "zstd", "configuration": {"level": 3, "checksum": false}}]"#,
        ),
        (
            r#"*,{"name": "transpose", "configuration": {"order": [1, 0]}}|{"name": "crc32c"}"#,
            r#"[{"name": "transpose", "configuration": {"order": [1,0]}},{"name": "crc32c"}]"#,
        ),
        (
            r#"*,{"name":"zstd","configuration":{"level":7,"checksum":true}}"#,
            r#"[{"name": "zstd", "configuration": {"level": 7, "checksum": true}}]"#,
        ),
    ] {
        assert_eq!(asked(argument).unwrap(), codecs, "{argument}");
    }
    for (argument, says) in [
        (
            "*,transpose,order=[2,0]",
            "codec transpose: its order [2, 0] is none of 2 dimensions",
        ),
        ("*,transpose,order=[1,0", "order"),
        ("*,transpose,orders=[1,0]", "unknown member, orders"),
        ("*,scale_offset,scale=0", "scale is 0"),
        ("*,cast_value,data_type=int9", "cannot take the type"),
        ("*,szip,32,8", "no form in version 3 of Zarr"),
    ] {
        let error = asked(argument).unwrap_err();
        assert!(error.contains(says), "{argument}: {error}");
    }
}
