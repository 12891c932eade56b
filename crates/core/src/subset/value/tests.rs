use super::*;
use crate::format::in_memory::InMemoryReader;
use crate::model::{Attribute, Dimension, Kind, Type, Values, Variable};

/// A dataset of one dimension `x` with its coordinate, whose attributes are texts or numbers.
fn coordinate(ty: Type, values: Values, attributes: &[(&str, &str)]) -> InMemoryReader {
    let size = ty.atomic_size();
    let mut schema = Schema::new(Kind::Netcdf4);
    let dim = schema.add_dim(Dimension {
        name: "x".into(),
        group: Schema::ROOT,
        length: (values.bytes.len() / size) as u64,
        unlimited: false,
    });
    let attribute = |(name, value): &(&str, &str)| match value.parse::<f64>() {
        Ok(number) if *name != "_FillValue" => Attribute {
            name: (*name).into(),
            ty: Type::Double,
            length: 1,
            values: Values::from_bytes(number.to_le_bytes().to_vec()),
        },
        Ok(number) => Attribute {
            name: (*name).into(),
            ty,
            length: 1,
            values: Values::from_bytes((number as i16).to_le_bytes().to_vec()),
        },
        Err(_) => Attribute {
            name: (*name).into(),
            ty: Type::Char,
            length: value.len(),
            values: Values::from_text(value),
        },
    };
    schema.add_var(Variable {
        name: "x".into(),
        group: Schema::ROOT,
        ty,
        dims: vec![dim],
        attributes: attributes.iter().map(attribute).collect(),
    });
    InMemoryReader::new(schema, vec![values])
}

fn doubles(values: &[f64]) -> Values {
    Values::from_bytes(values.iter().flat_map(|n| n.to_le_bytes()).collect())
}

fn floats(values: &[f32]) -> Values {
    Values::from_bytes(values.iter().flat_map(|n| n.to_le_bytes()).collect())
}

fn shorts(values: &[i16]) -> Values {
    Values::from_bytes(values.iter().flat_map(|n| n.to_le_bytes()).collect())
}

fn cells(reader: &InMemoryReader, argument: &str) -> Result<Vec<u64>, String> {
    let request = ValueRequest::parse(argument).map_err(|e| e.to_string())?;
    let chosen = choose(reader, DimId(0), &request[0]).map_err(|e| e.to_string())?;
    Ok(chosen.cells.indices(0, chosen.cells.len()))
}

#[track_caller]
fn check(reader: &InMemoryReader, cases: &[(&str, &[u64])]) {
    for (argument, expected) in cases {
        assert_eq!(cells(reader, argument).as_deref(), Ok(*expected), "{argument}");
    }
}

#[test]
fn numbers_are_rounded_to_the_type_of_the_coordinate() {
    let tenths: Vec<f32> = (0..6).map(|n| n as f32 / 10.0).collect();
    let reader = coordinate(Type::Float, floats(&tenths), &[]);
    check(
        &reader,
        &[
            ("x=0.1..0.3", &[1, 2, 3]),
            ("x=0.3", &[3]),
            ("x=@.1,@0.5", &[1, 5]),
            ("x=.4,0.5", &[4, 5]),
            ("x=0.5,0.1,0.3", &[1, 3, 5]),
            ("x=0.1../2", &[1, 3, 5]),
            ("x=..0.1,0.1..0.2", &[0, 1, 2]),
            ("x~0.14", &[1]),
            ("x~0.26,9", &[3, 5]),
            ("x=..", &[0, 1, 2, 3, 4, 5]),
        ],
    );
    let told = cells(&reader, "x=0.7..0.9").unwrap_err();
    assert!(
        told.ends_with("selects nothing; the coordinate x goes from 0 to 0.5"),
        "{told}"
    );
    // Neither end is a cell.
    let told = cells(&reader, "x=0.05,0.45").unwrap_err();
    assert!(told.contains("write x=0.05..0.45 for the range"), "{told}");
    let told = cells(&reader, "x=0.3..0.1").unwrap_err();
    assert!(
        told.ends_with("the lower end 0.3 is above the upper end 0.1"),
        "{told}"
    );
    for wrong in ["x=inf", "x=nan..", "x=a", "x=2000-01", "x=1:2"] {
        assert!(
            cells(&reader, wrong).unwrap_err().contains("is no number"),
            "{wrong}"
        );
    }
}

