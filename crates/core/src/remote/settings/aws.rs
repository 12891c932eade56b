//! Amazon's settings for S3: the profile, the credentials, the region, the endpoint.

use super::super::environment::Environment;
use super::super::secret::Secret;
use super::super::url::{Operator, RemoteUrl};
use super::chosen::Chosen;
use super::credential_process::CredentialProcess;
use super::credentials::{Credentials, MetadataToken};
use super::endpoint::Endpoint;
use super::keys::AccessKeys;
use super::profiles::{Profile, Profiles};
use super::rc::RcFiles;
use crate::error::{Error, Result};

/// The region where nothing names one.
const DEFAULT_REGION: &str = "us-east-1";

/// The address at which containers of Amazon's get their keys.
const CONTAINER: &str = "http://169.254.170.2";

/// What settings of S3 are made of.
pub(super) struct Sources<'a> {
    pub(super) url: &'a RemoteUrl,
    pub(super) rc: &'a RcFiles,
    pub(super) profiles: &'a Profiles,
    pub(super) environment: &'a dyn Environment,
}

/// The profile that settings are from.
enum Active<'a> {
    /// The word `no` or `none`: requests bear no credentials.
    No,
    /// A profile that somebody named.
    Named(String, &'a Profile),
    /// `default`, if there is one.
    Default(Option<&'a Profile>),
}

impl<'a> Active<'a> {
    fn profile(&self) -> Option<&'a Profile> {
        match self {
            Self::No => None,
            Self::Named(_, profile) => Some(profile),
            Self::Default(profile) => *profile,
        }
    }
}

impl<'a> Sources<'a> {
    /// Region, endpoint, credentials.
    ///
    /// # Errors
    /// A profile that is missing or incomplete, keys without their other half, a malformed endpoint.
    pub(super) fn settings(&self) -> Result<(Chosen<String>, Chosen<Endpoint>, Chosen<Credentials>)> {
        let active = self.active()?;
        let region = self.region(active.value.profile());
        let endpoint = self.endpoint(active.value.profile(), &region.value)?;
        let credentials = self.credentials(&active, endpoint.value.is_aws)?;
        Ok((region, endpoint, credentials))
    }

