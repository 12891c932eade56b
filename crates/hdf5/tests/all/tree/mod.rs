//! A listing of all that a file's metadata says, a line for each object, link, attribute and dataset, tab-separated, so
//! that it can be held against what another implementation says of the same file (`data/structure/make.py`).

use std::collections::HashSet;
use std::fmt::Write;

use ncutils_hdf5::{
    Attribute, ByteOrder, CharacterSet, Class, Dataset, Dataspace, Datatype, File, Fill, Layout, LinkTarget,
    Object, ObjectKind, ReferenceKind, Result, StringPadding,
};

/// The most raw data of a contiguous dataset that is read and hashed.
const MAX_DATA: usize = 1 << 20;

macro_rules! line {
    ($out:expr, $($arg:tt)*) => {{
        // Writing to a string cannot fail.
        let _ = writeln!($out, $($arg)*);
    }};
}

/// Lists every object that hard links lead to, once.
pub fn list(file: &File) -> String {
    let mut tree = FileWalk {
        file,
        seen: HashSet::new(),
        out: String::new(),
    };
    tree.walk();
    tree.out
}

struct FileWalk<'a> {
    file: &'a File,
    seen: HashSet<u64>,
    out: String,
}

impl FileWalk<'_> {
    fn walk(&mut self) {
        let root = self.file.root();
        self.seen.insert(root);
        let mut pending = vec![(root, String::from("/"))];
        while let Some((address, path)) = pending.pop() {
            let mut children = Vec::new();
            if let Err(error) = self.object(address, &path, &mut children) {
                line!(self.out, "{path}\terror\t{error}");
            }
            pending.extend(children.into_iter().rev());
        }
    }

    fn object(&mut self, address: u64, path: &str, children: &mut Vec<(u64, String)>) -> Result<()> {
        let object = self.file.object(address)?;
        line!(self.out, "{path}\tobject\t{address}\t{:?}", object.kind);
        self.attributes(&object, path)?;
        match object.kind {
            ObjectKind::Group => self.group(&object, path, children)?,
            ObjectKind::Dataset => {
                let dataset = self.file.dataset(&object)?;
                self.dataset(&dataset, path)?;
            }
            ObjectKind::NamedDatatype => {
                line!(
                    self.out,
                    "{path}\ttype\t{}",
                    describe(&self.file.named_datatype(&object)?)
                );
            }
            _ => {}
        }
        Ok(())
    }

    fn group(&mut self, object: &Object, path: &str, children: &mut Vec<(u64, String)>) -> Result<()> {
        let links = self.file.links(object)?;
        for link in links.links {
            let target = match &link.target {
                LinkTarget::Hard(address) => format!("hard {address}"),
                LinkTarget::Soft(path) => format!("soft {path}"),
                LinkTarget::External { file, path } => format!("external {file} {path}"),
                LinkTarget::UserDefined { class, .. } => format!("user {class}"),
                other => format!("{other:?}"),
            };
            line!(self.out, "{path}\tlink\t{}\t{target}", link.name);
            if let LinkTarget::Hard(address) = link.target
                && self.seen.insert(address)
            {
                children.push((address, format!("{}/{}", path.trim_end_matches('/'), link.name)));
            }
        }
        Ok(())
    }

    fn attributes(&mut self, object: &Object, path: &str) -> Result<()> {
        for attribute in self.file.attributes(object)? {
            match attribute {
                Ok(attribute) => self.attribute(&attribute, path),
                Err(error) => line!(self.out, "{path}\tattribute error\t{error}"),
            }
        }
        Ok(())
    }

    fn attribute(&mut self, attribute: &Attribute, path: &str) {
        line!(
            self.out,
            "{path}\tattribute\t{}\t{}\t{}\t{}",
            attribute.name,
            describe(&attribute.datatype),
            shape(&attribute.dataspace),
            digest(&attribute.datatype, &attribute.data)
        );
    }

    fn dataset(&mut self, dataset: &Dataset, path: &str) -> Result<()> {
        let filters: Vec<String> = dataset
            .filters
            .iter()
            .map(|f| format!("{}:{}:{:?}", f.id, u8::from(f.optional), f.parameters))
            .collect();
        let fill = match &dataset.fill.value {
            Fill::Undefined => "undefined".to_owned(),
            Fill::Default => "default".to_owned(),
            Fill::Defined(value) => digest(&dataset.datatype, value),
        };
        let layout = match &dataset.layout {
            Layout::Compact(data) => format!("compact {}", digest(&dataset.datatype, data)),
            Layout::Contiguous { address: None, .. } => "contiguous -".to_owned(),
            Layout::Contiguous {
                address: Some(address),
                size,
            } => {
                let len = usize::try_from(*size).unwrap_or(usize::MAX).min(MAX_DATA);
                let mut data = vec![0; len];
                let digest = match self.file.read_at(*address, &mut data) {
                    Ok(()) => digest(&dataset.datatype, &data),
                    Err(error) => error.to_string(),
                };
                format!("contiguous {address} {digest}")
            }
            Layout::Chunked(layout) => {
                let table = self.file.chunk_table(dataset)?;
                let mut bytes = Vec::new();
                for chunk in table.iter() {
                    let chunk = chunk?;
                    bytes.extend((self.file.user_block_size() + chunk.address).to_le_bytes());
                    bytes.extend(chunk.size.to_le_bytes());
                    bytes.extend(u64::from(chunk.filter_mask).to_le_bytes());
                }
                format!("chunked {:?} {} {:08x}", layout.shape, table.len(), fnv(&bytes))
            }
            Layout::Virtual { .. } => "virtual".to_owned(),
            Layout::External(_) => "external".to_owned(),
            other => format!("{other:?}"),
        };
        line!(
            self.out,
            "{path}\tdataset\t{}\t{}\t{layout}\t[{}]\t{:?} {:?} {fill}",
            describe(&dataset.datatype),
            shape(&dataset.dataspace),
            filters.join(" "),
            dataset.fill.allocation_time,
            dataset.fill.fill_time,
        );
        Ok(())
    }
}

