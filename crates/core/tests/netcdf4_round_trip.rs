//! Random datasets, written as netCDF-4 and read back: structure, layout and values must be those that were written,
//! and the bytes the same in whichever order the pieces come.

#[path = "support/whole_variables.rs"]
mod whole_variables;

use std::sync::Arc;

use ncutils_core::chunk::Region;
use ncutils_core::format::{self, Reader};
use ncutils_core::model::{
    Attribute, DimId, Encoding, Endian, Field, FillTime, FilterSpec, GroupId, Kind, Schema, Slot, Storage,
    Type, TypeClass, TypeId, UserType, Values, VarId, Variable,
};
use ncutils_core::store::{MemoryOutput, Origin};
use proptest::prelude::*;
use whole_variables::{Dataset, attribute};

const ATOMIC: [Type; 12] = [
    Type::Byte,
    Type::Char,
    Type::Short,
    Type::Int,
    Type::Float,
    Type::Double,
    Type::UByte,
    Type::UShort,
    Type::UInt,
    Type::Int64,
    Type::UInt64,
    Type::String,
];

/// Numbers that depend on a seed alone (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`.
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// One time in `n`.
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }
}

/// One dataset in a space that holds every part of the data model.
fn dataset(seed: u64) -> Dataset {
    let mut random = Random(seed);
    let classic = random.one_in(5);
    let mut d = Dataset::new(if classic {
        Kind::Netcdf4Classic
    } else {
        Kind::Netcdf4
    });
    let groups = if classic { 0 } else { random.below(4) };
    for i in 0..groups {
        let parent = GroupId(random.below(i + 1));
        d.schema.add_group(parent, format!("g{}", groups - i));
    }
    let mut unlimited_left = if classic { 1 } else { usize::MAX };
    for group in (0..=groups).map(GroupId) {
        let mut names = vec!["x", "time", "y", "lat"];
        for _ in 0..random.below(5) {
            let name = names.swap_remove(random.below(names.len()));
            let unlimited = random.one_in(2) && unlimited_left > 0;
            unlimited_left -= usize::from(unlimited);
            let length = if unlimited {
                random.below(6)
            } else {
                1 + random.below(5)
            };
            d.dim(group, name, length as u64, unlimited);
        }
        if !classic {
            for _ in 0..random.below(4) {
                user_type(&mut d, group, &mut random);
            }
        }
    }
    for group in (0..=groups).map(GroupId) {
        let mut names = vec!["x", "time", "y", "lat", "a", "zeta", "Ü"];
        for _ in 0..random.below(7) {
            let name = names.swap_remove(random.below(names.len()));
            variable(&mut d, group, name, &mut random);
        }
        for i in 0..random.below(12) {
            let (ty, length, values) = attribute_values(&d.schema, group, &mut random);
            d.group_attribute(group, &format!("att{}", 100 - i), ty, length, values);
        }
    }
    shorten_dimensions(&mut d);
    d
}

/// netCDF-4 knows no length of an unlimited dimension but that of its variables: makes those without coordinate variable
/// as long as their longest.
fn shorten_dimensions(d: &mut Dataset) {
    for i in 0..d.schema.dims.len() {
        let dim = d.schema.dims[i].clone();
        let vars = d.schema.vars.iter().zip(&d.plans);
        let has_coordinate =
            |v: &Variable| v.group == dim.group && v.name == dim.name && v.dims.first() == Some(&DimId(i));
        if !dim.unlimited || vars.clone().any(|(v, _)| has_coordinate(v)) {
            continue;
        }
        let lengths = vars.flat_map(|(v, plan)| v.dims.iter().zip(&plan.layout.extent));
        let longest = lengths
            .filter(|(dim, _)| **dim == DimId(i))
            .map(|(_, n)| *n)
            .max();
        d.schema.dims[i].length = longest.unwrap_or(0);
    }
}

/// Whether netCDF looks for names in `of` from `at`.
fn visible(schema: &Schema, of: GroupId, at: GroupId) -> bool {
    let mut group = Some(at);
    while let Some(g) = group {
        if g == of {
            return true;
        }
        group = schema.group(g).parent;
    }
    false
}

fn any_type(schema: &Schema, group: GroupId, random: &mut Random) -> Type {
    let types: Vec<_> = (0..schema.types.len())
        .filter(|t| visible(schema, schema.types[*t].group, group))
        .collect();
    if schema.kind == Kind::Netcdf4Classic {
        return *random.pick(&ATOMIC[..6]);
    }
    if !types.is_empty() && random.one_in(2) {
        return Type::User(TypeId(*random.pick(&types)));
    }
    *random.pick(&ATOMIC)
}