    /// The profile: `aws.profile=`, `AWS.PROFILE`, `AWS_PROFILE`, `default`.
    fn active(&self) -> Result<Chosen<Active<'a>>> {
        let named = self.asked(&self.url.asked.profile, "aws.profile=");
        let named = named.or_else(|| self.rc.get("AWS.PROFILE", self.url).map(|v| v.map(str::to_owned)));
        let named = named.or_else(|| self.variable("AWS_PROFILE"));
        let Some(named) = named else {
            return Ok(Chosen::new(
                Active::Default(self.profiles.get("default")),
                "profile 'default'",
            ));
        };
        if ["no", "none"]
            .iter()
            .any(|no| named.value.eq_ignore_ascii_case(no))
        {
            let from = format!("{}, which is '{}'", named.from, named.value);
            return Ok(Chosen::new(Active::No, from));
        }
        let profile = self.profiles.named(&named.value, &named.from)?;
        let from = format!(
            "profile '{}', named by {}",
            named.value.escape_debug(),
            named.from
        );
        Ok(Chosen::new(Active::Named(named.value, profile), from))
    }

    fn asked(&self, value: &Option<String>, key: &str) -> Option<Chosen<String>> {
        Some(Chosen::new(value.clone()?, format!("#{key}")))
    }

    fn variable(&self, name: &str) -> Option<Chosen<String>> {
        Some(Chosen::new(self.environment.filled(name)?, name))
    }

    fn region(&self, profile: Option<&Profile>) -> Chosen<String> {
        let by_host = || {
            self.url
                .region
                .clone()
                .map(|region| Chosen::new(region, "the host"))
        };
        let is_aws = |operator| operator == Operator::Aws;
        let host_is_sure = self
            .url
            .server
            .as_ref()
            .is_some_and(|server| is_aws(server.operator));
        let asked = || self.asked(&self.url.asked.region, "aws.region=");
        // Another server's host may only look as if it had a region. What the user says explicitly goes first there.
        let first = match host_is_sure {
            true => by_host().or_else(asked),
            false => asked().or_else(by_host),
        };
        first
            .or_else(|| self.rc.get("AWS.REGION", self.url).map(|v| v.map(str::to_owned)))
            .or_else(|| {
                let profile = profile?;
                let key = ["region", "aws_region"]
                    .into_iter()
                    .find(|key| profile.get(key).is_some())?;
                let from = format!("{key} in {}", profile.file(key));
                Some(Chosen::new(profile.get(key)?.to_owned(), from))
            })
            .or_else(|| self.variable("AWS_REGION"))
            .or_else(|| self.variable("AWS_DEFAULT_REGION"))
            .unwrap_or_else(|| Chosen::new(DEFAULT_REGION.to_owned(), "the default"))
    }

    fn endpoint(&self, profile: Option<&Profile>, region: &str) -> Result<Chosen<Endpoint>> {
        if let Some(server) = &self.url.server {
            return Ok(Chosen::new(Endpoint::of_server(server, region), "the URL"));
        }
        let configured = !self.environment.is_true("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
        let named = self
            .asked(&self.url.asked.endpoint, "aws.endpoint=")
            .or_else(|| {
                self.rc
                    .get("AWS.ENDPOINT", self.url)
                    .map(|v| v.map(str::to_owned))
            })
            .or_else(|| self.variable("AWS_ENDPOINT_URL_S3").filter(|_| configured))
            .or_else(|| self.variable("AWS_ENDPOINT_URL").filter(|_| configured))
            .or_else(|| {
                let url = profile.filter(|_| configured)?.get("endpoint_url")?;
                Some(Chosen::new(
                    url.to_owned(),
                    format!("endpoint_url in {}", profile?.file("endpoint_url")),
                ))
            });
        match named {
            Some(named) => {
                let endpoint = Endpoint::parse(&named.value, &named.from)?;
                Ok(Chosen::new(endpoint, named.from))
            }
            None => {
                Endpoint::of_aws(&self.url.bucket, region).map(|endpoint| Chosen::new(endpoint, "the region"))
            }
        }
    }

    fn credentials(&self, active: &Chosen<Active<'_>>, is_aws: bool) -> Result<Chosen<Credentials>> {
        let explicit = self.url.asked.profile.is_some() || self.rc.get("AWS.PROFILE", self.url).is_some();
        if !explicit && let Some(keys) = self.keys_of_variables()? {
            return Ok(Chosen::new(Credentials::Keys(keys), "AWS_ACCESS_KEY_ID"));
        }
        let found = match &active.value {
            Active::No => Some(Credentials::Anonymous),
            Active::Named(name, profile) => of_profile(name, profile)?,
            Active::Default(Some(profile)) => of_profile("default", profile)?,
            Active::Default(None) => None,
        };
        if let Some(found) = found {
            return Ok(Chosen::new(found, active.from.clone()));
        }
        match self.of_instance(is_aws)? {
            Some(found) => Ok(found),
            None => Ok(Chosen::new(
                Credentials::Anonymous,
                "the default, as none were found",
            )),
        }
    }

    fn keys_of_variables(&self) -> Result<Option<AccessKeys>> {
        let value = |name: &str| self.environment.filled(name);
        match (value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY")) {
            (Some(id), Some(secret)) => Ok(Some(AccessKeys {
                id,
                secret: secret.into(),
                token: value("AWS_SESSION_TOKEN").map(Secret::from),
            })),
            (Some(_), None) => Err(half("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")),
            (None, Some(_)) => Err(half("AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID")),
            (None, None) => Ok(None),
        }
    }

    /// What the machine has: only Amazon's hosts take it, and no other host may see it.
    fn of_instance(&self, is_aws: bool) -> Result<Option<Chosen<Credentials>>> {
        if !is_aws {
            return Ok(None);
        }
        let value = |name: &str| self.environment.filled(name);
        if let (Some(token_file), Some(role_arn)) =
            (value("AWS_WEB_IDENTITY_TOKEN_FILE"), value("AWS_ROLE_ARN"))
        {
            let found = Credentials::WebIdentity {
                token_file: token_file.into(),
                role_arn,
                session_name: value("AWS_ROLE_SESSION_NAME").unwrap_or_else(|| "ncutils".to_owned()),
            };
            return Ok(Some(Chosen::new(found, "AWS_WEB_IDENTITY_TOKEN_FILE")));
        }
        let container = [
            ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", CONTAINER),
            ("AWS_CONTAINER_CREDENTIALS_FULL_URI", ""),
        ];
        for (name, front) in container {
            if let Some(uri) = value(name) {
                let token = match value("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
                    Some(file) => Some(MetadataToken::File(file.into())),
                    None => value("AWS_CONTAINER_AUTHORIZATION_TOKEN")
                        .map(|token| MetadataToken::Text(token.into())),
                };
                let url = format!("{front}{uri}");
                check_container(&url, name)?;
                let url = url.into();
                return Ok(Some(Chosen::new(Credentials::Container { url, token }, name)));
            }
        }
        Ok(match self.environment.is_true("AWS_EC2_METADATA_DISABLED") {
            true => None,
            false => Some(Chosen::new(
                Credentials::InstanceRole,
                "the instance's role, if there is one",
            )),
        })
    }
}

