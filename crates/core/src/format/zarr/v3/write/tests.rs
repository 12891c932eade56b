use std::sync::Arc;

use super::super::super::json::Json;
use super::super::super::{ZarrOptions, create, open};
use crate::chunk::Region;
use crate::filter::{EncodedChunk, Registry};
use crate::format::{Promised, VariablePlan, Writer, check_plans, warnings};
use crate::model::{
    Attribute, CodecSpec, Configuration, Dimension, Endian, Field, Fill, IndexLocation, Kind, SLOT_SIZE,
    Schema, Type, TypeClass, UserType, Values, VarId, Variable, VariableLayout, ZarrVersion,
};
use crate::store::{GetRange, KeyOutput, KeyStore, MemoryKeys, ValueWriter};

/// A dataset of one variable with one dimension.
fn dataset(ty: impl Fn(&mut Schema) -> Type, length: u64) -> Schema {
    let mut schema = Schema::new(Kind::Zarr3);
    let dim = schema.add_dim(Dimension {
        name: "x".to_owned(),
        group: Schema::ROOT,
        length,
        unlimited: false,
    });
    let ty = ty(&mut schema);
    schema.add_var(Variable {
        name: "v".to_owned(),
        group: Schema::ROOT,
        ty,
        dims: vec![dim],
        attributes: Vec::new().into(),
    });
    schema
}

fn codec(name: &str) -> CodecSpec {
    CodecSpec::zarr(ZarrVersion::V3, name, Configuration::new())
}

fn plan(
    schema: &Schema,
    chunk: u64,
    promised: u64,
    change: impl Fn(&mut VariableLayout),
) -> Vec<VariablePlan> {
    let id = VarId(0);
    let (size, encoding) = schema.storage_encoding(schema.var(id).ty);
    let mut layout = VariableLayout::contiguous(schema.shape(id), size, encoding).in_chunks(vec![chunk]);
    change(&mut layout);
    let promised = Promised::Chunks(promised);
    vec![VariablePlan::new(schema, id, layout, promised, &Registry::builtin()).unwrap()]
}

fn written(schema: &Schema, plans: &[VariablePlan], write: impl Fn(&dyn Writer)) -> MemoryKeys {
    let keys = MemoryKeys::new();
    let output: Arc<dyn KeyOutput> = Arc::new(keys.output());
    let writer = create(output, schema, plans, ZarrOptions::write(Kind::Zarr3)).unwrap();
    write(&*writer);
    writer.finish().unwrap();
    keys
}

fn read(keys: &MemoryKeys, count: u64) -> Values {
    let store: Arc<dyn KeyStore> = Arc::new(keys.clone());
    let reader = open(&store, ZarrOptions::READ, &Registry::builtin()).unwrap();
    reader.read_region(VarId(0), &Region::whole(&[count])).unwrap()
}

fn region(start: u64, count: u64) -> Region {
    Region {
        start: vec![start],
        count: vec![count],
    }
}

fn document(keys: &MemoryKeys, key: &str) -> Json {
    Json::parse_strict(&keys.get(key, GetRange::Whole).unwrap().unwrap()).unwrap()
}

#[test]
fn strings_have_their_own_lengths_also_behind_codecs() {
    let schema = dataset(|_| Type::String, 5);
    for filters in [Vec::new(), vec![codec("crc32c")]] {
        let plans = plan(&schema, 3, 2, |layout| layout.filters = filters.clone());
        let texts = ["one", "", "drei ä", "4", "five"];
        let keys = written(&schema, &plans, |writer| {
            for (n, part) in texts.chunks(3).enumerate() {
                let values = Values::from_strings(part.iter().map(|text| Some(text.as_bytes())));
                let at = region(3 * n as u64, part.len() as u64);
                writer.write_values(n as u64, VarId(0), &at, values).unwrap();
            }
        });
        let values = read(&keys, 5);
        let found = (0..5).map(|n| values.string(n * SLOT_SIZE).unwrap_or_default());
        assert!(found.eq(texts.iter().map(|text| text.as_bytes())));
        let edge = keys.get("v/c/1", GetRange::Whole).unwrap().unwrap();
        assert_eq!(edge[..21], *b"\x03\0\0\0\x01\0\0\x004\x04\0\0\0five\0\0\0\0");
    }
}

