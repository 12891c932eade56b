use super::*;
use crate::model::{Kind, UserType};

fn parse(text: &str) -> Result<DataType, DtypeError> {
    DataType::parse(&Json::parse(text.as_bytes()).unwrap())
}

#[test]
fn types_are_written_as_they_are_read() {
    for (text, size, unit) in [
        (r#""int8""#, Some(1), 1),
        (r#""uint16""#, Some(2), 2),
        (r#""float64""#, Some(8), 8),
        (r#""bool""#, Some(1), 1),
        (r#""float16""#, Some(2), 2),
        (r#""bfloat16""#, Some(2), 2),
        (r#""complex64""#, Some(8), 4),
        (r#""complex128""#, Some(16), 8),
        (r#""string""#, None, 1),
        (r#""variable_length_bytes""#, None, 1),
        (
            r#"{"name":"null_terminated_bytes","configuration":{"length_bytes":1}}"#,
            Some(1),
            1,
        ),
        (
            r#"{"name":"null_terminated_bytes","configuration":{"length_bytes":7}}"#,
            Some(7),
            1,
        ),
        (
            r#"{"name":"fixed_length_utf32","configuration":{"length_bytes":20}}"#,
            Some(20),
            4,
        ),
        (
            r#"{"name":"raw_bytes","configuration":{"length_bytes":3}}"#,
            Some(3),
            1,
        ),
        (
            r#"{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":10}}"#,
            Some(8),
            8,
        ),
        (
            r#"{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"int16"},{"name":"b","data_type":"complex64"}]}}"#,
            Some(10),
            4,
        ),
    ] {
        let ty = parse(text).unwrap();
        assert_eq!((ty.size(), ty.unit()), (size, unit), "{text}");
        assert_eq!(parse(&ty.to_json().to_string()).unwrap(), ty);
        let same = Json::parse(text.as_bytes()).unwrap();
        assert_eq!(ty.to_json().to_string(), same.to_string());
    }
    assert_eq!(parse(r#""r24""#).unwrap(), DataType::Raw(3));
    assert_eq!(parse(r#""bytes""#).unwrap(), DataType::Bytes);
    let pairs = r#"{"name":"structured","configuration":{"fields":[["a","int32"],["b","float64"]]}}"#;
    let named = vec![
        ("a".to_owned(), DataType::Number(Type::Int)),
        ("b".to_owned(), DataType::Number(Type::Double)),
    ];
    assert_eq!(parse(pairs).unwrap(), DataType::Struct(named));
}

#[test]
fn other_types_are_refused() {
    for text in [
        r#""int4""#,
        r#""float8_e4m3""#,
        r#""r7""#,
        r#""r0""#,
        r#""r+8""#,
        r#""reals""#,
    ] {
        assert!(matches!(parse(text), Err(DtypeError::Unheld(_))), "{text}");
    }
    for text in [
        "5",
        "{}",
        r#""raw_bytes""#,
        r#"{"name":"raw_bytes","configuration":{"length_bytes":0}}"#,
        r#"{"name":"fixed_length_utf32","configuration":{"length_bytes":6}}"#,
        r#"{"name":"numpy.datetime64"}"#,
        r#"{"name":"numpy.datetime64","configuration":{"unit":"zork"}}"#,
        r#"{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":0}}"#,
        r#"{"name":"struct","configuration":{"fields":[]}}"#,
        r#"{"name":"struct","configuration":{"fields":[["a","int8"],["a","int8"]]}}"#,
        r#"{"name":"struct","configuration":{"fields":[{"name":"a"}]}}"#,
        r#"{"name":"struct","configuration":{"fields":[["a",{"name":"null_terminated_bytes","configuration":{"length_bytes":2147483647}}]]}}"#,
    ] {
        assert!(matches!(parse(text), Err(DtypeError::Damaged(_))), "{text}");
    }
    let mut deep = r#""int8""#.to_owned();
    for _ in 0..14 {
        deep = format!(r#"{{"name":"struct","configuration":{{"fields":[["a",{deep}]]}}}}"#);
    }
    assert!(matches!(parse(&deep), Err(DtypeError::Damaged(_))));
    let string = r#"{"name":"struct","configuration":{"fields":[["a","string"]]}}"#;
    assert!(matches!(parse(string), Err(DtypeError::Unheld(_))));
}

#[test]
fn types_of_netcdf() {
    let mut schema = Schema::new(Kind::Zarr3);
    let field = |name: &str, offset, ty, dims: &[usize]| Field {
        name: name.to_owned(),
        offset,
        ty,
        dims: dims.to_vec(),
    };
    let add = |schema: &mut Schema, name: &str, class| {
        schema.types.push(UserType {
            name: name.to_owned(),
            group: Schema::ROOT,
            class,
        });
        Type::User(crate::model::TypeId(schema.types.len() - 1))
    };
    let color = add(
        &mut schema,
        "color",
        TypeClass::Enum {
            base: Type::Short,
            members: vec![],
        },
    );
    let complex = add(
        &mut schema,
        "_PFNC_FLOAT_COMPLEX_TYPE",
        TypeClass::Compound {
            size: 8,
            fields: vec![field("r", 0, Type::Float, &[]), field("i", 4, Type::Float, &[])],
        },
    );
    let record = add(
        &mut schema,
        "record",
        TypeClass::Compound {
            size: 24,
            fields: vec![
                field("c", 0, color, &[]),
                field("z", 4, complex, &[]),
                field("name", 12, Type::Char, &[5]),
            ],
        },
    );
    let array = add(
        &mut schema,
        "array",
        TypeClass::Compound {
            size: 8,
            fields: vec![field("a", 0, Type::Int, &[2])],
        },
    );
    let list = add(&mut schema, "list", TypeClass::Vlen { base: Type::Int });
    let texts = add(&mut schema, "texts", TypeClass::Vlen { base: Type::String });
    let of_list = TypeClass::Compound {
        size: 16,
        fields: vec![field("a", 0, list, &[])],
    };
    let of_list = add(&mut schema, "of_list", of_list);
    assert_eq!(DataType::of(&schema, color), Ok(DataType::Number(Type::Short)));
    assert_eq!(DataType::of(&schema, complex), Ok(DataType::Complex(Type::Float)));
    let record = DataType::of(&schema, record).unwrap();
    assert_eq!(record.size(), Some(15));
    assert_eq!(parse(&record.to_json().to_string()), Ok(record));
    let bytes = DataType::Struct(vec![("a".to_owned(), DataType::Raw(8))]);
    assert_eq!(DataType::of(&schema, array), Ok(bytes));
    assert_eq!(DataType::of(&schema, list), Ok(DataType::Bytes));
    let refused = |ty| DataType::of(&schema, ty).unwrap_err();
    assert!(refused(texts).contains("different lengths"));
    assert!(refused(of_list).contains("field a varies in length"));
}
