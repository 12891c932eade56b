//! Tests of the planning rules (`-k -F -d -s -c -u -M`) on a made-up input.

mod kinds;
mod zarr3;

use super::output::kind;
use super::{ChunkSpec, CopyOptions, Listed, netcdf_c_chunk_shape, plan, unheld};
use crate::error::Result;
use crate::filter::spec;
use crate::format::{Extensions, Reader, Region};
use crate::model::{
    Capabilities, CodecNames, CodecSpec, Configuration, Dimension, Encoding, Endian, GroupId, Kind, Schema,
    Storage, Type, UnlimitedDimensions, Values, VarId, Variable, VariableLayout, ZarrVersion,
};

/// An input whose data is never read.
struct PlannedInput {
    schema: Schema,
    layouts: Vec<VariableLayout>,
}

impl Reader for PlannedInput {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        &self.layouts[var.0]
    }

    fn written(&self, _: VarId) -> Result<crate::format::Written> {
        Ok(crate::format::Written::All)
    }

    fn read_range(&self, _: VarId, _: u64, _: &mut [u8]) -> Result<()> {
        Ok(())
    }

    fn read_region(&self, _: VarId, _: &Region) -> Result<Values> {
        Ok(Values::default())
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions::NONE
    }
}

fn filter(id: u32, parameters: &[u32]) -> CodecSpec {
    CodecSpec::hdf5(id, parameters).with_optional(id != 3)
}

/// t unlimited (3), y 10, x 20; variables: deflated(t,y,x), plain(y,x) contiguous, checked(y,x) chunked with fletcher32,
/// shuffle and deflate, scalar.
fn input(kind: Kind) -> PlannedInput {
    let mut schema = Schema::new(kind);
    let dims: Vec<_> = [("t", 3, true), ("y", 10, false), ("x", 20, false)]
        .into_iter()
        .map(|(name, length, unlimited)| {
            schema.add_dim(Dimension {
                name: name.into(),
                group: Schema::ROOT,
                length,
                unlimited,
            })
        })
        .collect();
    let mut layouts = Vec::new();
    let chunked = |shape: &[u64]| Storage::Chunked {
        shape: shape.to_vec(),
    };
    for (name, from, storage, filters) in [
        (
            "deflated",
            0,
            chunked(&[1, 10, 20]),
            vec![filter(2, &[4]), filter(1, &[4])],
        ),
        ("plain", 1, Storage::Contiguous, vec![]),
        (
            "checked",
            1,
            chunked(&[5, 7]),
            vec![filter(2, &[4]), filter(1, &[6]), filter(3, &[])],
        ),
        ("scalar", 3, Storage::Contiguous, vec![]),
    ] {
        let var = schema.add_var(Variable {
            name: name.into(),
            group: Schema::ROOT,
            ty: Type::Float,
            dims: dims[from..].to_vec(),
            attributes: Vec::new().into(),
        });
        layouts.push(VariableLayout {
            storage: if kind.can().chunks {
                storage
            } else {
                Storage::Contiguous
            },
            endian: if kind.can().chunks {
                Endian::Little
            } else {
                Endian::Big
            },
            filters: if kind.can().chunks { filters } else { Vec::new() },
            ..VariableLayout::contiguous(schema.shape(var), 4, Encoding::Numbers { unit: 4 })
        });
    }
    PlannedInput { schema, layouts }
}

fn options(filters: &[&str]) -> CopyOptions {
    CopyOptions {
        filters: filters.iter().map(|f| spec::parse(f).unwrap()).collect(),
        ..CopyOptions::default()
    }
}

fn chunks(specs: &[&str]) -> CopyOptions {
    let chunking = specs.iter().map(|c| ChunkSpec::parse(c).unwrap()).collect();
    CopyOptions {
        chunking,
        ..CopyOptions::default()
    }
}

