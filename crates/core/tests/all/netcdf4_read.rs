//! Reading HDF5 and classic files, judged by what netCDF-C read of the same files (`testdata/netcdf4`, `testdata/classic`).

#[path = "../../../../tests/harness/src/bin/schema_dump.rs"]
mod schema_dump;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ncutils_core::chunk::Region;
use ncutils_core::filter::Registry;
use ncutils_core::format::{self, Reader};
use ncutils_core::model::{Encoding, VarId};

/// Variables of more elements than this are not read where a file may be broken.
const FEW: u64 = 100_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/netcdf4")
}

fn read(path: &Path) -> String {
    let reader = schema_dump::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    schema_dump::dump(reader.as_ref(), u64::MAX)
}

fn sample(name: &str) -> Vec<String> {
    read(&folder().join(name)).lines().map(str::to_owned).collect()
}

/// The lines that begin with one of `kinds`.
fn lines(name: &str, kinds: &[&str]) -> Vec<String> {
    let mut lines = sample(name);
    lines.retain(|line| kinds.iter().any(|kind| line.split(' ').next() == Some(kind)));
    lines
}

fn open_bytes(bytes: Vec<u8>) -> ncutils_core::Result<Box<dyn Reader>> {
    format::open(Arc::new(bytes), &Registry::builtin())
}

#[test]
fn files_read_as_netcdf_c_reads_them() {
    assert!(judged_files(&folder()) >= 14);
}

#[test]
fn classic_files_read_as_netcdf_c_reads_them() {
    assert!(judged_files(&folder().with_file_name("classic")) >= 6);
}

/// Compares every file of a folder that has a `.txt` beside it, and counts them.
fn judged_files(folder: &Path) -> usize {
    let mut judged = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let text = entry.unwrap().path();
        if text.extension().is_none_or(|e| e != "txt") {
            continue;
        }
        let file = ["nc", "h5"]
            .map(|e| text.with_extension(e))
            .into_iter()
            .find(|f| f.exists())
            .unwrap();
        // netCDF-C knows no byte order of types that have none or several; here it is that of what is inside.
        let comparable = |text: &str| -> Vec<String> {
            text.lines()
                .filter(|l| !l.starts_with("endian"))
                .map(str::to_owned)
                .collect()
        };
        let expected = fs::read_to_string(&text).unwrap();
        assert_eq!(
            comparable(&read(&file)),
            comparable(&expected),
            "{}",
            file.display()
        );
        let orders = |text: &str| -> Vec<String> {
            text.lines()
                .filter(|l| l.starts_with("endian"))
                .map(str::to_owned)
                .collect()
        };
        for (ours, theirs) in orders(&read(&file)).iter().zip(orders(&expected)) {
            assert!(
                *ours == theirs || theirs.ends_with(" native"),
                "{ours} against {theirs}"
            );
        }
        judged += 1;
    }
    judged
}

#[test]
fn what_netcdf_cannot_hold_is_left_out_with_a_warning_each() {
    assert_eq!(
        lines("h5_not_netcdf.h5", &["var", "att", "warning", "refused"]),
        [
            "var / bits ushort /:phony_dim_0",
            "var / complex /:_AnonymousCompound2 /:phony_dim_1",
            "var / good int /:phony_dim_2",
            "att / good:kept int64 1 8 a988dff7 0100000000000000",
            "var / longdouble double /:phony_dim_0",
            "var / virtual int /:phony_dim_2",
            "warning /dangling is left out: its target /nowhere does not exist",
            "warning /missing is left out: its file missing.h5 does not exist",
            "warning /bits: its bit fields are read as unsigned integers",
            "warning /array is left out: netCDF has no elements that are arrays",
            "warning /longdouble has floating-point numbers that a double does not hold: they are rounded",
            "warning /null is left out: netCDF has no null dataspace",
            "warning the type /number_type is left out: it is not a type that netCDF lets users define",
            "warning /reference is left out: netCDF has no references; --references path gives the paths, -k h5 keeps them",
            "warning the attribute /good:region is left out: netCDF has no references; --references path gives the paths, -k h5 keeps them",
            "refused /outside is left out: its file /etc/passwd is outside of the input's folder: it is /etc/passwd",
        ]
    );
}