/// Keys are sent to this address only over HTTPS, or within the machine: AWS's own rule.
fn check_container(text: &str, name: &str) -> Result<()> {
    let url = url::Url::parse(text).map_err(|e| Error::Usage(format!("{name}: not a URL: {e}")))?;
    let is_near = match url.host() {
        Some(url::Host::Ipv4(ip)) => {
            ip.is_loopback() || [[169, 254, 170, 2], [169, 254, 170, 23]].contains(&ip.octets())
        }
        Some(url::Host::Ipv6(ip)) => ip.is_loopback() || ip.to_string() == "fd00:ec2::23",
        Some(url::Host::Domain(host)) => host == "localhost",
        None => false,
    };
    match url.scheme() == "https" || (url.scheme() == "http" && is_near) {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "{name}: credentials come by https, or by http from this machine"
        ))),
    }
}

fn half(set: &str, missing: &str) -> Error {
    Error::Usage(format!("{set} is set, but {missing} is not; set both or none"))
}

/// The credentials of a profile: role or SSO by the AWS CLI, keys, `credential_process`. `None` if it has none.
fn of_profile(name: &str, profile: &Profile) -> Result<Option<Credentials>> {
    let by_cli = ["role_arn", "sso_session", "sso_start_url", "login_session"];
    if profile.first(&by_cli).is_some() {
        return Ok(Some(Credentials::Process(CredentialProcess::aws_cli(name))));
    }
    let (id, secret) = ("aws_access_key_id", "aws_secret_access_key");
    let of = |error: Error| match error {
        Error::Usage(why) => Error::Usage(format!("profile '{}': {why}", name.escape_debug())),
        error => error,
    };
    match (profile.get(id), profile.get(secret)) {
        (Some(id), Some(secret)) => Ok(Some(Credentials::Keys(AccessKeys {
            id: id.to_owned(),
            secret: secret.into(),
            token: profile.get("aws_session_token").map(Secret::from),
        }))),
        (Some(_), None) => Err(of(half(id, secret))),
        (None, Some(_)) => Err(of(half(secret, id))),
        (None, None) => match profile.get("credential_process") {
            Some(line) => Ok(Some(Credentials::Process(
                CredentialProcess::parse(line).map_err(of)?,
            ))),
            None => Ok(None),
        },
    }
}