#[test]
fn compounds_are_packed() {
    let with_gaps = |schema: &mut Schema| {
        let field = |name: &str, offset, ty| Field {
            name: name.to_owned(),
            offset,
            ty,
            dims: Vec::new(),
        };
        Type::User(schema.add_type(UserType {
            name: "t".to_owned(),
            group: Schema::ROOT,
            class: TypeClass::Compound {
                size: 8,
                fields: vec![field("a", 0, Type::Byte), field("b", 4, Type::Int)],
            },
        }))
    };
    let schema = dataset(with_gaps, 3);
    let fill = || Fill {
        value: Some(Values::from_bytes(vec![9, 0xee, 0xee, 0xee, 7, 0, 0, 0])),
        explicit: true,
        ..Fill::default()
    };
    let plans = plan(&schema, 2, 1, |layout| layout.fill = fill());
    let bytes: Vec<u8> = (0..16).collect();
    let keys = written(&schema, &plans, |writer| {
        let values = Values::from_bytes(bytes.clone());
        writer.write_values(0, VarId(0), &region(0, 2), values).unwrap();
    });
    let expected = [0, 4, 5, 6, 7, 8, 12, 13, 14, 15, 9, 7, 0, 0, 0];
    assert_eq!(read(&keys, 3).bytes, expected);
    let array = document(&keys, "v/zarr.json");
    assert_eq!(
        array.get("fill_value").unwrap().to_string(),
        r#"{"a": 9, "b": 7}"#
    );
    assert!(warnings_of(&schema, &plans).contains("zarr-python"));
}

fn warnings_of(schema: &Schema, plans: &[VariablePlan]) -> String {
    warnings_with(schema, plans, &ZarrOptions::write(schema.kind))
}

fn warnings_with(schema: &Schema, plans: &[VariablePlan], options: &ZarrOptions) -> String {
    let found = warnings(schema, plans, options).unwrap();
    found.iter().map(|warning| format!("{warning}\n")).collect()
}

#[test]
fn tensorstore_is_named_where_it_could_read() {
    let mut schema = dataset(|_| Type::Short, 11);
    let plans = plan(&schema, 2, 0, |layout| {
        layout.shard = Some(vec![4]);
        layout.filters = vec![codec("numcodecs.zlib")];
    });
    let told = "tensorstore lacks codecs of: v (numcodecs.zlib)";
    assert!(warnings_of(&schema, &plans).contains(told));
    let options = ZarrOptions {
        shards_as_hdf5: true,
        ..ZarrOptions::write(Kind::Zarr3)
    };
    assert_eq!(warnings_with(&schema, &plans, &options), "");
    schema.kind = Kind::Icechunk;
    assert_eq!(warnings_of(&schema, &plans), "");
}

#[test]
fn shards_are_read_as_they_were_written() {
    let schema = dataset(|_| Type::Short, 11);
    for location in [IndexLocation::Start, IndexLocation::End] {
        let plans = plan(&schema, 2, 3, |layout| {
            layout.shard = Some(vec![6]);
            layout.shard_index = location;
            layout.endian = Endian::Big;
            layout.fill.value = Some(Values::from_bytes(vec![0xff, 0xff]));
        });
        let keys = written(&schema, &plans, |writer| {
            for (sequence, chunk) in [1, 2, 5].into_iter().enumerate() {
                let bytes = vec![0, chunk as u8, 1, chunk as u8];
                let data = EncodedChunk {
                    bytes,
                    filter_mask: 0,
                };
                writer
                    .write_encoded_chunk(sequence as u64, VarId(0), chunk, data)
                    .unwrap();
            }
        });
        assert_eq!(keys.list("v/c").unwrap(), ["v/c/0", "v/c/1"]);
        let values = read(&keys, 11).bytes;
        let numbers: Vec<i16> = values
            .as_chunks::<2>()
            .0
            .iter()
            .map(|n| i16::from_le_bytes(*n))
            .collect();
        assert_eq!(numbers, [-1, -1, 1, 257, 2, 258, -1, -1, -1, -1, 5]);
    }
    // A shard without chunks has no key.
    let plans = plan(&schema, 2, 0, |layout| layout.shard = Some(vec![6]));
    let keys = written(&schema, &plans, |_| ());
    assert_eq!(keys.list("").unwrap(), ["v/zarr.json", "zarr.json"]);
}

