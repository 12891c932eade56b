//! Lists the other files that a file refers to: those of external links, external raw data and virtual datasets.

use std::collections::HashSet;

use super::data::stored::StoredData;
use super::netcdf4_reader::Netcdf4Reader;
use super::object::links::OpenFile;
use crate::format::{Reader, SourceFile};
use crate::model::VarId;
use crate::store::{NamedAs, NoExternalFile};

/// Every other file, by what names it, and where it was found or why it is not read. External links come first, then the
/// files of each variable.
pub fn list(reader: &Netcdf4Reader) -> Vec<SourceFile> {
    let look_up = |named_by: String, file: &OpenFile, named_as: NamedAs, name: &str| {
        let found = match &file.external_files {
            Some(external_files) => match external_files.find(name, named_as) {
                Ok(found) => match external_files.exists(&found) {
                    Ok(true) => Ok(found.identity().to_owned()),
                    Ok(false) => Err(NoExternalFile::Missing.to_string()),
                    Err(why) => Err(NoExternalFile::Unreadable(why.to_string()).to_string()),
                },
                Err(why) => Err(why.to_string()),
            },
            None => Err("is not looked up, as it is not known what lies beside the input".to_owned()),
        };
        SourceFile {
            named_by,
            named_as,
            name: name.to_owned(),
            found,
        }
    };
    let links = reader.links.iter().map(|link| {
        let file = &reader.files[link.from];
        look_up(link.path.clone(), file, NamedAs::ExternalLink, &link.file)
    });
    let mut all: Vec<SourceFile> = links.collect();
    for (n, variable) in reader.variables.iter().enumerate() {
        let (names, named_as): (Vec<&str>, _) = match &variable.stored.data {
            StoredData::External(data) => (data.names().collect(), NamedAs::ExternalData),
            StoredData::Virtual(data) => {
                let mut met = HashSet::new();
                let names = data.data.sources().iter().map(|(file, _)| &**file);
                (
                    names.filter(|name| met.insert(*name)).collect(),
                    NamedAs::VirtualSource,
                )
            }
            _ => continue,
        };
        for name in names.into_iter().filter(|name| *name != ".") {
            let path = reader.schema().var_path(VarId(n));
            all.push(look_up(path, reader.file(VarId(n)), named_as, name));
        }
    }
    all
}
