//! S3 on a folder, by s3s-fs.

use std::path::Path;

use anyhow::{Result, anyhow};
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;

use crate::listen;

/// Serves a folder, whose folders are the buckets. With an access key and its secret, each request must be signed by them.
/// Returns the port.
///
/// # Errors
/// If the folder cannot be used, or no port listened on.
pub async fn start(folder: &Path, key: Option<(&str, &str)>) -> Result<u16> {
    let store = FileSystem::new(folder).map_err(|error| anyhow!("{}: {error:?}", folder.display()))?;
    let mut builder = S3ServiceBuilder::new(store);
    if let Some((id, secret)) = key {
        builder.set_auth(SimpleAuth::from_single(id, secret));
    }
    let service = builder.build();
    listen::connections(move |stream| {
        let service = service.clone();
        async move {
            let _ = listen::builder()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        }
    })
    .await
}