#[test]
fn units_of_time_have_symbols() {
    let hours = [("units", "h since 2000-01-01")];
    let reader = coordinate(Type::Double, doubles(&[0.0, 12.0, 24.0, 36.0]), &hours);
    assert_eq!(cells(&reader, "x=2000-01-02").unwrap(), [2, 3]);
    let days = [("units", "d since 2000-01-01")];
    let reader = coordinate(Type::Double, doubles(&[0.0, 12.0, 40.0]), &days);
    assert_eq!(cells(&reader, "x=2000-01").unwrap(), [0, 1]);
}

#[test]
fn whole_numbers_are_exact_and_fractions_lie_between_them() {
    let big = 1i64 << 60;
    let bytes = [big, big + 1, big + 2, 5]
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .collect();
    let reader = coordinate(Type::Int64, Values::from_bytes(bytes), &[]);
    check(
        &reader,
        &[
            ("x=1152921504606846977", &[1]),
            ("x=1152921504606846977..", &[1, 2]),
            ("x=4.5..5.5", &[3]),
        ],
    );
    assert!(cells(&reader, "x=4.5").is_err());
}

#[test]
fn packed_values_compare_unpacked_in_any_order_and_missing_ones_never() {
    let reader = coordinate(
        Type::Short,
        shorts(&[3, -99, 1, 2, 0, -32767]),
        &[("scale_factor", "0.1"), ("_FillValue", "-99")],
    );
    check(
        &reader,
        &[
            ("x=0.3", &[0]),
            ("x=0.1..0.3", &[0, 2, 3]),
            ("x=..0.2", &[2, 3, 4, 5]),
            ("x~-9.9", &[4]),
        ],
    );
    let filled = coordinate(Type::Short, shorts(&[1, -32767]), &[]);
    check(&filled, &[("x=..", &[0])]);
    let nans = coordinate(Type::Double, doubles(&[f64::NAN, 1.0, 2.0]), &[]);
    check(&nans, &[("x=..", &[1, 2]), ("x~-5", &[1]), ("x~1.5", &[1])]);
}

#[test]
fn times_by_dates() {
    let days: Vec<f64> = (0..90).map(|n| f64::from(n) * 0.5).collect();
    let units = [("units", "days since 2000-01-01")];
    let reader = coordinate(Type::Double, doubles(&days), &units);
    check(
        &reader,
        &[
            ("x=2000-01-03", &[4, 5]),
            ("x=2000-01-03..2000-01-04", &[4, 5, 6, 7]),
            ("x=2000-01-03T12..2000-01-04T00", &[5, 6]),
            ("x~2000-01-03T05:59", &[4]),
            ("x=@1.5..@2", &[3, 4]),
            ("x=2000..2001", &(0..90).collect::<Vec<_>>()),
            ("x=@2,@4", &[4, 8]),
            ("x=2000-02-13..,2000-01-01", &[0, 1, 86, 87, 88, 89]),
        ],
    );
    let told = cells(&reader, "x=1999-01").unwrap_err();
    let range = "the coordinate x goes from 0 to 44.5 (2000-01-01 to 2000-02-14T12)";
    assert!(told.ends_with(range), "{told}");
    let told = cells(&reader, "x=1999").unwrap_err();
    assert!(told.ends_with(range), "{told}");
    for (argument, number) in [
        ("x=31", "31"),
        ("x=..31", "31"),
        ("x~3.1e1", "3.1e1"),
        ("x=@0..31", "31"),
    ] {
        let told = cells(&reader, argument).unwrap_err();
        let expected = format!(
            "part by values '{argument}': '{number}' is a number or a date of the coordinate x: \
             write @{number} for the number in 'days since 2000-01-01', or a date such as 2000-02-01"
        );
        assert_eq!(told, expected);
    }
    let told = cells(&reader, "x=2001-02-29").unwrap_err();
    assert!(told.contains("'2001-02-29' is no date of the calendar"), "{told}");
    assert!(
        cells(&reader, "x=2000-03..2000-02")
            .unwrap_err()
            .contains("is above")
    );
    let units = [("units", "days since 2000-01-01"), ("calendar", "360_day")];
    let reader = coordinate(Type::Double, doubles(&[58.0, 59.0, 60.0]), &units);
    check(&reader, &[("x=2000-02-30", &[1]), ("x=2000-02", &[0, 1])]);
    let units = [units[0], ("calendar", "bogus")];
    let reader = coordinate(Type::Double, doubles(&[58.0]), &units);
    let told = cells(&reader, "x=2000-02").unwrap_err();
    assert!(
        told.contains("the calendar 'bogus' of the coordinate x is not known"),
        "{told}"
    );
    check(&reader, &[("x=58", &[0])]);
}