fn planned(kind: Kind, options: &CopyOptions) -> Vec<VariableLayout> {
    plan(&input(kind), options)
        .unwrap()
        .variables
        .into_iter()
        .map(|v| VariableLayout::clone(&v.layout))
        .collect()
}

fn refused(kind: Kind, options: &CopyOptions) -> String {
    plan(&input(kind), options).unwrap_err().to_string()
}

fn ids(layout: &VariableLayout) -> Vec<u32> {
    layout.filters.iter().map(|f| f.hdf5_id().unwrap()).collect()
}

fn shape(layout: &VariableLayout) -> &[u64] {
    match &layout.storage {
        Storage::Chunked { shape } => shape,
        _ => &[],
    }
}

#[test]
fn what_no_option_touches_stays() {
    let source = input(Kind::Netcdf4);
    assert_eq!(planned(Kind::Netcdf4, &CopyOptions::default()), source.layouts);
    let touched = planned(Kind::Netcdf4, &options(&["plain,307,9"]));
    assert_eq!(touched[0], source.layouts[0]);
    assert_eq!(touched[2..], source.layouts[2..]);
    assert_eq!(ids(&touched[1]), [307]);
    assert_eq!(shape(&touched[1]), [10, 20]);
}

#[test]
fn parameters_of_kept_filters_follow_the_elements() {
    let mut source = input(Kind::Netcdf4);
    let packed = [8, 0, 200, 1, 4, 1, 31, 0];
    let kept = |source: &PlannedInput| {
        let plan = plan(source, &CopyOptions::default()).unwrap();
        plan.variables[0].layout.filters[0].parameters().to_vec()
    };
    source.layouts[0].filters = vec![filter(5, &packed)];
    assert_eq!(kept(&source), packed);
    source.layouts[0].filters.insert(0, filter(2, &[4]));
    assert_eq!(kept(&source), [4]);
    // For example, an integer with 31 significant bits that becomes one with 32.
    source.layouts[0].encoding = Encoding::Structured;
    assert_eq!(kept(&source), [8, 1, 200, 1, 4, 0, 32, 0]);
}

#[test]
fn codecs_with_zarr_names_take_their_hdf5_form_or_are_refused() {
    let zarr = |name: &str, member: &str| {
        let configuration = Configuration::from_iter([(member.to_owned(), 5.into())]);
        CodecSpec::zarr(ZarrVersion::V2, name, configuration)
    };
    let mut source = input(Kind::Netcdf4);
    source.layouts[0].filters = vec![zarr("zlib", "level")];
    let planned = plan(&source, &CopyOptions::default()).unwrap();
    let found = &planned.variables[0].layout.filters[0];
    assert_eq!((found.hdf5_id(), found.parameters()), (Some(1), &[5][..]));
    source.layouts[0].filters = vec![zarr("odd", "acceleration")];
    let error = plan(&source, &CopyOptions::default()).unwrap_err().to_string();
    assert!(
        error.starts_with("variable deflated: codec odd has no form in HDF5"),
        "{error}"
    );
    // Other filters replace them.
    let options = options(&["deflated,1,4"]);
    assert_eq!(ids(&plan(&source, &options).unwrap().variables[0].layout), [1]);
}

#[test]
fn references_have_only_codecs_of_numcodecs() {
    let mut source = input(Kind::Netcdf4);
    source.layouts[0].filters = vec![filter(4, &[141, 32, 32, 200])];
    let planned = |kind, options: CopyOptions| {
        let options = CopyOptions {
            kind: Some(kind),
            inline_bytes: Some(0),
            ..options
        };
        let planned = plan(&source, &options).map_err(|error| error.to_string())?;
        let filters = &planned.variables[0].layout.filters;
        Ok::<_, String>(
            filters
                .iter()
                .map(|codec| codec.name().to_owned())
                .collect::<Vec<_>>(),
        )
    };
    let kept = CopyOptions::default;
    assert_eq!(planned(Kind::Zarr2, kept()).unwrap(), ["szip"]);
    assert_eq!(planned(Kind::Kerchunk, kept()).unwrap(), ["shuffle", "zlib"]);
    let error = planned(Kind::Kerchunk, options(&["deflated,szip,32,16"])).unwrap_err();
    let told = "variable deflated: numcodecs, by which references are read, lacks szip";
    assert!(error.starts_with(told), "{error}");
}