#[test]
fn links_that_go_round_end() {
    assert_eq!(
        lines("h5_cycles.h5", &["group", "var", "warning"]),
        [
            "group /",
            "group /a",
            "var /a d float /a:phony_dim_0",
            "warning /loop1 is left out: more than 16 soft links lead from one to the next",
            "warning /loop2 is left out: more than 16 soft links lead from one to the next",
            "warning /a/root is left out: it is a group that it is itself in",
            "warning /a/self is left out: it is a group that it is itself in",
            "warning /a/up is left out: it is a group that it is itself in",
        ]
    );
}

#[test]
fn an_unattached_dimension_gets_a_phony_one() {
    assert_eq!(
        lines("h5_partly_attached.h5", &["dim", "var"]),
        [
            "dim / x 3 0",
            "dim / y 4 0",
            "dim / phony_dim_2 6 0",
            "var / first float /:y,/:phony_dim_2",
            "var / second float /:phony_dim_2,/:x",
            "var / x double /:x",
            "var / y double /:y",
        ]
    );
}

#[test]
fn anonymous_types_are_numbered_in_the_order_of_datasets() {
    let types = [
        "_AnonymousCompound1 compound a=int[] b=double[]",
        "_AnonymousEnum2 enum byte FALSE=0 TRUE=1",
        "_AnonymousEnum3 enum short B=42 G=1 R=0",
        "_AnonymousCompound4 compound p=float[] q=float[]",
        "named compound p=float[] q=float[]",
        "_AnonymousOpaque5 opaque 4",
        "_AnonymousCompound6 compound a=byte[] b=double[] c=byte[2]",
        "_AnonymousVlen7 vlen int",
        "_AnonymousCompound8 compound n=int[] s=string[]",
    ];
    let mut expected: Vec<_> = types.iter().map(|t| format!("type / {t}")).collect();
    expected.push("type /g _AnonymousCompound9 compound only=ubyte[]".into());
    assert_eq!(lines("h5_anonymous_types.h5", &["type"]), expected);
    assert!(sample("h5_anonymous_types.h5").contains(&"var / uses_named /:named /:phony_dim_1".to_owned()));
}

#[test]
fn types_within_types_and_those_of_attributes_are_numbered_last() {
    assert_eq!(
        lines("h5_nested_types.h5", &["type", "att", "data"]),
        [
            "type / _AnonymousCompound1 compound s=char[5] t=char[2,2]",
            "type / _AnonymousCompound4 compound u=ushort[] v=float[]",
            "type / _AnonymousCompound2 compound p=/:_AnonymousCompound4[] q=/:_AnonymousCompound4[2]",
            "type / _AnonymousVlen5 vlen float",
            "type / _AnonymousCompound3 compound n=int[] s=/:_AnonymousVlen5[]",
            "type / _AnonymousCompound6 compound a=int[] b=double[]",
            "type / _AnonymousEnum7 enum byte FALSE=0 TRUE=1",
            "att / :flag /:_AnonymousEnum7 1 1 a505df1b 01",
            "data / fixed 9 fc2ef3a3 616263000078007979",
            "att / nested:pair /:_AnonymousCompound6 1 12 f2c00e94 010000000000000000000440",
            "data / nested 36 6ab6b2d5 000000000000000000000000000000000000000000000000",
            // The first element: 5, and the sequence 1, 2, 3.
            "data / sequences 36 702fcc13 0500000003000000000000000000803f0000004000004040",
        ]
    );
}

#[test]
fn half_precision_reads_as_float() {
    let data: Vec<_> = [1f32, -2.0, 65504.0, f32::INFINITY, 1.0 / 16_777_216.0]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .map(|b| format!("{b:02x}"))
        .collect();
    let line = &lines("h5_half.h5", &["data"])[0];
    assert_eq!(line.rsplit(' ').next(), Some(data.concat().as_str()));
}

#[test]
fn attributes_of_more_dimensions_are_flattened() {
    assert_eq!(
        lines("h5_matrix_attribute.h5", &["att"]),
        [
            "att / :matrix int 6 24 6f2f2440 00000000070000000e000000150000001c00000023000000",
            "att / :arrays short 4 8 6522df69 0000000000000000",
        ]
    );
}