#[test]
fn text_is_equal_or_not() {
    let names = Values::from_strings([Some(&b"Oslo"[..]), None, Some(b"a,b"), Some(b"Bergen")]);
    let reader = coordinate(Type::String, names, &[]);
    check(&reader, &[("x=Bergen,Oslo", &[0, 3]), (r"x=a\,b", &[2])]);
    assert!(
        cells(&reader, "x=a..b")
            .unwrap_err()
            .contains("is text, which has no ranges")
    );
    assert!(
        cells(&reader, "x~a")
            .unwrap_err()
            .contains("has no nearest value")
    );
}

/// The cells of a longitude in their new order, and their new values.
fn around(reader: &InMemoryReader, argument: &str) -> (Vec<u64>, Option<Vec<i32>>) {
    let request = ValueRequest::parse(argument).unwrap();
    let chosen = choose(reader, DimId(0), &request[0]).unwrap();
    let turns = chosen.shifted.first().map(|(_, shift)| shift.turns.clone());
    (chosen.cells.indices(0, chosen.cells.len()), turns)
}

#[test]
fn longitudes_cross_the_seam_in_one_run() {
    let east = [("units", "degrees_east")];
    let reader = coordinate(Type::Double, doubles(&[0.0, 90.0, 180.0, 270.0]), &east);
    for (argument, cells, turns) in [
        ("x=-90..90", vec![3, 0, 1], Some(vec![-1, 0, 0])),
        ("x=270..90", vec![3, 0, 1], Some(vec![-1, 0, 0])),
        ("x=270..450", vec![3, 0, 1], Some(vec![0, 1, 1])),
        ("x=-90..-10", vec![3], None),
        ("x=-180..180", vec![2, 3, 0, 1], Some(vec![-1, -1, 0, 0])),
        ("x=0..360", vec![0, 1, 2, 3], None),
        ("x=-90..90/2", vec![3, 1], Some(vec![-1, 0])),
        ("x=-90..90,180", vec![0, 1, 2, 3], None),
        ("x=-90", vec![3], None),
        ("x~-80", vec![3], None),
        ("x~350", vec![0], None),
        ("x=100..", vec![2, 3], None),
    ] {
        assert_eq!(around(&reader, argument), (cells, turns), "{argument}");
    }
    let reader = coordinate(Type::Double, doubles(&[270.0, 180.0, 90.0, 0.0]), &east);
    assert_eq!(
        around(&reader, "x=-90..90"),
        (vec![2, 3, 0], Some(vec![0, 0, -1]))
    );
    let reader = coordinate(Type::Double, doubles(&[-180.0, -90.0, 0.0, 90.0]), &east);
    assert_eq!(around(&reader, "x=170..280"), (vec![0, 1], None));
    assert_eq!(around(&reader, "x=90..180"), (vec![3, 0], Some(vec![0, 1])));
    let reader = coordinate(Type::Double, doubles(&[0.0, 270.0, 90.0, 180.0, 10.0]), &east);
    assert_eq!(around(&reader, "x=-90..90"), (vec![0, 1, 2, 4], None));
}

#[test]
fn longitudes_of_floats_match_as_they_are_typed() {
    let east = [("units", "degrees_east")];
    let values: Vec<f32> = (0..3600).map(|n| n as f32 / 10.0).collect();
    let reader = coordinate(Type::Float, floats(&values), &east);
    for tenth in (1..1800u32).step_by(37) {
        let (cells, turns) = around(&reader, &format!("x=-{0}.{1}..{0}.{1}", tenth / 10, tenth % 10));
        assert_eq!(cells.len(), 2 * tenth as usize + 1, "{tenth}");
        assert!(turns.is_some());
    }
}

#[test]
fn what_has_no_coordinate_is_told() {
    let mut schema = Schema::new(Kind::Netcdf4);
    schema.add_dim(Dimension {
        name: "x".into(),
        group: Schema::ROOT,
        length: 3,
        unlimited: false,
    });
    let told = cells(&InMemoryReader::new(schema, Vec::new()), "x=1").unwrap_err();
    assert!(told.contains("has no one-dimensional coordinate"), "{told}");
}
