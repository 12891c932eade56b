//! Credentials for S3: of variables, of a profile, and of what the machine has.

use url::{Host, Url};

use super::credential_process::{AccessKeys, CredentialProcess};
use super::profiles::Profile;
use crate::secret::Secret;
use crate::settings::chosen::Chosen;
use crate::settings::credential_kinds::{Credentials, MetadataToken};
use crate::settings::sources::{Sources, is_nobody};
use ncutils_model::error::usage;
use ncutils_model::{Error, Result};

/// The address at which containers of Amazon's get their keys.
const CONTAINER: &str = "http://169.254.170.2";

/// The profile that settings are from.
pub(super) struct Active<'a> {
    pub(super) name: String,
    /// `None` for `default` where there is none, and for requests without credentials.
    pub(super) profile: Option<&'a Profile>,
    /// Who names it, in words.
    pub(super) from: String,
    /// True if the fragment or an rc file names it.
    pub(super) is_explicit: bool,
}

/// The credentials: of variables unless a profile is named explicitly, then of the profile, then of the machine.
///
/// # Errors
/// A key without its other half; a malformed `credential_process` or address of a container.
pub(super) fn of(sources: &Sources<'_>, active: Active<'_>, is_aws: bool) -> Result<Chosen<Credentials>> {
    let names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];
    if !active.is_explicit
        && let Some(keys) = keys(names, |name| sources.environment.filled(name))?
    {
        return Ok(Chosen::new(Credentials::Keys(keys), names[0]));
    }
    let found = match active.profile {
        None if is_nobody(&active.name) => Some(Credentials::Anonymous),
        Some(profile) => of_profile(&active.name, profile)?,
        None => None,
    };
    match found {
        Some(found) => Ok(Chosen::new(found, active.from)),
        // Only Amazon's hosts take what the machine has, and no other host may see it.
        None if is_aws => Ok(of_machine(sources)?.unwrap_or_else(Credentials::none_found)),
        None => Ok(Credentials::none_found()),
    }
}

/// Access keys under the names of id, secret and token.
///
/// # Errors
/// An id without a secret, or a secret without an id.
fn keys(names: [&str; 3], get: impl Fn(&str) -> Option<String>) -> Result<Option<AccessKeys>> {
    let [id, secret, token] = names;
    let half = |set, missing| usage(format!("{set} is set, but {missing} is not; set both or none"));
    match (get(id), get(secret)) {
        (Some(id), Some(secret)) => Ok(Some(AccessKeys {
            id,
            secret: secret.into(),
            token: get(token).map(Secret::from),
            expiration: None,
        })),
        (Some(_), None) => half(id, secret),
        (None, Some(_)) => half(secret, id),
        (None, None) => Ok(None),
    }
}

/// The credentials of a profile: role or SSO by the AWS CLI, keys, `credential_process`. `None` if it has none.
fn of_profile(name: &str, profile: &Profile) -> Result<Option<Credentials>> {
    let by_cli = ["role_arn", "sso_session", "sso_start_url", "login_session"];
    if profile.first(&by_cli).is_some() {
        return Ok(Some(Credentials::Process(CredentialProcess::aws_cli(name))));
    }
    let of = |error: Error| match error {
        Error::Usage(why) => Error::Usage(format!("profile '{}': {why}", name.escape_debug())),
        error => error,
    };
    let names = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"];
    if let Some(keys) = keys(names, |name| Some(profile.first(&[name])?.value)).map_err(of)? {
        return Ok(Some(Credentials::Keys(keys)));
    }
    let line = profile.first(&["credential_process"]);
    let process = line.map(|line| CredentialProcess::parse(&line.value));
    Ok(process.transpose().map_err(of)?.map(Credentials::Process))
}

/// What the machine has: web identity, a container's keys, the role of an instance.
fn of_machine(sources: &Sources<'_>) -> Result<Option<Chosen<Credentials>>> {
    let value = |name: &str| sources.environment.filled(name);
    if let (Some(token_file), Some(role_arn)) = (value("AWS_WEB_IDENTITY_TOKEN_FILE"), value("AWS_ROLE_ARN"))
    {
        let session = value("AWS_ROLE_SESSION_NAME").unwrap_or_else(|| "ncutils".to_owned());
        let what = format!("role {role_arn} by web identity");
        let plain = vec![
            ("web_identity_token_file", token_file),
            ("role_arn", role_arn),
            ("role_session_name", session),
        ];
        let found = Credentials::configured(what, plain, None);
        return Ok(Some(Chosen::new(found, "AWS_WEB_IDENTITY_TOKEN_FILE")));
    }
    let container = [
        ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", CONTAINER),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", ""),
    ];
    for (name, front) in container {
        if let Some(uri) = value(name) {
            let file = value("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
            let token = file.map(|file| MetadataToken::File(file.into())).or_else(|| {
                Some(MetadataToken::Text(
                    value("AWS_CONTAINER_AUTHORIZATION_TOKEN")?.into(),
                ))
            });
            let url = format!("{front}{uri}");
            check_container(&url, name)?;
            let url = url.into();
            return Ok(Some(Chosen::new(Credentials::Container { url, token }, name)));
        }
    }
    let is_off = sources.environment.is_true("AWS_EC2_METADATA_DISABLED");
    let role = || Chosen::new(Credentials::InstanceRole, "the instance's role, if there is one");
    Ok((!is_off).then(role))
}

/// Keys are sent to this address only over HTTPS, or within the machine: AWS's own rule.
fn check_container(text: &str, name: &str) -> Result<()> {
    let url = Url::parse(text).or_else(|e| usage(format!("{name}: not a URL: {e}")))?;
    let is_near = match url.host() {
        Some(Host::Ipv4(ip)) => {
            ip.is_loopback() || [[169, 254, 170, 2], [169, 254, 170, 23]].contains(&ip.octets())
        }
        Some(Host::Ipv6(ip)) => ip.is_loopback() || ip.to_string() == "fd00:ec2::23",
        Some(Host::Domain(host)) => host == "localhost",
        None => false,
    };
    match url.scheme() == "https" || (url.scheme() == "http" && is_near) {
        true => Ok(()),
        false => usage(format!(
            "{name}: credentials come by https, or by http from this machine"
        )),
    }
}
