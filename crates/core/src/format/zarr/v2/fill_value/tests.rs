use super::*;
use crate::model::Endian;

fn dtype(text: &str, flavor: Flavor) -> Dtype {
    Dtype::parse_text(text, flavor).unwrap()
}

fn fill(ty: &str, json: &str, flavor: Flavor) -> Result<Option<Values>, String> {
    let json = Json::parse(json.as_bytes()).unwrap();
    read(&json, &dtype(ty, flavor), flavor)
}

fn text(ty: &str, json: &str, flavor: Flavor) -> String {
    let values = fill(ty, json, flavor).unwrap().unwrap();
    let bytes = match dtype(ty, flavor).ty {
        Type::Char => &values.bytes[..],
        _ => values.string(0).unwrap(),
    };
    String::from_utf8_lossy(bytes).into_owned()
}

use Flavor::{Nczarr, OldNczarr, Zarr};

#[test]
fn numbers_are_read_and_written() {
    for (ty, json, written) in [
        ("|i1", "-127", "-127"),
        ("|u1", "255", "255"),
        (">i2", "-32767", "-32767"),
        ("<u8", "18446744073709551614", "18446744073709551614"),
        ("<i4", "0.0", "0"),
        ("<i4", "[-32767]", "-32767"),
        ("<f8", "0", "0.0"),
        ("<f8", "9.969209968386869e+36", "9.969209968386869e36"),
        ("<f4", "9.969209968386869e+36", "9.969209968386869e36"),
        ("<f4", "0.1", "0.10000000149011612"),
        ("<f4", "\"NaN\"", "\"NaN\""),
        ("<f8", "NaN", "\"NaN\""),
        ("<f8", "-Infinity", "\"-Infinity\""),
        (">f4", "\"Infinity\"", "\"Infinity\""),
        ("<f2", "0.1", "0.0999755859375"),
        ("<f2", "\"NaN\"", "\"NaN\""),
        ("|b1", "true", "true"),
        ("|b1", "0", "false"),
        ("<f8", "null", "null"),
    ] {
        let value = fill(ty, json, Zarr).unwrap();
        assert_eq!(
            write(value.as_ref(), &dtype(ty, Zarr)).to_string(),
            written,
            "{ty} {json}"
        );
    }
}

#[test]
fn a_fill_value_that_does_not_fit_is_an_error() {
    for (ty, json) in [
        ("|u1", "300"),
        ("|u1", "-1"),
        ("<i4", "1.5"),
        ("<i4", "\"NaN\""),
        ("<i4", "[]"),
        ("<i4", "[1, 1]"),
        ("<i4", "[[1]]"),
        ("<f8", "{}"),
        ("<f8", "\"x\""),
        ("<f4", "1e39"),
        ("<f2", "65520.0"),
        ("|b1", "2"),
        ("|S3", "1"),
        ("|S3", "\"long text\""),
        ("<U2", "\"abc\""),
        ("|O", "[]"),
    ] {
        let error = fill(ty, json, Zarr).unwrap_err();
        let shown = Json::parse(json.as_bytes()).unwrap();
        assert_eq!(
            error,
            format!("the fill_value {shown} does not fit the type {ty}")
        );
    }
    let long = fill("<i4", &format!("\"{}\"", "é".repeat(1000)), Zarr).unwrap_err();
    assert!(long.len() < 150, "{long}");
}

#[test]
fn text_is_raw_in_nczarr_and_base64_elsewhere() {
    for (ty, json, flavor, value) in [
        ("|S4", "\"Zm8=\"", Nczarr, "Zm8="),
        ("|S4", "\"Zm8=\"", OldNczarr, "Zm8="),
        ("|S4", "\"Zm8=\"", Zarr, "fo"),
        ("|S4", "\"AAAAAA==\"", Zarr, ""),
        ("|S4", "\"Zm8AAA==\"", Zarr, "fo"),
        ("|S4", "\"Zm9v\"", Zarr, "foo"),
        // No base64.
        ("|S3", "\"ab\"", Zarr, "ab"),
        ("|S2", "\"ab\"", Zarr, "ab"),
        ("|S4", "0", Zarr, ""),
        ("|S4", "\"\"", Zarr, ""),
        ("<U4", "\"Zm8=\"", Zarr, "Zm8="),
        ("<U4", "\"äöüß\"", Zarr, "äöüß"),
        ("|O", "\"Zm8=\"", Zarr, "Zm8="),
        ("|O", "0", Zarr, ""),
        (">S1", "\"x\"", Nczarr, "x"),
        (">S1", "\"\"", Nczarr, "\0"),
        ("<U1", "\"\"", OldNczarr, "\0"),
        ("<U1", "\"x\"", OldNczarr, "x"),
    ] {
        assert_eq!(text(ty, json, flavor), value, "{ty} {json}");
    }
    assert!(fill(">S1", "\"xy\"", Nczarr).is_err());
    // Three bytes in base64, where only one fits.
    assert!(fill("|S1", "\"fill\"", Zarr).is_err());
}

#[test]
fn text_is_always_written_as_nothing() {
    for (ty, value) in [
        (Dtype::number(Type::Char, Endian::Little), Values::from_text("x")),
        (Dtype::string(5), Values::from_strings([Some(&b"x"[..])])),
    ] {
        assert_eq!(write(Some(&value), &ty), "".into());
        assert_eq!(write(None, &ty), Json::Null);
    }
}
