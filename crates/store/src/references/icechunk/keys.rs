//! The keys of a repository, and the documents of the hierarchy in it.

use super::id::ObjectId;
use crate::references::read::JsonText;

/// All branches, tags and snapshots: specification 2.
pub const REPOSITORY: &str = "repo";

/// The settings: specification 1.
pub const SETTINGS: &str = "config.yaml";

/// The name of the document of a group or an array.
pub const DOCUMENT: &str = "zarr.json";

/// What the keys of files of chunks begin with.
const CHUNKS: &str = "chunks/";

/// The file of a snapshot.
pub fn snapshot(id: ObjectId) -> String {
    format!("snapshots/{id}")
}

/// The file of the log of a snapshot.
pub fn transaction_log(id: ObjectId) -> String {
    format!("transactions/{id}")
}

/// The file of a manifest.
pub fn manifest(id: ObjectId) -> String {
    format!("manifests/{id}")
}

/// The file of a chunk.
pub fn chunk(id: ObjectId) -> String {
    format!("{CHUNKS}{id}")
}

/// The id of a chunk, by the key of its file.
pub fn id_of_chunk(key: &str) -> Option<ObjectId> {
    key.strip_prefix(CHUNKS).and_then(ObjectId::parse)
}

/// A copy of [`REPOSITORY`], by its name.
pub fn overwritten(copy: &str) -> String {
    format!("overwritten/{copy}")
}

/// The folder of branches and tags: specification 1.
pub const REFS: &str = "refs/";

/// What the name of a branch's folder begins with.
pub const OF_BRANCH: &str = "branch.";

/// What the name of a tag's folder begins with.
pub const OF_TAG: &str = "tag.";

/// The file that names the last snapshot of a branch.
pub fn branch(name: &str) -> String {
    format!("{REFS}{OF_BRANCH}{name}/ref.json")
}

/// The file that names the snapshot of a tag.
pub fn tag(name: &str) -> String {
    format!("{REFS}{OF_TAG}{name}/ref.json")
}

/// A file that is there if a tag was deleted. The file of the tag stays.
pub fn deleted_tag(name: &str) -> String {
    format!("{}.deleted", tag(name))
}

/// The content of the file of a branch or tag.
pub fn ref_to(id: ObjectId) -> String {
    format!("{{\"snapshot\":\"{id}\"}}")
}

/// The snapshot that the file of a branch or tag names.
pub fn snapshot_of_ref(file: &[u8]) -> Option<ObjectId> {
    let (mut json, mut is_first) = (JsonText::new(file), true);
    json.expect(b'{').ok()?;
    let mut found = None;
    while json.next_of(b'}', &mut is_first).ok()? {
        let (mut name, mut value) = (Vec::new(), Vec::new());
        json.string(&mut name, file.len()).ok()?;
        json.expect(b':').ok()?;
        match &*name {
            b"snapshot" => {
                json.string(&mut value, file.len()).ok()?;
                found = str::from_utf8(&value).ok().and_then(ObjectId::parse);
            }
            _ => json.skip().ok()?,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ref_names_a_snapshot() {
        let id = ObjectId([7; 12]);
        assert_eq!(snapshot_of_ref(ref_to(id).as_bytes()), Some(id));
        let other = format!(r#" {{"a": {{"b": ["{id}"]}}, "snapshot" : "{id}" }} "#);
        assert_eq!(snapshot_of_ref(other.as_bytes()), Some(id));
        let elsewhere = format!(r#"{{"a": {{"snapshot": "{id}"}}}}"#);
        for wrong in [
            "",
            "{}",
            "[]",
            r#"{"snapshot": "x"}"#,
            r#"{"snapshot": 1}"#,
            &elsewhere,
        ] {
            assert_eq!(snapshot_of_ref(wrong.as_bytes()), None, "{wrong}");
        }
        assert_eq!(id_of_chunk(&chunk(id)), Some(id));
    }
}
