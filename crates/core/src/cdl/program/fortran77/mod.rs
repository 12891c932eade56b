//! Prints a Fortran 77 program that creates a dataset through netCDF-Fortran. It covers the classic model.
//!
//! The program is in fixed form with 72 columns. Values are in `data` statements, in blocks, each block in a
//! subroutine. Fortran has no constants for NaN, infinities and subnormal numbers: they are assigned through an integer
//! that shares their storage.

mod statement;

use std::io::Write;

use super::{cannot_write, creation_flags, for_each_slab, function_name};
use crate::copy::CopyPlan;
use crate::error::{Alternative, Error, Result};
use crate::filter::{deflate::deflate, shuffle::shuffle};
use crate::format::{Reader, Region};
use crate::model::{Attribute, Endian, Storage, Type, VarId, VariableLayout};
use crate::print::number::shortest::{push_double_constant, push_float_constant};
use statement::{LITERAL, call, comment, literal, statement, words};

/// Maximum size of the values in one subroutine, in bytes.
const BLOCK_BYTES: u64 = 4 << 10;

/// Maximum number of numbers in one `data` statement, which must fit on 19 continuation lines.
const NUMBERS: usize = 32;

/// Maximum length of a program name that compilers accept, in characters.
const LONGEST: usize = 31;

/// Prints the program to `out`. When run, it creates the file `file` as `plan` describes, with the values of `reader`.
/// The program is called `make`, unless another name is given.
///
/// # Errors
/// [`Error::Usage`] for what the classic model does not have, for a kind that netCDF-C does not create, and for a name that no program can have; else what reading the
/// values, or writing the text, fails of.
pub fn write(
    reader: &dyn Reader,
    plan: &CopyPlan,
    file: &str,
    name: Option<&str>,
    out: &mut dyn Write,
) -> Result<()> {
    let name = function_name(name, "make", LONGEST)?;
    check(plan)?;
    let flags = creation_flags(plan.schema.kind)?;
    let schema = &plan.schema;
    let mut text = Vec::new();
    let mut blocks = Vec::new();
    let mut attributes = Vec::new();
    main(&mut text, &mut attributes, plan, file, flags, name);
    out.write_all(&text).map_err(cannot_write)?;
    for at in 0..schema.vars.len() {
        let var = schema.var(VarId(at));
        let mut count = 0usize;
        for_each_slab(reader, plan, VarId(at), BLOCK_BYTES, |region, values| {
            count += 1;
            let mut text = Vec::new();
            put_block(
                &mut text,
                &format!("p{}b{count}", at + 1),
                var.ty,
                region,
                &values.bytes,
            );
            out.write_all(&text).map_err(cannot_write)
        })?;
        blocks.push(count);
    }
    text.clear();
    text.extend_from_slice(
        b"\n      subroutine putall(ncid, v)\n      implicit none\n      integer ncid, v(*)\n",
    );
    for (at, count) in blocks.iter().enumerate() {
        for block in 1..=*count {
            let _ = writeln!(text, "      call p{0}b{block}(ncid, v({0}))", at + 1);
        }
    }
    text.extend_from_slice(b"      end\n");
    text.extend_from_slice(&attributes);
    text.extend_from_slice(
        b"\n      subroutine check(status)\n      implicit none\n      include 'netcdf.inc'\n      integer status\n      \
          if (status .ne. nf_noerr) then\n        print *, nf_strerror(status)\n        stop 1\n      end if\n      end\n",
    );
    out.write_all(&text)
        .and_then(|()| out.flush())
        .map_err(cannot_write)
}

/// Checks that the dataset is within the classic model.
fn check(plan: &CopyPlan) -> Result<()> {
    let refuse = |what: String| {
        Err(Error::Alternative {
            why: format!("{what}, which Fortran 77 programs cannot make"),
            alternative: Alternative::CProgram,
        })
    };
    let schema = &plan.schema;
    if schema.groups.len() > 1 {
        return refuse(format!("the dataset has a group {}", schema.groups[1].name));
    }
    if let Some(ty) = schema.types.first() {
        return refuse(format!("the dataset has a type {}", ty.name));
    }
    let attributes = schema.groups[0]
        .attributes
        .iter()
        .chain(schema.vars.iter().flat_map(|v| &v.attributes));
    let mut types = schema
        .vars
        .iter()
        .map(|v| (&v.name, v.ty))
        .chain(attributes.map(|a| (&a.name, a.ty)));
    if let Some((name, ty)) = types.find(|(_, ty)| !ty.is_classic()) {
        return refuse(format!(
            "{name} is of type {}",
            ty.cdl_name().unwrap_or("user type")
        ));
    }
    if let Some(dim) = schema
        .dims
        .iter()
        .find(|d| !d.unlimited && d.length > i32::MAX as u64)
    {
        return refuse(format!("dimension {} is longer than 2147483647", dim.name));
    }
    for (var, copy) in schema.vars.iter().zip(&plan.variables) {
        if let Some(filter) = copy
            .layout
            .filters
            .iter()
            .find(|f| !matches!(f.hdf5_id(), Some(1..=3)))
        {
            return refuse(format!("variable {} has the {filter}", var.name));
        }
        if copy.layout.storage == Storage::Compact && !var.dims.is_empty() {
            return refuse(format!("variable {} is stored compact", var.name));
        }
    }
    Ok(())
}

