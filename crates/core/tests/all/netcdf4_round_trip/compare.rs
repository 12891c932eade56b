//! Compares what is read with what was written: structure, layout and values.

use ncutils_core::chunk::Region;
use ncutils_core::format::{Reader, Written};
use ncutils_core::model::{
    Attribute, DimId, Encoding, FillTime, GroupId, Schema, Slot, Storage, Type, TypeClass, TypeId, Values,
    VarId,
};

use crate::support::whole_variables::Dataset;

/// Whether values are the same, wherever their contents lie on the heaps. What `nil` allows to be NIL may be empty too.
fn same(schema: &Schema, ty: Type, a: (&[u8], &Values), b: (&[u8], &Values)) -> bool {
    let size = schema.type_size(ty);
    if a.0.len() != b.0.len() || !a.0.len().is_multiple_of(size) {
        return false;
    }
    a.0.chunks_exact(size)
        .zip(b.0.chunks_exact(size))
        .all(|(x, y)| match ty {
            Type::String => {
                let content = |e: &[u8], v: &Values| v.slot_content(Slot::read(e), 1).map(<[u8]>::to_vec);
                content(x, a.1) == content(y, b.1)
            }
            Type::User(id) => match &schema.user_type(id).class {
                TypeClass::Vlen { base } => {
                    let (s, t) = (Slot::read(x), Slot::read(y));
                    let size = schema.type_size(*base);
                    s.length == t.length
                        && (s.length == 0
                            || same(
                                schema,
                                *base,
                                (a.1.slot_content(s, size).expect("inside the heap"), a.1),
                                (b.1.slot_content(t, size).expect("inside the heap"), b.1),
                            ))
                }
                TypeClass::Compound { fields, .. } => fields.iter().all(|f| {
                    let end = f.offset + schema.type_size(f.ty) * f.dims.iter().product::<usize>();
                    same(schema, f.ty, (&x[f.offset..end], a.1), (&y[f.offset..end], b.1))
                }),
                _ => x == y,
            },
            _ => x == y,
        })
}

fn same_values(schema: &Schema, ty: Type, a: &Values, b: &Values) -> bool {
    same(schema, ty, (&a.bytes, a), (&b.bytes, b))
}

/// Paths, so that ids may differ between the two sides.
fn type_name(schema: &Schema, ty: Type) -> String {
    match ty {
        Type::User(id) => {
            let ty = schema.user_type(id);
            format!("{}:{}", schema.group_path(ty.group), ty.name)
        }
        ty => ty.cdl_name().expect("atomic").to_owned(),
    }
}

fn dim_name(schema: &Schema, id: DimId) -> String {
    let dim = schema.dim(id);
    format!("{}:{}", schema.group_path(dim.group), dim.name)
}

fn compare_attributes(what: &str, ours: (&Schema, &[Attribute]), theirs: (&Schema, &[Attribute])) {
    let names = |all: &[Attribute]| all.iter().map(|a| a.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(ours.1), names(theirs.1), "attributes of {what}");
    for (a, b) in ours.1.iter().zip(theirs.1) {
        assert_eq!(
            type_name(ours.0, a.ty),
            type_name(theirs.0, b.ty),
            "{what}:{}",
            a.name
        );
        assert_eq!(a.length, b.length, "{what}:{}", a.name);
        assert!(
            same_values(ours.0, a.ty, &a.values, &b.values),
            "{what}:{}: {a:?} {b:?}",
            a.name
        );
    }
}

pub fn compare(d: &Dataset, reader: &dyn Reader) {
    let (ours, theirs) = (&d.schema, reader.schema());
    assert_eq!(ours.kind, theirs.kind);
    assert_eq!(theirs.warnings, Vec::<String>::new());
    let paths = |s: &Schema| {
        (0..s.groups.len())
            .map(|g| s.group_path(GroupId(g)))
            .collect::<Vec<_>>()
    };
    let (mut our_paths, mut their_paths) = (paths(ours), paths(theirs));
    let position =
        |all: &[String], path: &str| GroupId(all.iter().position(|p| p == path).expect("the group"));
    for path in &our_paths {
        let (a, b) = (
            ours.group(position(&our_paths, path)),
            theirs.group(position(&their_paths, path)),
        );
        let dims = |s: &Schema, ids: &[DimId]| {
            let dims = ids.iter().map(|i| s.dim(*i));
            dims.map(|d| (d.name.clone(), d.length, d.unlimited))
                .collect::<Vec<_>>()
        };
        assert_eq!(dims(ours, &a.dims), dims(theirs, &b.dims), "dimensions of {path}");
        let types = |s: &Schema, ids: &[TypeId]| ids.iter().map(|i| type_text(s, *i)).collect::<Vec<_>>();
        assert_eq!(types(ours, &a.types), types(theirs, &b.types), "types of {path}");
        let names =
            |s: &Schema, ids: &[GroupId]| ids.iter().map(|i| s.group(*i).name.clone()).collect::<Vec<_>>();
        assert_eq!(
            names(ours, &a.children),
            names(theirs, &b.children),
            "groups of {path}"
        );
        compare_attributes(path, (ours, &a.attributes), (theirs, &b.attributes));
        let names =
            |s: &Schema, ids: &[VarId]| ids.iter().map(|i| s.var(*i).name.clone()).collect::<Vec<_>>();
        assert_eq!(
            names(ours, &a.vars),
            names(theirs, &b.vars),
            "variables of {path}"
        );
        for (v, w) in a.vars.iter().zip(&b.vars) {
            compare_variable(d, *v, reader, *w);
        }
    }
    our_paths.sort();
    their_paths.sort();
    assert_eq!(our_paths, their_paths);
}

