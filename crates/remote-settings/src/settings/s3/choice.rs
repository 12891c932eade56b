//! Which profile, region and endpoint count for S3.

use super::credentials::{self, Active};
use super::profiles::{Profile, Profiles};
use crate::settings::chosen::Chosen;
use crate::settings::sources::{Found, OfProvider, Sources, is_nobody};
use crate::url::{Endpoint, ProviderParts};
use ncutils_model::Result;

/// The region where nothing names one.
const DEFAULT_REGION: &str = "us-east-1";

/// Region, endpoint, credentials. What is not understood in files of profiles becomes a warning.
///
/// # Errors
/// A profile that is missing or incomplete, keys without their other half, a malformed endpoint.
pub(in crate::settings) fn settings(sources: &Sources<'_>, warnings: &mut Vec<String>) -> Result<Found> {
    let mut profiles = Profiles::read(sources.environment)?;
    warnings.append(&mut profiles.warnings);
    let active = active(sources, &profiles)?;
    let profile = active.profile;
    let region = region(sources, profile);
    let endpoint = endpoint(sources, profile, &region.value)?;
    let credentials = credentials::of(sources, active, endpoint.value.is_aws)?;
    Ok((OfProvider::S3 { region }, endpoint, credentials))
}

/// The profile: `aws.profile=`, `AWS.PROFILE`, `AWS_PROFILE`, `default`.
fn active<'a>(sources: &Sources<'_>, profiles: &'a Profiles) -> Result<Active<'a>> {
    let explicit = sources.asked(&sources.url.asked.profile, "aws.profile=");
    let explicit = explicit.or_else(|| sources.rc(&["AWS.PROFILE"]));
    let is_explicit = explicit.is_some();
    let named = explicit.or_else(|| sources.variable(&["AWS_PROFILE"]));
    let (name, profile, from) = match named {
        None => {
            let name = "default".to_owned();
            (name, profiles.get("default"), "profile 'default'".to_owned())
        }
        Some(Chosen { value: name, from }) if is_nobody(&name) => {
            let from = format!("{from}, which is '{name}'");
            (name, None, from)
        }
        Some(Chosen { value: name, from }) => {
            let profile = profiles.named(&name, &from)?;
            let from = format!("profile '{}', named by {from}", name.escape_debug());
            (name, Some(profile), from)
        }
    };
    Ok(Active {
        name,
        profile,
        from,
        is_explicit,
    })
}

fn region(sources: &Sources<'_>, profile: Option<&Profile>) -> Chosen<String> {
    let url = sources.url;
    let by_host = match &url.parts {
        ProviderParts::S3 { region } => region.clone().map(|region| Chosen::new(region, "the host")),
        _ => None,
    };
    let asked = sources.asked(&url.asked.region, "aws.region=");
    // Another server's host may only look as if it had a region. What the user says explicitly goes first there.
    let host_is_sure = url.endpoint.as_ref().is_some_and(|endpoint| endpoint.is_aws);
    let first = match host_is_sure {
        true => by_host.or(asked),
        false => asked.or(by_host),
    };
    first
        .or_else(|| sources.rc(&["AWS.REGION"]))
        .or_else(|| profile?.first(&["region", "aws_region"]))
        .or_else(|| sources.variable(&["AWS_REGION", "AWS_DEFAULT_REGION"]))
        .unwrap_or_else(|| Chosen::new(DEFAULT_REGION.to_owned(), "the default"))
}

fn endpoint(sources: &Sources<'_>, profile: Option<&Profile>, region: &str) -> Result<Chosen<Endpoint>> {
    if let Some(found) = Endpoint::of_url(sources.url, region) {
        return Ok(found);
    }
    let configured = || match sources.environment.is_true("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") {
        true => None,
        false => sources
            .variable(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"])
            .or_else(|| profile?.first(&["endpoint_url"])),
    };
    let named = sources.asked(&sources.url.asked.endpoint, "aws.endpoint=");
    match named
        .or_else(|| sources.rc(&["AWS.ENDPOINT"]))
        .or_else(configured)
    {
        Some(named) => Endpoint::parse(named),
        None => Ok(Chosen::new(
            Endpoint::of_aws(&sources.url.bucket, region)?,
            "the region",
        )),
    }
}
