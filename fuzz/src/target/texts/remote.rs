//! Fuzzes names of remote datasets, and the files and variables that their settings come from.

use std::io;
use std::path::{Path, PathBuf};

use ncutils_core::location::remote_url;
use ncutils_core::remote_settings::settings::{Credentials, Settings};
use ncutils_core::remote_settings::{ConfigurationFile, Environment};

use crate::Seed;

/// What separates the parts of an input: the name, `.ncrc`, `~/.aws/credentials`, `.netrc`, a program's output, variables.
const SEPARATOR: &str = "\n--\n";

/// Surroundings that are made of an input.
struct Surroundings<'a> {
    rc: &'a str,
    credentials: &'a str,
    netrc: &'a str,
    printed: &'a str,
    variables: &'a str,
}

impl Environment for Surroundings<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        let value = |line: &str| Some(line.strip_prefix(name)?.strip_prefix('=')?.to_owned());
        self.variables.lines().find_map(value)
    }

    fn home(&self) -> Option<PathBuf> {
        Some("/home".into())
    }

    fn current_folder(&self) -> Option<PathBuf> {
        None
    }

    fn read(&self, path: &Path) -> io::Result<ConfigurationFile> {
        let text = match path.file_name().and_then(|name| name.to_str()) {
            Some(".ncrc") => self.rc,
            Some("credentials") => self.credentials,
            Some("netrc") => self.netrc,
            _ => return Err(io::ErrorKind::NotFound.into()),
        };
        let text = text.to_owned();
        Ok(ConfigurationFile { text, is_own: true })
    }

    fn run(&self, _: &str, _: &[String]) -> io::Result<String> {
        Ok(self.printed.to_owned())
    }
}

/// Parses the name, and finds the settings. Requests go to one line's worth of URL, whatever the input holds.
pub fn settings(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let mut parts = text.splitn(6, SEPARATOR);
    let mut next = || parts.next().unwrap_or_default();
    let name = next();
    let around = Surroundings {
        rc: next(),
        credentials: next(),
        netrc: next(),
        printed: next(),
        variables: next(),
    };
    let _ = remote_url::shown(name);
    let Ok(parsed) = remote_url::parse(name) else {
        return;
    };
    let Ok(settings) = Settings::of(&parsed.url, &around) else {
        return;
    };
    let _ = settings.explanation();
    if let Credentials::Process(process) = &settings.credentials.value {
        let _ = process.run(&around);
    }
    for key in ["", "v/0.0"] {
        let url = settings.request_url(&parsed.url, key);
        let is_sendable = |b: u8| b.is_ascii_graphic();
        assert!(url.expose().bytes().all(is_sendable), "{:?}", url.expose());
        assert!(url.expose().starts_with("http"), "{:?}", url.expose());
    }
}

/// Seeds.
pub fn seeds(_: &Path) -> Vec<Seed> {
    [
        "s3://bucket/a/key#mode=zarr,s3&aws.profile=p\n--\nAWS.REGION=eu-west-1\n[https://h:1/x]AWS.PROFILE=q\n--\n\
            [p]\naws_access_key_id = A # c\naws_secret_access_key = s/+=\n[profile q]\nregion=x\n",
        "[mode=s3]http://bucket.s3.region.example.net:9000/key\n--\n# c\nAWS.PROFILE=no\nHTTP.SSL.VALIDATE=0\n",
        "https://user:p%40ss@example.org/a b?c=d#bytes\n--\nHTTP.NETRC=/netrc\nHTTP.PROXY.SERVER=http://u:p@h:1\n--\n\n--\n\
            machine h login u password p\ndefault login d\n--\n\n--\nNO_PROXY=10.0.0.0/8,.org",
        "s3://b\n--\n\n--\n[default]\ncredential_process = \"a b\" 'c'\n--\n\n--\n\
            {\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"S\",\"Expiration\":\"2030-01-01T00:00:00Z\"}",
        "abfss://c@account.dfs.core.windows.net/key\n--\n\n--\n\n--\n\n--\n\n--\n\
            AZURE_STORAGE_CONNECTION_STRING=AccountName=a;AccountKey=k",
        "az://c/k\n--\n\n--\n\n--\n\n--\n\n--\nAZURE_STORAGE_ACCOUNT=a\nAZURE_STORAGE_ENDPOINT=http://[::1]:1/a",
        "gs://bucket/key\n--\n\n--\n\n--\n\n--\n\n--\nSTORAGE_EMULATOR_HOST=localhost:1",
        "https://bucket.s3.dualstack.us-west-2.amazonaws.com/a%20b/c",
        "https://account.blob.core.windows.net/container/key",
        "s3://x/y\n--\n\n--\n\n--\n\n--\n\n--\nAWS_ENDPOINT_URL=https://h/p/\nAWS_ACCESS_KEY_ID=A\nAWS_SECRET_ACCESS_KEY=S",
    ]
    .map(Seed::text)
    .into()
}