fn shape(space: &Dataspace) -> String {
    match space {
        Dataspace::Null => "null".to_owned(),
        Dataspace::Scalar => "scalar".to_owned(),
        Dataspace::Simple { dims, max_dims } => {
            let max: Vec<String> = max_dims
                .iter()
                .map(|d| d.map_or("*".to_owned(), |d| d.to_string()))
                .collect();
            format!("{dims:?}/[{}]", max.join(", "))
        }
    }
}

/// Length and hash; nothing where bytes are addresses, which other implementations do not show.
fn digest(datatype: &Datatype, data: &[u8]) -> String {
    if datatype.holds_addresses() {
        "-".to_owned()
    } else {
        format!("{}:{:08x}", data.len(), fnv(data))
    }
}

/// FNV-1a.
fn fnv(data: &[u8]) -> u32 {
    data.iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

fn order(order: ByteOrder) -> &'static str {
    match order {
        ByteOrder::Little => "le",
        ByteOrder::Big => "be",
        ByteOrder::Vax => "vax",
    }
}

fn string(padding: StringPadding, charset: CharacterSet) -> String {
    let padding = match padding {
        StringPadding::NullTerminate => 0,
        StringPadding::NullPad => 1,
        StringPadding::SpacePad => 2,
    };
    format!("{padding},{}", u8::from(charset == CharacterSet::Utf8))
}

fn describe(datatype: &Datatype) -> String {
    let size = datatype.size;
    match &datatype.class {
        Class::FixedPoint {
            order: o,
            signed,
            bit_offset,
            precision,
        } => {
            format!(
                "{}{size}{}:{precision}@{bit_offset}",
                if *signed { "i" } else { "u" },
                order(*o)
            )
        }
        Class::FloatingPoint(f) => format!(
            "f{size}{}:{}@{}:{},{},{},{},{},{},{}",
            order(f.order),
            f.precision,
            f.bit_offset,
            f.sign_location,
            f.exponent_location,
            f.exponent_size,
            f.mantissa_location,
            f.mantissa_size,
            f.exponent_bias,
            f.normalization
        ),
        Class::Time { .. } => format!("time{size}"),
        Class::String { padding, charset } => format!("S{size}({})", string(*padding, *charset)),
        Class::Bitfield {
            order: o,
            bit_offset,
            precision,
        } => format!("b{size}{}:{precision}@{bit_offset}", order(*o)),
        Class::Opaque { tag } => format!("O{size}:{tag}"),
        Class::Compound { members } => {
            let members: Vec<String> = members
                .iter()
                .map(|m| format!("{}@{}:{}", m.name, m.offset, describe(&m.datatype)))
                .collect();
            // In memory variable-length members have other sizes than in the file.
            if datatype.holds_addresses() {
                let members: Vec<String> = members
                    .iter()
                    .map(|m| m.replace(|c: char| c.is_ascii_digit(), ""))
                    .collect();
                return format!("{{{}}}", members.join(";"));
            }
            format!("{{{}}}{size}", members.join(";"))
        }
        Class::Reference { kind } => match kind {
            ReferenceKind::Object => "Robject".to_owned(),
            ReferenceKind::DatasetRegion => "Rregion".to_owned(),
            ReferenceKind::Standard => "Rstandard".to_owned(),
        },
        Class::Enumeration { base, members } => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{name}={value:02x?}"))
                .collect();
            format!("E({}){}", describe(base), members.join(";"))
        }
        Class::VariableLength { base } => format!("V({})", describe(base)),
        Class::VariableString { padding, charset } => format!("VS({})", string(*padding, *charset)),
        Class::Array { dims, base } => format!("A{dims:?}({})", describe(base)),
        Class::Complex { base } => format!("C({})", describe(base)),
    }
}