/// A type in words, with names in place of ids.
fn type_text(schema: &Schema, id: TypeId) -> String {
    let ty = schema.user_type(id);
    let class = match &ty.class {
        TypeClass::Vlen { base } => format!("vlen of {}", type_name(schema, *base)),
        TypeClass::Compound { size, fields } => {
            let fields = fields.iter();
            let fields = fields.map(|f| {
                format!(
                    "{} at {}: {}{:?}",
                    f.name,
                    f.offset,
                    type_name(schema, f.ty),
                    f.dims
                )
            });
            format!("compound of {size}: {}", fields.collect::<Vec<_>>().join(", "))
        }
        class => format!("{class:?}"),
    };
    format!("{}: {class}", ty.name)
}

fn compare_variable(d: &Dataset, v: VarId, reader: &dyn Reader, w: VarId) {
    let (ours, theirs) = (&d.schema, reader.schema());
    let (a, b) = (ours.var(v), theirs.var(w));
    let path = ours.var_path(v);
    assert_eq!(type_name(ours, a.ty), type_name(theirs, b.ty), "type of {path}");
    let names = |s: &Schema, dims: &[DimId]| dims.iter().map(|i| dim_name(s, *i)).collect::<Vec<_>>();
    assert_eq!(names(ours, &a.dims), names(theirs, &b.dims), "shape of {path}");
    compare_attributes(&path, (ours, &a.attributes), (theirs, &b.attributes));

    let plan = &d.plans[v.0];
    let (planned, layout) = (&plan.layout, reader.layout(w));
    // Compact data is always there, so what shall read as a fill value on the heap is contiguous and unallocated instead.
    let storage = match &planned.storage {
        Storage::Compact if planned.encoding == Encoding::Structured && d.data[v.0].is_none() => {
            &Storage::Contiguous
        }
        storage => storage,
    };
    assert_eq!(*storage, layout.storage, "{path}");
    assert_eq!(planned.encoding, layout.encoding, "{path}");
    assert_eq!(planned.endian, layout.endian, "{path}");
    assert_eq!(planned.element_size, layout.element_size, "{path}");
    assert_eq!(planned.filters, layout.filters, "{path}");
    let extended = extended_coordinate(d, v);
    if !extended {
        assert_eq!(planned.extent, layout.extent, "{path}");
    }
    let chunked = matches!(planned.storage, Storage::Chunked { .. });
    if planned.storage == Storage::Contiguous {
        let written = d.data[v.0].is_some() && planned.extent.iter().product::<u64>() > 0;
        assert_eq!(written, reader.written(w).unwrap() != Written::Nothing, "{path}");
    }
    if chunked {
        let all = match d.data[v.0].is_some() && planned.extent.iter().product::<u64>() > 0 {
            true => Written::All,
            false => Written::Nothing,
        };
        if !extended {
            assert_eq!(reader.written(w).unwrap(), all, "{path}");
        }
    }
    let holes = extended || (d.data[v.0].is_none() && planned.extent.iter().product::<u64>() > 0);
    let compact = planned.storage == Storage::Compact;
    if !(planned.fill.time == FillTime::Never && holes && !compact) {
        assert_eq!(planned.fill.time, layout.fill.time, "{path}");
        assert_eq!(planned.fill.no_fill, layout.fill.no_fill, "{path}");
    }
    if let (Some(x), Some(y)) = (&planned.fill.value, &layout.fill.value) {
        assert!(same_values(ours, a.ty, x, y), "fill value of {path}: {x:?} {y:?}");
    }

    // Within its own extent as written, past it as fill.
    let shape = ours.shape(v);
    let read = reader.read_region(w, &Region::whole(&shape)).unwrap();
    let size = ours.type_size(a.ty);
    let zeros = Values::from_bytes(vec![0; size]);
    let fill = planned.fill.value.as_ref().unwrap_or(&zeros);
    let n: u64 = shape.iter().product();
    assert_eq!(read.bytes.len() as u64, n * size as u64, "{path}");
    for i in 0..n {
        let mut rest = i;
        let mut inside = true;
        let mut at = 0;
        let mut stride = 1;
        for (length, own) in shape.iter().zip(&planned.extent).rev() {
            let c = rest % length;
            rest /= length;
            inside &= c < *own;
            at += c * stride;
            stride *= own;
        }
        let got = &read.bytes[i as usize * size..][..size];
        let (expected, values) = match &d.data[v.0] {
            Some(values) if inside => (&values.bytes[at as usize * size..][..size], values),
            _ if compact => continue,
            _ => (fill.bytes.as_slice(), fill),
        };
        let filled = d.data[v.0].is_none() || !inside;
        if filled && planned.fill.value.is_none() && (planned.fill.no_fill || ours.has_heap(a.ty)) {
            // Nothing was defined.
            continue;
        }
        assert!(
            same(ours, a.ty, (got, &read), (expected, values)),
            "element {i} of {path}: {got:?}, not {expected:?}"
        );
    }
}

/// Whether a coordinate variable was made longer, as nothing else is as long as its dimension.
fn extended_coordinate(d: &Dataset, v: VarId) -> bool {
    let var = d.schema.var(v);
    let Some(dim) = var.dims.first() else {
        return false;
    };
    let is = d.schema.dim(*dim);
    is.unlimited && is.group == var.group && is.name == var.name && d.plans[v.0].layout.extent[0] < is.length
}