#[test]
fn regions_of_structured_variables_are_parts_of_the_whole() {
    for (file, min) in [
        ("h5_layouts.h5", 2),
        ("h5_strings.h5", 5),
        ("nc_vlen_of_compound.nc", 3),
    ] {
        let reader = schema_dump::open(&folder().join(file)).unwrap();
        let schema = reader.schema();
        let mut seen = 0;
        for var in (0..schema.vars.len()).map(VarId) {
            let shape = schema.shape(var);
            if reader.layout(var).encoding != Encoding::Structured || shape.is_empty() {
                continue;
            }
            seen += 1;
            let ty = schema.var(var).ty;
            let size = schema.type_size(ty);
            let whole = reader.read_region(var, &Region::whole(&shape)).unwrap();
            let total: u64 = shape.iter().product();
            for n in 0..total {
                let mut rest = n;
                let mut start = vec![0; shape.len()];
                for d in (0..shape.len()).rev() {
                    start[d] = rest % shape[d];
                    rest /= shape[d];
                }
                let count: Vec<u64> = start.iter().zip(&shape).map(|(s, l)| (l - s).min(2)).collect();
                let part = reader
                    .read_region(
                        var,
                        &Region {
                            start,
                            count: count.clone(),
                        },
                    )
                    .unwrap();
                assert_eq!(
                    part.bytes.len() as u64,
                    size as u64 * count.iter().product::<u64>()
                );
                let one = |values: &ncutils_core::model::Values, at: usize| {
                    let mut values = values.clone();
                    values.bytes = values.bytes[at * size..(at + 1) * size].to_vec();
                    schema_dump::crc(schema, ty, &values)
                };
                assert_eq!(
                    one(&part, 0),
                    one(&whole, n as usize),
                    "{file} {} {n}",
                    schema.var_path(var)
                );
            }
        }
        assert!(seen >= min, "{file}: only {seen}");
    }
}

#[cfg(unix)]
#[test]
fn external_links_stay_within_the_folder() {
    use std::os::unix::fs::symlink;

    let outer = tempfile::tempdir().unwrap();
    let inner = outer.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let file = inner.join("h5_links.h5");
    fs::copy(folder().join("h5_links.h5"), &file).unwrap();
    let external = |text: &str| -> String {
        let line = text
            .lines()
            .find(|l| l.contains("/external") || l.contains(" external "));
        line.unwrap_or_default().to_owned()
    };
    assert_eq!(
        external(&read(&file)),
        "warning /external is left out: its file h5_links_target.h5 does not exist"
    );
    let elsewhere = outer.path().join("target.h5");
    fs::copy(folder().join("h5_links_target.h5"), &elsewhere).unwrap();
    symlink(&elsewhere, inner.join("h5_links_target.h5")).unwrap();
    assert_eq!(
        external(&read(&file)),
        format!(
            "refused /external is left out: its file h5_links_target.h5 is outside of the input's folder: it is {}",
            elsewhere.canonicalize().unwrap().display()
        )
    );
    fs::remove_file(inner.join("h5_links_target.h5")).unwrap();
    fs::rename(&elsewhere, inner.join("target.h5")).unwrap();
    symlink("target.h5", inner.join("h5_links_target.h5")).unwrap();
    assert!(external(&read(&file)).starts_with("var / external int "));
    // The same through a link to the input, whose own folder counts.
    let link = outer.path().join("link.h5");
    symlink(&file, &link).unwrap();
    assert!(external(&read(&link)).starts_with("var / external int "));
    fs::write(inner.join("target.h5"), b"no HDF5").unwrap();
    assert!(
        external(&read(&file))
            .starts_with("warning /external is left out: its file h5_links_target.h5 cannot")
    );
    // From memory there is no folder.
    let reader = open_bytes(fs::read(&file).unwrap()).unwrap();
    assert!(
        reader
            .schema()
            .refused
            .iter()
            .any(|w| w.contains("what lies beside the input"))
    );
}

/// Bytes changed at random: an error or other values, never a panic, and soon.
#[test]
fn broken_files_end_properly() {
    let rounds: u64 = std::env::var("NCUTILS_FUZZ_ROUNDS").map_or(150, |n| n.parse().unwrap());
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut opened = 0;
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "nc" && e != "h5") {
            continue;
        }
        let whole = fs::read(&path).unwrap();
        for round in 0..rounds {
            let mut bytes = whole.clone();
            let begun = Instant::now();
            for _ in 0..=random() % 4 {
                let at = random() as usize % bytes.len();
                bytes[at] = match random() % 4 {
                    0 => 0,
                    1 => 0xFF,
                    2 => bytes[at] ^ 1 << (random() % 8),
                    _ => random() as u8,
                };
            }
            if random() % 8 == 0 {
                bytes.truncate(random() as usize % bytes.len());
            }
            if let Ok(reader) = open_bytes(bytes) {
                schema_dump::dump(reader.as_ref(), FEW);
                opened += 1;
            }
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "{} took {:?} in round {round}",
                path.display(),
                begun.elapsed()
            );
        }
    }
    assert!(opened > 0);
}