#[test]
fn named_filters_beat_the_star_and_later_ones_earlier() {
    let all = planned(
        Kind::Netcdf4,
        &options(&["deflated,307,9", "*,32015,3", "plain,1,1", "plain,2|1,9"]),
    );
    assert_eq!(
        all.iter().map(ids).collect::<Vec<_>>(),
        [vec![307], vec![2, 1], vec![32015], vec![]]
    );
    assert_eq!(all[1].filters[1].parameters(), [9]);
    let none = planned(Kind::Netcdf4, &options(&["none", "deflated&checked,3|307,2"]));
    assert_eq!(
        none.iter().map(ids).collect::<Vec<_>>(),
        [vec![3, 307], vec![], vec![3, 307], vec![]]
    );
    let taken_off = planned(Kind::Netcdf4, &options(&["deflated,none"]));
    assert_eq!(ids(&taken_off[0]), [0u32; 0]);
    assert_eq!(shape(&taken_off[0]), [1, 10, 20]);
}

#[test]
fn names_and_scalars_are_checked() {
    assert!(refused(Kind::Netcdf4, &options(&["absent,307,9"])).contains("no variable named 'absent'"));
    assert!(refused(Kind::Netcdf4, &options(&["scalar,307,9"])).contains("scalar"));
    assert_eq!(
        ids(&planned(Kind::Netcdf4, &options(&["/plain,307,9"]))[1]),
        [307]
    );
}

#[test]
fn deflate_and_shuffle() {
    let with = |deflate: Option<u32>, shuffle: bool, filters: &[&str]| {
        let options = CopyOptions {
            deflate,
            shuffle,
            ..options(filters)
        };
        planned(Kind::Netcdf4, &options)
            .iter()
            .map(ids)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        with(Some(5), true, &[]),
        [vec![2, 1], vec![2, 1], vec![3, 2, 1], vec![]]
    );
    assert_eq!(with(Some(5), false, &[]), [vec![1], vec![1], vec![3, 1], vec![]]);
    assert_eq!(with(Some(0), false, &[]), [vec![], vec![], vec![3], vec![]]);
    assert_eq!(
        with(Some(5), false, &["plain,307,9"]),
        [vec![1], vec![307], vec![3, 1], vec![]]
    );
    assert_eq!(
        with(Some(5), true, &["none"]),
        [Vec::<u32>::new(), vec![], vec![], vec![]]
    );
    assert_eq!(with(None, true, &[]), [vec![2, 1], vec![], vec![2, 1, 3], vec![]]);

    let mut bare = input(Kind::Netcdf4);
    bare.layouts[2].filters.remove(0);
    let options = CopyOptions {
        shuffle: true,
        ..CopyOptions::default()
    };
    let layouts = plan(&bare, &options).unwrap().variables;
    assert_eq!(ids(&layouts[2].layout), [2, 1, 3]);
    assert_eq!(layouts[2].layout.filters[0].parameters(), [4]);
}