/// The main program. Attributes get subroutines of their own, which go to `subroutines`.
fn main(
    out: &mut Vec<u8>,
    subroutines: &mut Vec<u8>,
    plan: &CopyPlan,
    file: &str,
    flags: &[&str],
    name: &str,
) {
    let schema = &plan.schema;
    let can = schema.kind.can();
    comment(out, &format!("Makes the netCDF file {file}."));
    comment(
        out,
        "Build it with: gfortran THIS.f $(nf-config --fflags --flibs)",
    );
    let rank = schema.vars.iter().map(|v| v.dims.len()).max().unwrap_or(0).max(1);
    let _ = write!(
        out,
        "      program {name}\n      implicit none\n      include 'netcdf.inc'\n      \
         integer ncid, mode\n      integer d({}), v({}), s({rank})\n",
        schema.dims.len().max(1),
        schema.vars.len().max(1),
    );
    let mode = flags.iter().fold("nf_clobber".to_owned(), |mode, flag| {
        format!("ior({mode}, nf_{})", flag.to_ascii_lowercase())
    });
    let _ = writeln!(out, "      mode = {mode}");
    call(
        out,
        "nf_create(",
        &[literal(file.as_bytes()), words(", mode, ncid)")].concat(),
    );
    for (at, dim) in schema.dims.iter().enumerate() {
        let length = if dim.unlimited {
            "nf_unlimited".to_owned()
        } else {
            dim.length.to_string()
        };
        let name = literal(dim.name.as_bytes());
        call(
            out,
            "nf_def_dim(ncid, ",
            &[name, words(&format!(", {length}, d({}))", at + 1))].concat(),
        );
    }
    let mut count = 0;
    let mut put = |out: &mut Vec<u8>, var: &str, attribute: &Attribute| {
        count += 1;
        let _ = writeln!(out, "      call a{count}(ncid, {var})");
        put_attribute(subroutines, &format!("a{count}"), attribute);
    };
    for (at, var) in schema.vars.iter().enumerate() {
        // Fortran's first dimension is the fastest.
        set(out, "s", var.dims.iter().rev().map(|d| format!("d({})", d.0 + 1)));
        let rest = format!(", {}, {}, s, v({}))", type_id(var.ty), var.dims.len(), at + 1);
        call(
            out,
            "nf_def_var(ncid, ",
            &[literal(var.name.as_bytes()), words(&rest)].concat(),
        );
        let layout = &plan.variables[at].layout;
        if can.chunks && !var.dims.is_empty() {
            define_storage(out, at + 1, layout);
        }
        if layout.fill.no_fill && can.no_fill {
            call(
                out,
                "nf_def_var_fill(",
                &words(&format!("ncid, v({}), 1, 0)", at + 1)),
            );
        }
        for attribute in &var.attributes {
            put(out, &format!("v({})", at + 1), attribute);
        }
    }
    for attribute in &schema.groups[0].attributes {
        put(out, "nf_global", attribute);
    }
    out.extend_from_slice(
        b"      call check(nf_enddef(ncid))\n      call putall(ncid, v)\n      call check(nf_close(ncid))\n      end\n",
    );
}

