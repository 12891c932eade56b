//! Prints the C types of user-defined types, and the function that defines the dataset.

use std::io::Write;

use super::initializer::Arrays;
use super::literals::push_number;
use super::{Program, quoted};
use crate::copy::CopyPlan;
use crate::filter::{checksum::fletcher32, deflate::deflate, shuffle::shuffle, szip};
use crate::model::{
    Attribute, Endian, GroupId, Schema, Storage, Type, TypeClass, TypeId, VarId, VariableLayout,
};

impl Program<'_> {
    /// A C declarator, `type name[…]`.
    pub(super) fn declarator(&self, ty: Type, name: &str, dims: &[usize]) -> String {
        let mut lengths: String = dims.iter().map(|n| format!("[{n}]")).collect();
        let word = match ty {
            Type::Byte => "signed char",
            Type::Char => "char",
            Type::Short => "short",
            Type::Int => "int",
            Type::Float => "float",
            Type::Double => "double",
            Type::UByte => "unsigned char",
            Type::UShort => "unsigned short",
            Type::UInt => "unsigned int",
            Type::Int64 => "long long",
            Type::UInt64 => "unsigned long long",
            Type::String => return format!("const char *{name}{lengths}"),
            Type::User(id) => match &self.schema.user_type(id).class {
                TypeClass::Enum { base, .. } => return self.declarator(*base, name, dims),
                TypeClass::Vlen { .. } => "nc_vlen_t",
                TypeClass::Opaque { size } => {
                    lengths += &format!("[{size}]");
                    "unsigned char"
                }
                TypeClass::Compound { .. } => {
                    return format!("struct {}_s {name}{lengths}", self.types[id.0]);
                }
            },
        };
        format!("{word} {name}{lengths}")
    }

    /// Prints a struct for each compound.
    pub(super) fn type_definitions(&self, out: &mut Vec<u8>) {
        for (at, ty) in self.schema.types.iter().enumerate() {
            let TypeClass::Compound { fields, .. } = &ty.class else {
                continue;
            };
            let _ = writeln!(out, "struct {}_s {{", self.types[at]);
            for (field, name) in fields.iter().zip(&self.fields[at]) {
                let _ = writeln!(out, "    {};", self.declarator(field.ty, name, &field.dims));
            }
            out.extend_from_slice(b"};\n\n");
        }
    }

    /// The function that creates the file, with these flags, and defines what is in it.
    pub(super) fn define(&self, out: &mut Vec<u8>, plan: &CopyPlan, file: &str, flags: &[&str]) {
        let mode = flags.iter().fold("NC_CLOBBER".to_owned(), |mode, flag| {
            format!("{mode} | NC_{flag}")
        });
        let root = self.group(Schema::ROOT);
        let _ = write!(
            out,
            "\nstatic void\ndefine(void)\n{{\n    CHECK(nc_create({}, {mode}, &{root}));\n",
            quoted(file)
        );
        for (at, group) in self.schema.groups.iter().enumerate() {
            if let Some(parent) = group.parent {
                let (parent, name) = (self.group(parent), quoted(&group.name));
                let _ = writeln!(
                    out,
                    "    CHECK(nc_def_grp({parent}, {name}, &{}));",
                    self.groups[at]
                );
            }
        }
        for (at, dim) in self.schema.dims.iter().enumerate() {
            let length = if dim.unlimited {
                "NC_UNLIMITED".to_owned()
            } else {
                dim.length.to_string()
            };
            let (group, name) = (self.group(dim.group), quoted(&dim.name));
            let _ = writeln!(
                out,
                "    CHECK(nc_def_dim({group}, {name}, {length}, &{}));",
                self.dims[at]
            );
        }
        for id in self.types_in_order() {
            self.define_type(out, id.0);
        }
        for at in 0..self.schema.vars.len() {
            self.define_variable(out, VarId(at), &plan.variables[at].layout);
        }
        for (at, group) in self.schema.groups.iter().enumerate() {
            for attribute in &group.attributes {
                self.put_attribute(out, GroupId(at), "NC_GLOBAL", attribute);
            }
        }
        let _ = write!(out, "    CHECK(nc_enddef({root}));\n}}\n");
    }

    /// Types in the order of their groups. A file's types have this order, and each type follows the types that it
    /// uses.
    fn types_in_order(&self) -> Vec<TypeId> {
        let schema = self.schema;
        let mut place = vec![0; schema.types.len()];
        let ordered: Vec<TypeId> = schema.groups.iter().flat_map(|g| g.types.clone()).collect();
        for (at, id) in ordered.iter().enumerate() {
            place[id.0] = at;
        }
        let before = |ty: &Type, id: TypeId| match ty {
            Type::User(part) => place[part.0] < place[id.0],
            _ => true,
        };
        let possible = ordered.iter().all(|id| match &schema.user_type(*id).class {
            TypeClass::Vlen { base } => before(base, *id),
            TypeClass::Compound { fields, .. } => fields.iter().all(|f| before(&f.ty, *id)),
            TypeClass::Enum { .. } | TypeClass::Opaque { .. } => true,
        });
        match possible {
            true => ordered,
            false => (0..schema.types.len()).map(TypeId).collect(),
        }
    }

    fn define_type(&self, out: &mut Vec<u8>, at: usize) {
        let ty = &self.schema.types[at];
        let (group, id, name) = (self.group(ty.group), &self.types[at], quoted(&ty.name));
        match &ty.class {
            TypeClass::Enum { base, members } => {
                let _ = writeln!(
                    out,
                    "    CHECK(nc_def_enum({group}, {}, {name}, &{id}));",
                    self.type_id(*base)
                );
                for (member, value) in members {
                    let mut number = Vec::new();
                    push_number(&mut number, *base, &value.to_le_bytes());
                    let _ = writeln!(
                        out,
                        "    {{\n        {} = {};\n        CHECK(nc_insert_enum({group}, {id}, {}, &value));\n    }}",
                        self.declarator(*base, "value", &[]),
                        String::from_utf8_lossy(&number),
                        quoted(member),
                    );
                }
            }
            TypeClass::Opaque { size } => {
                let _ = writeln!(out, "    CHECK(nc_def_opaque({group}, {size}, {name}, &{id}));");
            }
            TypeClass::Vlen { base } => {
                let _ = writeln!(
                    out,
                    "    CHECK(nc_def_vlen({group}, {name}, {}, &{id}));",
                    self.type_id(*base)
                );
            }
            TypeClass::Compound { fields, .. } => {
                let _ = writeln!(
                    out,
                    "    CHECK(nc_def_compound({group}, sizeof(struct {id}_s), {name}, &{id}));"
                );
                for (field, own) in fields.iter().zip(&self.fields[at]) {
                    let (name, ty) = (quoted(&field.name), self.type_id(field.ty));
                    let offset = format!("offsetof(struct {id}_s, {own})");
                    if field.dims.is_empty() {
                        let _ = writeln!(
                            out,
                            "    CHECK(nc_insert_compound({group}, {id}, {name}, {offset}, {ty}));"
                        );
                    } else {
                        let dims: Vec<_> = field.dims.iter().map(usize::to_string).collect();
                        let _ = writeln!(
                            out,
                            "    {{\n        static const int dims[] = {{{}}};\n        \
                             CHECK(nc_insert_array_compound({group}, {id}, {name}, {offset}, {ty}, {}, dims));\n    }}",
                            dims.join(", "),
                            dims.len(),
                        );
                    }
                }
            }
        }
    }

    fn define_variable(&self, out: &mut Vec<u8>, id: VarId, layout: &VariableLayout) {
        let var = self.schema.var(id);
        let (group, name, ty) = (self.group(var.group), quoted(&var.name), self.type_id(var.ty));
        let own = &self.vars[id.0];
        if var.dims.is_empty() {
            let _ = writeln!(
                out,
                "    CHECK(nc_def_var({group}, {name}, {ty}, 0, NULL, &{own}));"
            );
        } else {
            let dims: Vec<_> = var.dims.iter().map(|d| self.dims[d.0].as_str()).collect();
            let _ = writeln!(
                out,
                "    {{\n        const int dims[] = {{{}}};\n        \
                 CHECK(nc_def_var({group}, {name}, {ty}, {}, dims, &{own}));\n    }}",
                dims.join(", "),
                dims.len(),
            );
        }
        if self.schema.kind.can().chunks {
            self.define_storage(out, id, layout);
        }
        if layout.fill.no_fill {
            let _ = writeln!(
                out,
                "    CHECK(nc_def_var_fill({group}, {own}, NC_NOFILL, NULL));"
            );
        }
        for attribute in &var.attributes {
            self.put_attribute(out, var.group, own, attribute);
        }
    }

    fn define_storage(&self, out: &mut Vec<u8>, id: VarId, layout: &VariableLayout) {
        let var = self.schema.var(id);
        let at = format!("{}, {}", self.group(var.group), self.vars[id.0]);
        match &layout.storage {
            _ if var.dims.is_empty() => {}
            Storage::Compact => {
                let _ = writeln!(out, "    CHECK(nc_def_var_chunking({at}, NC_COMPACT, NULL));");
            }
            Storage::Contiguous | Storage::Blocks { .. } => {
                let _ = writeln!(out, "    CHECK(nc_def_var_chunking({at}, NC_CONTIGUOUS, NULL));");
            }
            Storage::Chunked { shape } => {
                let shape: Vec<_> = shape.iter().map(u64::to_string).collect();
                let _ = writeln!(
                    out,
                    "    {{\n        static const size_t shape[] = {{{}}};\n        \
                     CHECK(nc_def_var_chunking({at}, NC_CHUNKED, shape));\n    }}",
                    shape.join(", "),
                );
            }
        }
        let mut filters = layout.filters.iter().peekable();
        while let Some(filter) = filters.next() {
            let first = filter.parameters().first().copied().unwrap_or(0);
            let _ = match filter.hdf5_id().unwrap_or_default() {
                shuffle::ID => match filters.next_if(|next| next.hdf5_id() == Some(deflate::ID)) {
                    Some(deflate) => {
                        let level = deflate.parameters().first().copied().unwrap_or(6);
                        writeln!(
                            out,
                            "    CHECK(nc_def_var_deflate({at}, NC_SHUFFLE, 1, {level}));"
                        )
                    }
                    None => writeln!(out, "    CHECK(nc_def_var_deflate({at}, NC_SHUFFLE, 0, 0));"),
                },
                deflate::ID => writeln!(
                    out,
                    "    CHECK(nc_def_var_deflate({at}, NC_NOSHUFFLE, 1, {first}));"
                ),
                fletcher32::ID => writeln!(out, "    CHECK(nc_def_var_fletcher32({at}, NC_FLETCHER32));"),
                szip::ID => {
                    let pixels = filter.parameters().get(1).copied().unwrap_or(0);
                    writeln!(
                        out,
                        "    CHECK(nc_def_var_szip({at}, {}, {pixels}));",
                        first & szip::CODING
                    )
                }
                id if filter.parameters().is_empty() => {
                    writeln!(out, "    CHECK(nc_def_var_filter({at}, {id}, 0, NULL));")
                }
                id => {
                    let parameters: Vec<_> = filter.parameters().iter().map(|p| format!("{p}U")).collect();
                    writeln!(
                        out,
                        "    {{\n        static const unsigned int parameters[] = {{{}}};\n        \
                         CHECK(nc_def_var_filter({at}, {id}, {}, parameters));\n    }}",
                        parameters.join(", "),
                        parameters.len(),
                    )
                }
            };
        }
        if layout.endian == Endian::Big {
            let _ = writeln!(out, "    CHECK(nc_def_var_endian({at}, NC_ENDIAN_BIG));");
        }
    }

    fn put_attribute(&self, out: &mut Vec<u8>, group: GroupId, var: &str, attribute: &Attribute) {
        let mut arrays = Arrays::new(self, "        ");
        let data = arrays.elements(attribute.ty, &attribute.values.bytes, &attribute.values);
        let (group, name) = (self.group(group), quoted(&attribute.name));
        out.extend_from_slice(b"    {\n");
        out.extend_from_slice(&arrays.text);
        let _ = writeln!(
            out,
            "        CHECK(nc_put_att({group}, {var}, {name}, {}, {}, {data}));\n    }}",
            self.type_id(attribute.ty),
            attribute.length,
        );
    }
}