#[test]
fn chunk_shapes() {
    let got = |specs: &[&str]| {
        planned(Kind::Netcdf4, &chunks(specs))
            .iter()
            .map(|l| shape(l).to_vec())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        got(&["y/5,x/"]),
        [vec![1, 5, 20], vec![5, 20], vec![5, 20], vec![]]
    );
    assert_eq!(
        got(&["y/5", "y/2", "plain:3,3", "plain:4,4"]),
        [vec![1, 2, 20], vec![3, 3], vec![2, 7], vec![]]
    );
    assert_eq!(got(&["t/100"]), [vec![100, 10, 20], vec![], vec![5, 7], vec![]]);
    assert_eq!(got(&["/"]), [vec![1, 10, 20], vec![], vec![], vec![]]);
    let laid = planned(
        Kind::Netcdf4,
        &chunks(&["checked:", "plain:compact", "deflated:contiguous"]),
    );
    assert_eq!(laid[2].storage, Storage::Contiguous);
    assert!(laid[2].filters.is_empty());
    assert_eq!(laid[1].storage, Storage::Compact);
    assert_eq!(shape(&laid[0]), [1, 10, 20]);
    let filtered = CopyOptions {
        deflate: Some(1),
        ..chunks(&["/"])
    };
    assert_eq!(shape(&planned(Kind::Netcdf4, &filtered)[2]), [5, 7]);
}

#[test]
fn chunk_specs_must_fit() {
    for (spec, says) in [
        ("absent/5", "no dimension named"),
        ("absent:5", "no variable named"),
        ("plain:5", "each dimension: 2 in all, not 1"),
        ("plain:50,2", "exceeds the dimension y"),
        ("deflated:10000000,10,20", "larger than 4 GiB"),
    ] {
        let message = refused(Kind::Netcdf4, &chunks(&[spec]));
        assert!(message.contains(says), "{message}");
    }
}

#[test]
fn unlimited_dimensions_become_fixed() {
    let options = CopyOptions {
        fix_unlimited: true,
        ..chunks(&["t/2"])
    };
    let plan = plan(&input(Kind::Netcdf4), &options).unwrap();
    assert!(plan.schema.dims.iter().all(|d| !d.unlimited));
    assert_eq!(shape(&plan.variables[0].layout), [2, 10, 20]);
    let mut empty = input(Kind::Netcdf4);
    empty.schema.dims[0].length = 0;
    assert!(
        super::plan(&empty, &options)
            .unwrap_err()
            .to_string()
            .contains("dimension t has length 0")
    );
}

#[test]
fn default_chunks_for_classic_record_variables() {
    let options = CopyOptions {
        kind: Some(Kind::Netcdf4),
        ..CopyOptions::default()
    };
    let layouts = planned(Kind::Classic, &options);
    assert_eq!(shape(&layouts[0]), [1, 10, 20]);
    assert_eq!(layouts[1].storage, Storage::Contiguous);
    assert_eq!(layouts[1].endian, Endian::Little);
}

#[test]
fn the_group_of_a_dimension_in_use_is_kept() {
    let mut input = input(Kind::Netcdf4);
    let [a, b, c] = ["a", "b", "c"].map(|name| input.schema.add_group(Schema::ROOT, name));
    for (group, name) in [(a, "x"), (c, "y")] {
        input.schema.add_dim(Dimension {
            name: name.into(),
            group,
            length: 20,
            unlimited: false,
        });
    }
    let dim = *input.schema.group(a).dims.first().unwrap();
    for (group, name) in [(b, "on"), (a, "in"), (c, "other")] {
        let layout = VariableLayout {
            extent: vec![20],
            ..input.layouts[3].clone()
        };
        input.layouts.push(layout);
        input.schema.add_var(Variable {
            name: name.into(),
            group,
            ty: Type::Float,
            dims: vec![dim],
            attributes: Vec::new().into(),
        });
    }
    let options = CopyOptions {
        groups: Some(Listed {
            names: vec!["/b".into()],
            define_others: false,
        }),
        ..CopyOptions::default()
    };
    let plan = plan(&input, &options).unwrap();
    let groups = plan.schema.groups.iter().map(|group| group.name.as_str());
    assert_eq!(groups.collect::<Vec<_>>(), ["", "a", "b"]);
    let [on] = plan.schema.vars.as_slice() else {
        panic!("one variable is asked for")
    };
    assert_eq!((on.name.as_str(), on.group), ("on", GroupId(2)));
    assert_eq!(plan.schema.dim(on.dims[0]).group, GroupId(1));
}