fn define_storage(out: &mut Vec<u8>, number: usize, layout: &VariableLayout) {
    match &layout.storage {
        Storage::Chunked { shape } => {
            set(out, "s", shape.iter().rev().map(u64::to_string));
            call(
                out,
                "nf_def_var_chunking(",
                &words(&format!("ncid, v({number}), nf_chunked, s)")),
            );
        }
        _ => call(
            out,
            "nf_def_var_chunking(",
            &words(&format!("ncid, v({number}), nf_contiguous, s)")),
        ),
    }
    for (at, filter) in layout.filters.iter().enumerate() {
        let first = filter.parameters().first().copied().unwrap_or(6);
        let next = layout
            .filters
            .get(at + 1)
            .filter(|next| next.hdf5_id() == Some(deflate::ID));
        match (filter.hdf5_id().unwrap_or_default(), next) {
            (shuffle::ID, Some(_)) => {}
            (shuffle::ID, None) => call(
                out,
                "nf_def_var_deflate(",
                &words(&format!("ncid, v({number}), 1, 0, 0)")),
            ),
            (deflate::ID, _) => {
                let shuffled = u8::from(at > 0 && layout.filters[at - 1].hdf5_id() == Some(shuffle::ID));
                call(
                    out,
                    "nf_def_var_deflate(",
                    &words(&format!("ncid, v({number}), {shuffled}, 1, {first})")),
                );
            }
            _ => call(
                out,
                "nf_def_var_fletcher32(",
                &words(&format!("ncid, v({number}), nf_fletcher32)")),
            ),
        }
    }
    if layout.endian == Endian::Big {
        call(
            out,
            "nf_def_var_endian(",
            &words(&format!("ncid, v({number}), nf_endian_big)")),
        );
    }
}

fn put_attribute(out: &mut Vec<u8>, name: &str, attribute: &Attribute) {
    let _ = write!(
        out,
        "\n      subroutine {name}(ncid, varid)\n      implicit none\n      include 'netcdf.inc'\n      integer ncid, varid\n"
    );
    let own = literal(attribute.name.as_bytes());
    let length = attribute.length;
    if attribute.ty == Type::Char {
        let _ = writeln!(out, "      character*{} x", length.max(1));
        push_text(out, &attribute.values.bytes);
        call(
            out,
            "nf_put_att_text(ncid, varid, ",
            &[own, words(&format!(", {length}, x)"))].concat(),
        );
    } else {
        push_numbers(out, attribute.ty, &attribute.values.bytes);
        let function = format!("nf_put_att_{}(ncid, varid, ", suffix(attribute.ty));
        let rest = format!(", {}, {length}, x)", type_id(attribute.ty));
        call(out, &function, &[own, words(&rest)].concat());
    }
    out.extend_from_slice(b"      end\n");
}

/// Prints a subroutine that writes one region.
fn put_block(out: &mut Vec<u8>, name: &str, ty: Type, region: &Region, bytes: &[u8]) {
    let rank = region.rank();
    let _ = write!(
        out,
        "\n      subroutine {name}(ncid, varid)\n      implicit none\n      include 'netcdf.inc'\n      integer ncid, varid\n"
    );
    if rank > 0 {
        let _ = writeln!(out, "      integer s({rank}), c({rank})");
    }
    if ty == Type::Char {
        let _ = writeln!(out, "      character*{} x", bytes.len().max(1));
        set_region(out, region);
        push_text(out, bytes);
    } else {
        push_numbers(out, ty, bytes);
        set_region(out, region);
    }
    let suffix = suffix(ty);
    if rank > 0 {
        call(
            out,
            &format!("nf_put_vara_{suffix}("),
            &words("ncid, varid, s, c, x)"),
        );
    } else {
        call(out, &format!("nf_put_var_{suffix}("), &words("ncid, varid, x)"));
    }
    out.extend_from_slice(b"      end\n");
}

fn set_region(out: &mut Vec<u8>, region: &Region) {
    set(out, "s", region.start.iter().rev().map(|n| (n + 1).to_string()));
    set(out, "c", region.count.iter().rev().map(u64::to_string));
}

/// Prints assignments to the members of an array.
fn set(out: &mut Vec<u8>, name: &str, values: impl Iterator<Item = String>) {
    for (at, value) in values.enumerate() {
        let _ = writeln!(out, "      {name}({}) = {value}", at + 1);
    }
}

/// Prints assignments to the text `x`, piece by piece.
fn push_text(out: &mut Vec<u8>, text: &[u8]) {
    for (at, piece) in text.chunks(LITERAL).enumerate() {
        let start = at * LITERAL + 1;
        let head = format!("x({start}:{}) = ", start + piece.len() - 1);
        statement(out, &[vec![head], literal(piece)].concat());
    }
}

