use super::*;
use ncutils_model::ZarrVersion;
use proptest::prelude::*;
use serde_json::json;

fn named(names: &[&str], pipeline: &[(u32, &[u32])]) -> FilterRequest {
    FilterRequest {
        targets: Targets::Named(names.iter().map(|name| (*name).into()).collect()),
        pipeline: pipeline
            .iter()
            .map(|(id, parameters)| AskedCodec::id(*id, *parameters))
            .collect(),
    }
}

fn error(argument: &str) -> String {
    parse(argument).unwrap_err().to_string()
}

#[test]
fn forms() {
    assert_eq!(parse("v,307,9").unwrap(), named(&["v"], &[(307, &[9])]));
    assert_eq!(
        parse("var&group/var&/g/h/v,307,9|4,32,32").unwrap(),
        named(&["var", "group/var", "/g/h/v"], &[(307, &[9]), (4, &[32, 32])])
    );
    assert_eq!(
        parse("v,2|1,5|3").unwrap(),
        named(&["v"], &[(2, &[]), (1, &[5]), (3, &[])])
    );
    let all = |pipeline: &[(u32, &[u32])]| FilterRequest {
        targets: Targets::All,
        ..named(&[], pipeline)
    };
    assert_eq!(parse("*,32015,3").unwrap(), all(&[(32015, &[3])]));
    assert_eq!(parse("none").unwrap(), all(&[]));
    assert_eq!(parse("*,none").unwrap(), all(&[]));
    let keep = |targets| FilterRequest {
        targets,
        pipeline: vec![AskedCodec::Keep],
    };
    assert_eq!(parse("keep").unwrap(), keep(Targets::All));
    assert_eq!(parse("*,keep").unwrap(), keep(Targets::All));
    assert_eq!(parse("auto").unwrap(), parse("*,auto").unwrap());
    assert_eq!(parse("auto=small").unwrap(), parse("*,auto=small").unwrap());
    assert_eq!(parse("auto,2").unwrap(), named(&["auto"], &[(2, &[])]));
    assert!(error("auto=tiny").contains("expected auto, auto=fast"));
    assert!(error("automatic").contains("no filter"));
    assert_eq!(parse("v,keep").unwrap(), keep(Targets::Named(vec!["v".into()])));
    assert!(error("v,keep|307,9").contains("cannot be joined with others"));
    assert_eq!(parse("v,none").unwrap(), named(&["v"], &[]));
    assert_eq!(parse("none,none").unwrap(), named(&["none"], &[]));
    assert_eq!(parse("nonesuch,2").unwrap(), named(&["nonesuch"], &[(2, &[])]));
    assert_eq!(parse("v, 307, 9").unwrap(), named(&["v"], &[(307, &[9])]));
}

#[test]
fn escapes() {
    assert_eq!(
        parse(r"a\&b\,c\\d\|e&\*,2").unwrap(),
        named(&[r"a&b,c\d|e", "*"], &[(2, &[])])
    );
    assert_eq!(parse(r"a b\*,2").unwrap(), named(&["a b*"], &[(2, &[])]));
    let glob = FilterRequest {
        targets: Targets::Named(vec![NamePattern::parse("a b*")]),
        ..named(&[], &[(2, &[])])
    };
    assert_eq!(parse("a b*,2").unwrap(), glob);
}

#[test]
fn constants() {
    let long = i64::MIN + 1;
    for (text, words) in [
        ("-17b", vec![-17i32 as u32]),
        ("23ub", vec![23]),
        ("-25S", vec![-25i32 as u32]),
        ("27US", vec![27]),
        ("-77", vec![-77i32 as u32]),
        ("77", vec![77]),
        ("93U", vec![93]),
        ("4294967295", vec![u32::MAX]),
        ("-2147483648", vec![1 << 31]),
        ("255uB", vec![255]),
        ("-128b", vec![-128i32 as u32]),
        ("789f", vec![789f32.to_bits()]),
        ("-1.5E-3F", vec![(-1.5e-3f32).to_bits()]),
        (
            "-9223372036854775807L",
            vec![long as u32, (long as u64 >> 32) as u32],
        ),
        ("18446744073709551615UL", vec![u32::MAX, u32::MAX]),
        ("5l", vec![5, 0]),
    ] {
        assert_eq!(
            parse(&format!("v,40000,{text}")).unwrap(),
            named(&["v"], &[(40000, &words)]),
            "{text}"
        );
    }
    let double = 12345678.12345678f64.to_bits();
    assert_eq!(
        parse("v,40000,12345678.12345678d,7").unwrap().pipeline,
        [AskedCodec::id(40000, [double as u32, (double >> 32) as u32, 7])]
    );
}

#[test]
fn constants_out_of_range() {
    for text in [
        "128b",
        "-129b",
        "256ub",
        "-1ub",
        "32768s",
        "-32769S",
        "65536us",
        "-1us",
        "4294967296",
        "-2147483649",
        "4294967296u",
        "-1U",
        "9223372036854775808L",
        "18446744073709551616ul",
        "-1ul",
        "1e39f",
        "1e309d",
        "99999999999999999999999999999999999999999999999999",
    ] {
        assert!(
            error(&format!("v,40000,{text}")).contains("out of range"),
            "{text}"
        );
    }
}