/// Adds a type. No two are of one structure: a part of a type or a big-endian enum bears no name in the file, so that the
/// first type of its structure is taken for it, here as in netcdf-c.
fn user_type(d: &mut Dataset, group: GroupId, random: &mut Random) {
    let count = d.schema.types.len();
    let mut class = match random.below(4) {
        0 => {
            let base = *random.pick(&[
                Type::Byte,
                Type::UByte,
                Type::Short,
                Type::UInt,
                Type::Int64,
                Type::UInt64,
            ]);
            let start = if base == Type::UByte { 0 } else { -3 };
            let members = (0..1 + random.below(4) as i64).map(|i| (format!("m{count}_{i}"), start + i * 7));
            let unsigned = |v: i64| match base {
                Type::UInt => i64::from(v as u32),
                _ => v,
            };
            TypeClass::Enum {
                base,
                members: members.map(|(name, v)| (name, unsigned(v))).collect(),
            }
        }
        1 => TypeClass::Opaque { size: count + 1 },
        2 => TypeClass::Vlen {
            base: any_type(&d.schema, group, random),
        },
        _ => {
            let mut fields = Vec::new();
            let mut end = 0;
            for i in 0..1 + random.below(3) {
                let ty = any_type(&d.schema, group, random);
                let dims: Vec<usize> = (0..random.below(3)).map(|_| 1 + random.below(2)).collect();
                let offset = end + random.below(3);
                end = offset + d.schema.type_size(ty) * dims.iter().product::<usize>();
                fields.push(Field {
                    name: format!("f{i}"),
                    offset,
                    ty,
                    dims,
                });
            }
            TypeClass::Compound {
                size: end + random.below(3),
                fields,
            }
        }
    };
    if d.schema.types.iter().any(|t| t.class == class) {
        class = TypeClass::Opaque { size: count + 1 };
    }
    let name = format!("t{}", 100 - count);
    d.schema.add_type(UserType { name, group, class });
}

/// Appends one element of type `ty` to `out`, with its contents on `heap`.
fn element(schema: &Schema, ty: Type, random: &mut Random, out: &mut Vec<u8>, heap: &mut Vec<u8>) {
    match ty {
        Type::String => {
            let slot = if random.one_in(4) {
                Slot::NIL
            } else {
                let text = vec![b'a' + random.below(26) as u8; random.below(6)];
                push(heap, text.len(), &text)
            };
            out.extend(slot.to_bytes());
        }
        Type::User(id) => match &schema.user_type(id).class {
            TypeClass::Enum { base, members } => {
                let value = random.pick(members).1;
                out.extend(&value.to_le_bytes()[..base.atomic_size()]);
            }
            TypeClass::Opaque { size } => out.extend(random.bytes(*size)),
            TypeClass::Vlen { base } => {
                let n = random.below(4);
                let mut content = Vec::new();
                (0..n).for_each(|_| element(schema, *base, random, &mut content, heap));
                let slot = if n == 0 {
                    Slot::NIL
                } else {
                    push(heap, n, &content)
                };
                out.extend(slot.to_bytes());
            }
            TypeClass::Compound { size, fields } => {
                let start = out.len();
                for field in fields {
                    out.resize(start + field.offset, 0);
                    for _ in 0..field.dims.iter().product::<usize>() {
                        element(schema, field.ty, random, out, heap);
                    }
                }
                out.resize(start + size, 0);
            }
        },
        ty => out.extend(random.bytes(ty.atomic_size())),
    }
}

fn push(heap: &mut Vec<u8>, length: usize, content: &[u8]) -> Slot {
    let offset = heap.len() as u64;
    heap.extend_from_slice(content);
    Slot {
        length: length as u64,
        offset,
    }
}

fn elements(schema: &Schema, ty: Type, n: usize, random: &mut Random) -> Values {
    let mut values = Values::default();
    for _ in 0..n {
        element(schema, ty, random, &mut values.bytes, &mut values.heap);
    }
    values
}

fn attribute_values(schema: &Schema, group: GroupId, random: &mut Random) -> (Type, usize, Values) {
    let ty = any_type(schema, group, random);
    let length = random.below(4);
    (ty, length, elements(schema, ty, length, random))
}

