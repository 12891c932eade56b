//! Writes the program: its head, its definitions, and a function for the values of each variable.

use std::io::Write;

use super::initializer::Arrays;
use super::program::{LONGEST, Program};
use crate::cdl::program::{cannot_write, creation_flags, for_each_slab, function_name};
use crate::copy::CopyPlan;
use crate::error::Result;
use crate::format::Reader;
use crate::model::VarId;

/// Maximum size of the values in one array of the program, in bytes.
const ARRAY_BYTES: u64 = 256 << 10;

/// Prints the program to `out`. When run, it creates the file `file` as `plan` describes, with the values of `reader`.
/// Its main function is `main`, unless another name is given.
///
/// # Errors
/// [`Error::Usage`](crate::Error::Usage) for a name that no function can have, and a kind that netCDF-C does not create; else what reading the values, or writing the text,
/// fails of.
pub fn write(
    reader: &dyn Reader,
    plan: &CopyPlan,
    file: &str,
    main: Option<&str>,
    out: &mut dyn Write,
) -> Result<()> {
    let main = function_name(main, "main", LONGEST)?;
    let flags = creation_flags(plan.schema.kind)?;
    let program = Program::new(&plan.schema);
    let mut text = Vec::new();
    program.head(&mut text, plan, file);
    program.define(&mut text, plan, file, flags);
    out.write_all(&text).map_err(cannot_write)?;
    let mut calls = Vec::new();
    for at in 0..plan.schema.vars.len() {
        let var = VarId(at);
        let mut begun = false;
        for_each_slab(reader, plan, var, ARRAY_BYTES, |region, values| {
            let mut text = Vec::new();
            if !begun {
                begun = true;
                let _ = write!(text, "\nstatic void\nput_{}(void)\n{{\n", program.vars[at]);
            }
            program.put(&mut text, var, region, values);
            out.write_all(&text).map_err(cannot_write)
        })?;
        if begun {
            out.write_all(b"}\n").map_err(cannot_write)?;
            calls.push(at);
        }
    }
    let mut text = format!("\nint\n{main}(void)\n{{\n    define();\n").into_bytes();
    for at in calls {
        let _ = writeln!(text, "    put_{}();", program.vars[at]);
    }
    let _ = write!(
        text,
        "    CHECK(nc_close({}));\n    return 0;\n}}\n",
        program.groups[0]
    );
    out.write_all(&text)
        .and_then(|()| out.flush())
        .map_err(cannot_write)
}

impl Program<'_> {
    /// Prints the includes and declarations before the functions.
    fn head(&self, out: &mut Vec<u8>, plan: &CopyPlan, file: &str) {
        let shown = file.replace("*/", "* /").replace(['\n', '\r', '\\'], "_");
        let _ = write!(
            out,
            "/* Makes the netCDF file {shown}. Build it with: cc THIS.c $(nc-config --cflags --libs) -lm */\n\n\
             #include <math.h>\n#include <stddef.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <netcdf.h>\n"
        );
        if plan.variables.iter().any(|v| !v.layout.filters.is_empty()) {
            out.extend_from_slice(b"#include <netcdf_filter.h>\n");
        }
        out.extend_from_slice(
            b"\n#define CHECK(call) check((call), __LINE__)\n\n\
              static void\ncheck(int status, int line)\n{\n    if (status != NC_NOERR) {\n        \
              fprintf(stderr, \"line %d: %s\\n\", line, nc_strerror(status));\n        exit(EXIT_FAILURE);\n    }\n}\n\n",
        );
        self.type_definitions(out);
        for names in [&self.groups, &self.dims, &self.types, &self.vars] {
            for name in names {
                let _ = writeln!(out, "static int {name};");
            }
        }
    }

    /// Prints the call that writes one region.
    fn put(
        &self,
        out: &mut Vec<u8>,
        var: VarId,
        region: &crate::format::Region,
        values: &crate::model::Values,
    ) {
        let variable = self.schema.var(var);
        let mut arrays = Arrays::new(self, "        ");
        let data = arrays.elements(variable.ty, &values.bytes, values);
        let (group, name) = (self.group(variable.group), &self.vars[var.0]);
        out.extend_from_slice(b"    {\n");
        out.extend_from_slice(&arrays.text);
        if region.rank() == 0 {
            let _ = writeln!(out, "        CHECK(nc_put_var({group}, {name}, {data}));");
        } else {
            let list = |lengths: &[u64]| lengths.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
            let _ = write!(
                out,
                "        static const size_t start[] = {{{}}}, count[] = {{{}}};\n        \
                 CHECK(nc_put_vara({group}, {name}, start, count, {data}));\n",
                list(&region.start),
                list(&region.count)
            );
        }
        out.extend_from_slice(b"    }\n");
    }
}
