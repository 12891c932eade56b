//! S3 on a folder, by s3s-fs.

use std::path::Path;

use anyhow::{Result, anyhow};
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use percent_encoding::percent_decode_str;
use s3s::Body;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;

use crate::listen;

/// Serves a folder, whose folders are the buckets. With an access key and its secret, each request must be signed by them.
/// Without them, no request may be signed. Returns the port.
///
/// # Errors
/// If the folder cannot be used, or no port listened on.
pub async fn start(folder: &Path, key: Option<(&str, &str)>) -> Result<u16> {
    let store = FileSystem::new(folder).map_err(|error| anyhow!("{}: {error:?}", folder.display()))?;
    let mut builder = S3ServiceBuilder::new(store);
    if let Some((id, secret)) = key {
        builder.set_auth(SimpleAuth::from_single(id, secret));
    }
    let (service, root) = (builder.build(), folder.to_owned());
    listen::connections(move |stream| {
        let (service, root) = (service.clone(), root.clone());
        async move {
            let answer = service_fn(|request: Request<Incoming>| {
                let (service, is_folder) = (service.clone(), names_folder(&root, &request));
                async move {
                    match is_folder {
                        true => Ok(no_such_key()),
                        false => service.call(request.map(Body::from)).await,
                    }
                }
            });
            let _ = listen::builder()
                .serve_connection(TokioIo::new(stream), answer)
                .await;
        }
    })
    .await
}

/// True if a request reads a key that is a folder, which is no object. s3s-fs answers 500 to it.
fn names_folder(root: &Path, request: &Request<Incoming>) -> bool {
    let path = percent_decode_str(request.uri().path().trim_start_matches('/')).decode_utf8_lossy();
    let is_key = path.trim_end_matches('/').contains('/') && !path.contains("..");
    is_key && matches!(request.method().as_str(), "GET" | "HEAD") && root.join(&*path).is_dir()
}

fn no_such_key() -> Response<Body> {
    let text = "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Message>The key does not exist.</Message></Error>";
    let mut response = Response::new(Body::from(text.to_owned()));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}