#[test]
fn what_is_not_a_constant() {
    for text in [
        "0x10", "0xff", "x", "-", "b", "1q", "1bu", "1lu", "--1", "1-", "1 2", "nan", "inff", "nand", "1.5b",
        "é", "1é", "٣", "1e", "f", ".", ".f",
    ] {
        let message = error(&format!("v,40000,{text}"));
        assert!(message.contains("is not a"), "{text}: {message}");
    }
    assert!(error("v,40000,1.5").contains("suffix f"));
    assert!(error("v,40000,1e5").contains("is not a"));
}

#[test]
fn errors_say_what_was_expected() {
    for (argument, says) in [
        ("", "expected variables"),
        ("a|b,2", "write '\\|'"),
        ("v", "expected ','"),
        ("v,", "a filter is missing"),
        ("v,307,9|", "a filter is missing"),
        ("v,|307,9", "a filter is missing"),
        ("v,307,9||4,32,32", "a filter is missing"),
        ("v,307,", "a parameter is missing"),
        ("v,307,,9", "a parameter is missing"),
        (",307,9", "name is missing"),
        ("a&,307", "name is missing"),
        ("&a,307", "name is missing"),
        ("a&", "name is missing"),
        ("v,bzip2,x", "is not a parameter"),
        ("v,zstd,3,level=3", "expected either"),
        ("v,{\"id\"", "is not a filter id"),
        ("v,{\"level\":3}", "\"id\""),
        ("v,{]}", "JSON"),
        ("v,auto=slow", "auto=small"),
        ("v,auto,3", "auto=small"),
        ("v,auto|2", "cannot be joined"),
        ("v,0", "filter id"),
        ("v,65536", "filter id"),
        ("v,-1", "filter id"),
        ("v,+1", "filter id"),
        ("v,307,9|-", "filter id"),
        ("*&v,307,9", "'*' stands for all"),
        ("v&*,307,9", "'*' stands for all"),
        ("v\\", "backslash"),
        ("*", "expected ','"),
    ] {
        let message = error(argument);
        assert!(
            message.starts_with("filters ") && message.contains(says),
            "{argument}: {message}"
        );
        assert!(!message.contains('\n'));
    }
}

#[test]
fn printed_and_parsed() {
    let specs = [(307, vec![9]), (4, vec![169, 32, 32, 80]), (3, vec![])]
        .map(|(id, parameters)| CodecSpec::hdf5(id, parameters));
    let text = format(&specs);
    assert_eq!(text, "307,9|4,169,32,32,80|3");
    let printed = [(307, vec![9]), (4, vec![169, 32, 32, 80]), (3, vec![])];
    assert_eq!(
        parse_filters(&text).unwrap(),
        printed.map(|(id, parameters)| AskedCodec::id(id, parameters))
    );
    assert_eq!(parse_filters("[12]307,9").unwrap(), [AskedCodec::id(307, [9])]);
    assert!(parse_filters("307,9|").is_err());
}

#[test]
fn names_and_json() {
    let name = |name: &str, parameters: &[u32], members: serde_json::Value| AskedCodec::Name {
        name: name.into(),
        parameters: parameters.to_vec(),
        members: members.as_object().unwrap().clone(),
    };
    assert_eq!(
        parse("v,zstd,3|shuffle").unwrap().pipeline,
        [name("zstd", &[3], json!({})), name("shuffle", &[], json!({}))]
    );
    assert_eq!(
        parse("*,blosc,cname=zstd,clevel=5,shuffle=bit").unwrap().pipeline,
        [name(
            "blosc",
            &[],
            json!({"cname": "zstd", "clevel": 5, "shuffle": "bit"})
        )]
    );
    for (text, effort) in [
        ("auto", Effort::Balanced),
        ("auto=fast", Effort::Fast),
        ("auto=small", Effort::Small),
    ] {
        assert_eq!(parse_filters(text).unwrap(), [AskedCodec::Auto(effort)]);
    }
    let json = r#"{"id": "zlib", "level": 5, "a": {"b": ["|,}", "\""]}}"#;
    let parsed = parse(&format!("v,[0]{json} |1,5")).unwrap().pipeline;
    let members = json!({"level": 5, "a": {"b": ["|,}", "\""]}});
    assert_eq!(
        parsed,
        [
            AskedCodec::Zarr(CodecSpec::zarr(
                ZarrVersion::V2,
                "zlib",
                members.as_object().unwrap().clone()
            )),
            AskedCodec::id(1, [5])
        ]
    );
    assert!(error(&format!("v,{}", "{".repeat(100_000))).contains("more than 64"));
}

proptest! {
    #[test]
    fn never_panics(text in ".{0,40}", tail in "[-+0-9a-zA-Z.,|&={}\"\\[\\]\\\\]{0,20}") {
        let _ = parse(&text);
        let _ = parse(&format!("v,307,{tail}"));
        let _ = parse_filters(&tail);
    }
}