/// Declares the numbers `x`, initializes them, and assigns the ones without a constant. Declarations must come first.
fn push_numbers(out: &mut Vec<u8>, ty: Type, bytes: &[u8]) {
    let size = ty.atomic_size();
    let count = bytes.len() / size;
    let (word, ints) = match ty {
        Type::Byte => ("integer*1", 0),
        Type::Short => ("integer*2", 0),
        Type::Float => ("real", 1),
        Type::Double => ("double precision", 2),
        _ => ("integer", 1),
    };
    let _ = writeln!(out, "      {word} x({})", count.max(1));
    let numbers: Vec<Option<String>> = bytes.chunks_exact(size).map(|b| constant(ty, b)).collect();
    let special = numbers.iter().any(Option::is_none);
    if special && ty != Type::Int {
        let _ = write!(
            out,
            "      integer b({})\n      equivalence (x, b)\n",
            (count * ints).max(1)
        );
    }
    if count > 0 {
        out.extend_from_slice(b"      integer i\n");
    }
    for (at, numbers) in numbers.chunks(NUMBERS).enumerate() {
        let first = at * NUMBERS + 1;
        let mut tokens = vec![format!(
            "data (x(i), i = {first}, {}) /",
            first + numbers.len() - 1
        )];
        for (at, number) in numbers.iter().enumerate() {
            let zero = if ty == Type::Double { "0d0" } else { "0" };
            let comma = if at + 1 < numbers.len() { ", " } else { "/" };
            tokens.push(format!("{}{comma}", number.as_deref().unwrap_or(zero)));
        }
        statement(out, &tokens);
    }
    for (at, _) in numbers.iter().enumerate().filter(|(_, number)| number.is_none()) {
        let words = bytes[at * size..(at + 1) * size].chunks_exact(4);
        for (n, word) in words.enumerate() {
            let mut bits = [0; 4];
            bits.copy_from_slice(word);
            let value = match i32::from_le_bytes(bits) {
                // The minimum has no constant.
                i32::MIN => "-2147483647 - 1".to_owned(),
                value => value.to_string(),
            };
            let name = if ty == Type::Int { "x" } else { "b" };
            let _ = writeln!(out, "      {name}({}) = {value}", at * ints + n + 1);
        }
    }
}

/// A Fortran constant; `None` if the number has none.
fn constant(ty: Type, bytes: &[u8]) -> Option<String> {
    fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
        let mut out = [0; N];
        out.copy_from_slice(&bytes[..N]);
        out
    }
    fn text(push: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        push(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }
    match ty {
        Type::Byte => Some((bytes[0] as i8).to_string()),
        Type::Short => Some(i16::from_le_bytes(array(bytes)).to_string()),
        Type::Float => {
            let value = f32::from_le_bytes(array(bytes));
            (value.is_normal() || value.to_bits() == 0).then(|| text(|out| push_float_constant(out, value)))
        }
        Type::Double => {
            let value = f64::from_le_bytes(array(bytes));
            let plain = value.is_normal() || value.to_bits() == 0;
            plain.then(|| {
                let text = text(|out| push_double_constant(out, value));
                if text.contains('e') {
                    text.replace('e', "d")
                } else {
                    text + "d0"
                }
            })
        }
        _ => {
            let value = i32::from_le_bytes(array(bytes));
            (value != i32::MIN).then(|| value.to_string())
        }
    }
}

fn type_id(ty: Type) -> &'static str {
    match ty {
        Type::Byte => "nf_byte",
        Type::Char => "nf_char",
        Type::Short => "nf_short",
        Type::Float => "nf_float",
        Type::Double => "nf_double",
        _ => "nf_int",
    }
}

/// The suffix of netCDF-Fortran's function names for a type.
fn suffix(ty: Type) -> &'static str {
    match ty {
        Type::Byte => "int1",
        Type::Char => "text",
        Type::Short => "int2",
        Type::Float => "real",
        Type::Double => "double",
        _ => "int",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_fortran() {
        assert_eq!(constant(Type::Double, &1e-7f64.to_le_bytes()).unwrap(), "1d-7");
        assert_eq!(constant(Type::Double, &2f64.to_le_bytes()).unwrap(), "2.0d0");
        assert_eq!(constant(Type::Float, &f32::NAN.to_le_bytes()), None);
        assert_eq!(constant(Type::Float, &1e-45f32.to_le_bytes()), None);
        assert_eq!(constant(Type::Float, &(-0f32).to_le_bytes()), None);
        assert_eq!(constant(Type::Int, &i32::MIN.to_le_bytes()), None);
    }
}