fn variable(d: &mut Dataset, group: GroupId, name: &str, random: &mut Random) {
    let ty = any_type(&d.schema, group, random);
    let dims: Vec<DimId> = (0..d.schema.dims.len())
        .map(DimId)
        .filter(|i| visible(&d.schema, d.schema.dim(*i).group, group))
        .collect();
    let rank = if dims.is_empty() { 0 } else { random.below(4) };
    let dims: Vec<DimId> = (0..rank).map(|_| *random.pick(&dims)).collect();
    let extent: Vec<u64> = dims
        .iter()
        .map(|id| {
            let dim = d.schema.dim(*id);
            let shorter = if dim.unlimited { random.below(3) as u64 } else { 0 };
            dim.length.saturating_sub(shorter)
        })
        .collect();
    let unlimited = dims.iter().any(|i| d.schema.dim(*i).unlimited);
    let chunk: Option<Vec<u64>> = (rank > 0 && (unlimited || random.one_in(2))).then(|| {
        let lengths = extent.iter().zip(&dims);
        lengths
            .map(|(n, dim)| {
                let most = if d.schema.dim(*dim).unlimited {
                    4
                } else {
                    *n as usize
                };
                1 + random.below(most) as u64
            })
            .collect()
    });
    let n: u64 = extent.iter().product();
    let values = random.one_in(5);
    let values = (!values && n > 0).then(|| elements(&d.schema, ty, n as usize, random));
    let written = values.is_some();
    let var = d.var(group, name, ty, &dims, chunk.as_deref(), values);
    d.plans[var.0].chunk_count = 0;
    let is_enum = matches!(d.schema.vars[var.0].ty, Type::User(id)
        if matches!(d.schema.user_type(id).class, TypeClass::Enum { .. }));
    let layout = d.layout(var);
    layout.extent = extent;
    if let Some(shape) = chunk.as_ref().filter(|_| written) {
        let counts = layout.extent.iter().zip(shape).map(|(n, c)| n.div_ceil(*c));
        d.plans[var.0].chunk_count = counts.product();
    }
    let layout = d.layout(var);
    if chunk.is_none() && random.one_in(3) {
        layout.storage = Storage::Compact;
        layout.allocated = written;
    }
    if matches!(layout.encoding, Encoding::Numbers { unit } if unit > 1) && !is_enum && random.one_in(3) {
        layout.endian = Endian::Big;
    }
    if chunk.is_some() {
        let pipelines: [&[(u32, bool, &[u32])]; 5] = [
            &[],
            &[],
            &[(1, true, &[3])],
            &[(3, false, &[]), (2, true, &[4]), (1, true, &[1])],
            &[(32015, true, &[2])],
        ];
        layout.filters = random
            .pick(&pipelines)
            .iter()
            .map(|(id, optional, parameters)| FilterSpec {
                id: *id,
                optional: *optional,
                parameters: parameters.to_vec(),
                name: String::new(),
            })
            .collect();
        layout.edge_chunks_unfiltered = random.one_in(6) && layout.encoding != Encoding::Structured;
    }
    layout.fill.time = *random.pick(&[FillTime::Alloc, FillTime::IfSet, FillTime::Never]);
    if random.one_in(4) {
        (layout.fill.no_fill, layout.fill.value) = (true, None);
    } else if random.one_in(3) {
        let value = elements(&d.schema, ty, 1, random);
        d.attribute(var, "_FillValue", ty, 1, value);
    }
    for i in 0..random.below(10) {
        let (ty, length, values) = attribute_values(&d.schema, group, random);
        let attribute = attribute(&format!("b{}", 100 - i), ty, length, values);
        d.schema.vars[var.0].attributes.push(attribute);
    }
}

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

fn compare(d: &Dataset, reader: &dyn Reader) {
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
        Storage::Compact if planned.encoding == Encoding::Structured && !planned.allocated => {
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
        assert_eq!(planned.allocated, layout.allocated, "{path}");
    }
    if chunked {
        assert_eq!(
            reader.stored_chunks(w).unwrap().len() as u64,
            plan.chunk_count,
            "{path}"
        );
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

fn bytes_of(d: &Dataset, seed: Option<u64>) -> Vec<u8> {
    let output = Arc::new(MemoryOutput::new());
    d.write_in_order(output.clone(), |pieces| {
        if let Some(seed) = seed {
            let mut random = Random(seed);
            for i in (1..pieces.len()).rev() {
                pieces.swap(i, random.below(i + 1));
            }
        }
    })
    .unwrap();
    assert!(output.committed());
    output.bytes()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 0, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(seed in any::<u64>()) {
        let d = dataset(seed);
        let bytes = bytes_of(&d, None);
        let reader = format::open(Arc::new(bytes), &Origin::default()).unwrap();
        compare(&d, &*reader);
    }

    #[test]
    fn the_order_of_pieces_changes_no_byte(seed in any::<u64>()) {
        let d = dataset(seed);
        prop_assert!(bytes_of(&d, None) == bytes_of(&d, Some(seed)), "the bytes differ");
    }
}