#[test]
fn the_root_has_all_documents_and_no_program_stumbles() {
    let mut schema = dataset(|_| Type::Float, 4);
    let group = schema.add_group(Schema::ROOT, "g");
    schema.add_group(group, "h");
    let infinite = Attribute {
        name: "limit".to_owned(),
        ty: Type::Float,
        length: 2,
        values: Values::from_bytes([f32::INFINITY, f32::NAN].map(f32::to_le_bytes).concat()),
    };
    schema.vars[0].attributes = vec![infinite].into();
    let keys = written(&schema, &plan(&schema, 4, 0, |_| ()), |_| ());
    let root = document(&keys, "zarr.json");
    let all = root.get("consolidated_metadata").unwrap();
    assert_eq!(all.get("kind").and_then(Json::as_str), Some("inline"));
    assert_eq!(all.get("must_understand").and_then(Json::as_bool), Some(false));
    let nodes = all.get("metadata").and_then(Json::as_object).unwrap();
    let paths: Vec<&str> = nodes.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["v", "g", "g/h"]);
    let array = document(&keys, "v/zarr.json");
    assert_eq!(nodes[0].1, array);
    for key in keys.list("").unwrap() {
        let text = String::from_utf8(keys.get(&key, GetRange::Whole).unwrap().unwrap()).unwrap();
        // `parse_strict` has refused bare NaN and Infinity.
        assert!(!text.contains("null"), "{text}");
    }
    let limit = array.get("attributes").unwrap().get("limit").unwrap();
    assert_eq!(limit.to_string(), r#"["Infinity","NaN"]"#);
    assert_eq!(array.get("dimension_names").unwrap().to_string(), r#"["x"]"#);
}

#[test]
fn what_zarr_cannot_hold_is_named() {
    let vlen = |schema: &mut Schema| {
        Type::User(schema.add_type(UserType {
            name: "list".to_owned(),
            group: Schema::ROOT,
            class: TypeClass::Vlen { base: Type::String },
        }))
    };
    let schema = dataset(vlen, 2);
    let error = crate::format::check(&schema).unwrap_err().to_string();
    assert!(error.contains("variable v") && error.contains("list"), "{error}");
    let schema = dataset(|_| Type::Int, 4);
    let backwards = plan(&schema, 2, 0, |layout| {
        layout.filters = vec![codec("crc32c"), codec("numcodecs.delta")];
    });
    let error = check_plans(&schema, &backwards).unwrap_err().to_string();
    assert!(error.contains("variable v") && error.contains("delta"), "{error}");
    let other = plan(&schema, 2, 0, |layout| {
        layout.filters = vec![codec("numcodecs.lz4")]
    });
    let warned = warnings_of(&schema, &other);
    assert!(
        warned.contains("tensorstore") && warned.contains("v (numcodecs.lz4)"),
        "{warned}"
    );
    let text = dataset(|_| Type::String, 1);
    let plans = plan(&text, 1, 1, |_| ());
    let output: Arc<dyn KeyOutput> = Arc::new(MemoryKeys::new().output());
    let writer = create(output, &text, &plans, ZarrOptions::write(Kind::Zarr3)).unwrap();
    let latin = Values::from_strings([Some(&b"\xe4"[..])]);
    let error = writer
        .write_values(0, VarId(0), &region(0, 1), latin)
        .unwrap_err();
    assert!(error.to_string().contains("UTF-8"));
}

#[test]
fn what_the_reader_refuses_is_not_written() {
    let compound = |schema: &mut Schema, name: &str, fields: Vec<(Type, usize)>| {
        let mut size = 0;
        let mut made = Vec::new();
        for (n, (ty, length)) in fields.into_iter().enumerate() {
            made.push(Field {
                name: format!("f{n}"),
                offset: size,
                ty,
                dims: if length == 1 { vec![] } else { vec![length] },
            });
            size += schema.type_size(ty) * length;
        }
        Type::User(schema.add_type(UserType {
            name: name.to_owned(),
            group: Schema::ROOT,
            class: TypeClass::Compound { size, fields: made },
        }))
    };
    let refused = |schema: &Schema, why: &str| {
        let error = crate::format::check(schema).unwrap_err().to_string();
        assert!(error.contains("variable v") && error.contains(why), "{error}");
    };
    let most = 1 << 20;
    let of_size = |size| dataset(|schema| compound(schema, "large", vec![(Type::Char, size)]), 1);
    assert!(crate::format::check(&of_size(most)).is_ok());
    refused(&of_size(most + 1), "large");
    let fields = |n| dataset(|schema| compound(schema, "wide", vec![(Type::Byte, 1); n]), 1);
    assert!(crate::format::check(&fields(10_000)).is_ok());
    refused(&fields(10_001), "wide");
    let nested = |depth| {
        let nest = |schema: &mut Schema| {
            (0..depth).fold(Type::Byte, |ty, n| {
                compound(schema, &format!("n{n}"), vec![(ty, 1)])
            })
        };
        dataset(nest, 1)
    };
    let deepest = (1..20)
        .rev()
        .find(|depth| crate::format::check(&nested(*depth)).is_ok());
    let schema = nested(deepest.unwrap());
    let keys = written(&schema, &plan(&schema, 1, 0, |_| ()), |_| ());
    assert_eq!(read(&keys, 1).bytes, [0]);
    refused(&nested(deepest.unwrap() + 1), "nested");

    let schema = dataset(|_| Type::Byte, 1 << 40);
    let in_shards = |shard| plan(&schema, 1, 0, |layout| layout.shard = Some(vec![shard]));
    assert!(check_plans(&schema, &in_shards(10_000_000)).is_ok());
    for shard in [1 << 24, 1 << 40] {
        let error = check_plans(&schema, &in_shards(shard)).unwrap_err().to_string();
        assert!(error.contains("variable v") && error.contains("shard"), "{error}");
    }
}

/// A store that fails to write the values of one array.
struct Failing(Box<dyn KeyOutput>);

impl Failing {
    fn check(key: &str) -> std::io::Result<()> {
        match key.starts_with("v/c") {
            true => Err(std::io::Error::other("no room")),
            false => Ok(()),
        }
    }
}

struct FailingValue;

impl ValueWriter for FailingValue {
    fn write_at(&self, _: u64, _: &[u8]) -> std::io::Result<()> {
        Err(std::io::Error::other("no room"))
    }

    fn set_size(&self, _: u64) -> std::io::Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> std::io::Result<()> {
        Ok(())
    }
}

impl KeyOutput for Failing {
    fn put(&self, key: &str, value: &[u8]) -> std::io::Result<()> {
        Self::check(key)?;
        self.0.put(key, value)
    }

    fn put_last(&self, key: &str, value: &[u8]) -> std::io::Result<()> {
        self.0.put_last(key, value)
    }

    fn create(&self, key: &str) -> std::io::Result<Box<dyn ValueWriter>> {
        match Self::check(key) {
            Err(_) => Ok(Box::new(FailingValue)),
            Ok(()) => self.0.create(key),
        }
    }

    fn staged(&self, key: &str) -> std::io::Result<Option<Vec<u8>>> {
        self.0.staged(key)
    }

    fn staged_keys(&self, prefix: &str) -> std::io::Result<Vec<String>> {
        self.0.staged_keys(prefix)
    }

    fn publish(&self) -> std::io::Result<()> {
        self.0.publish()
    }
}

#[test]
fn an_error_names_the_array_whose_value_fails() {
    let mut schema = dataset(|_| Type::Byte, 4);
    let dims = schema.vars[0].dims.clone();
    schema.add_var(Variable {
        name: "w".to_owned(),
        group: Schema::ROOT,
        ty: Type::Byte,
        dims,
        attributes: Vec::new().into(),
    });
    for shard in [None, Some(vec![4])] {
        let mut plans = plan(&schema, 2, 1, |layout| layout.shard.clone_from(&shard));
        let layout = VariableLayout::clone(&plans[0].layout);
        let promised = Promised::Chunks(1);
        plans.push(VariablePlan::new(&schema, VarId(1), layout, promised, &Registry::builtin()).unwrap());
        let output: Arc<dyn KeyOutput> = Arc::new(Failing(Box::new(MemoryKeys::new().output())));
        let writer = create(output, &schema, &plans, ZarrOptions::write(Kind::Zarr3)).unwrap();
        let chunk = || EncodedChunk {
            bytes: vec![1, 2],
            filter_mask: 0,
        };
        // The chunk of the second array comes first. The shard of the first array ends when it has its turn.
        let submitted = [(1, 1), (0, 0)].map(|(sequence, var)| {
            writer
                .write_encoded_chunk(sequence, VarId(var), 0, chunk())
                .map_err(|e| e.in_variable("w"))
        });
        let error = submitted.into_iter().find_map(Result::err).unwrap().to_string();
        assert!(error.contains("v: ") && error.contains("key v/c/0"), "{error}");
    }
}
