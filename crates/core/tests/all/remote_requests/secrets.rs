//! No secret is printed, whatever is malformed.

use super::surroundings::{Surroundings, all_that_is_printed};

/// The word that stands for each secret.
const SECRET: &str = "hunter2";

#[test]
fn nothing_that_is_printed_holds_a_secret() {
    let names = [
        "s3://bkt/x",
        "s3://bkt/x#aws.profile=p",
        "s3://bkt/x#aws.profile=tool",
        "s3://bkt/x#aws.profile=half",
        "s3://bkt/x#aws.profile=gone",
        "s3://bkt/x#aws.secret_access_key=hunter2",
        "s3://u:hunter2@bkt/x",
        "gs://bkt/x",
        "az://cont/x",
        "https://u:hunter2@h/x?sig=hunter2",
        "https://u:hunter2@h:x/x",
        "https://b.s3.amazonaws.com/x?X-Amz-Signature=hunter2",
        "https://h/x",
    ];
    let files = [
        "/home/u/.aws/credentials: hunter2\n[p]\naws_access_key_id=P\naws_secret_access_key=hunter2\naws_session_token=hunter2\nhunter2\n[tool]\ncredential_process=tool --password hunter2\n[half]\naws_secret_access_key=hunter2",
        "/home/u/.ncrc: hunter2\nHTTP.CREDENTIALS.USERPASSWORD=u:hunter2\nHTTP.PROXY.SERVER=http://u:hunter2@h:1\nHTTP.NETRC=/n",
        "/data/.ncrc: HTTP.CREDENTIALS.USERPASSWORD=hunter2",
        "/n: machine h login u password hunter2",
    ];
    let variables = [
        "AWS_ACCESS_KEY_ID=A",
        "AWS_SECRET_ACCESS_KEY=hunter2",
        "AWS_SESSION_TOKEN=hunter2",
        "GOOGLE_SERVICE_ACCOUNT_KEY=hunter2",
        "AZURE_STORAGE_ACCOUNT=acc",
        "AZURE_STORAGE_KEY=hunter2",
        "AZURE_STORAGE_SAS_TOKEN=sig=hunter2",
        "AZURE_STORAGE_CONNECTION_STRING=AccountKey=hunter2",
        "AZURE_STORAGE_CONNECTION_STRING=hunter2",
        "AWS_ENDPOINT_URL=http://u:hunter2@h",
        "AWS_ENDPOINT_URL=http://u:hunter2@h:x",
        "https_proxy=http://u:hunter2@h:x",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI=https://h/hunter2",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN=hunter2",
    ];
    for name in names {
        // None, each of them alone, and all together.
        let mut rows: Vec<Vec<&str>> = files.iter().chain(&variables).map(|item| vec![*item]).collect();
        rows.push(Vec::new());
        rows.push(files.iter().chain(&variables).copied().collect());
        rows.push(files[..2].iter().chain(&files[3..]).copied().collect());
        for row in rows {
            let printed = all_that_is_printed(name, &Surroundings::of(&row));
            assert!(!printed.contains(SECRET), "{name} {row:?}: {printed}");
        }
    }
}
