//! The hierarchies of `testdata/zarr3`.

use std::path::Path;

use ncutils_core::format::Region;
use ncutils_core::store::DirectoryKeys;

use super::*;

fn fixture(name: &str) -> Box<dyn Reader> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/zarr3")
        .join(name);
    let keys: Arc<dyn KeyStore> = Arc::new(DirectoryKeys::open(&folder).unwrap());
    let reader = format::open(Input::keys("", keys), &Registry::builtin()).unwrap();
    assert!(reader.schema().faults.is_empty(), "{:?}", reader.schema().faults);
    reader
}

#[test]
fn elements_are_their_numbers_or_missing() {
    for name in ["flat", "shards", "nested"] {
        let reader = fixture(name);
        let schema = reader.schema();
        for var in (0..schema.vars.len()).map(VarId) {
            let values = reader
                .read_region(var, &Region::whole(&schema.shape(var)))
                .unwrap();
            let numbers: Vec<f64> = match schema.var(var).ty {
                Type::Short => values
                    .bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|b| i16::from_le_bytes(*b).into())
                    .collect(),
                Type::Float => values
                    .bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|b| f32::from_le_bytes(*b).into())
                    .collect(),
                _ => values
                    .bytes
                    .iter()
                    .step_by(schema.type_size(schema.var(var).ty))
                    .map(|b| f64::from(*b))
                    .collect(),
            };
            assert_eq!(numbers[0], 0.0);
            for (n, number) in numbers.into_iter().enumerate() {
                let name = schema.var_path(var);
                assert!(
                    number == n as f64 || number == 99.0 && n > 1,
                    "{name}[{n}] is {number}"
                );
            }
        }
    }
}

#[test]
fn structures_and_text() {
    let text = text(&*fixture("fields"));
    for line in [
        "b = {0, 1, 2} ;",
        "r = 0X6162, 0X6162 ;",
        "s = {5, {\"ab\"}, {1, 2}}, {5, {\"ab\"}, {1, 2}} ;",
        "v = \"a\", \"bc\", \"none\", \"none\" ;",
        "w = \"é€\" ;",
    ] {
        assert!(text.contains(line), "{text}");
    }
}
