//! Settings of plain HTTP: login, `.netrc`, cookies.

use super::chosen::Chosen;
use super::credential_kinds::Credentials;
use super::netrc::NetRc;
use super::sources::{Found, OfProvider, Sources};
use crate::secret::Login;
use crate::url::{Endpoint, ProviderParts};
use ncutils_model::error::usage;
use ncutils_model::{Error, Result};

/// Keys of the file in which cookies are kept.
const COOKIES: [&str; 4] = [
    "HTTP.COOKIEJAR",
    "HTTP.COOKIE_JAR",
    "HTTP.COOKIEFILE",
    "HTTP.COOKIE_FILE",
];

/// Server, login, and the files of other logins and of cookies.
///
/// # Errors
/// A file of logins that cannot be read; `HTTP.CREDENTIALS.USERPASSWORD` without a colon.
pub(super) fn settings(sources: &Sources<'_>) -> Result<Found> {
    let Some(endpoint) = Endpoint::of_url(sources.url, "") else {
        return usage("the URL has no host");
    };
    let (netrc, cookies) = (netrc(sources)?, sources.rc_path(&COOKIES));
    let credentials = credentials(sources, netrc.as_ref())?;
    Ok((OfProvider::Http { netrc, cookies }, endpoint, credentials))
}

/// The file that `HTTP.NETRC` names.
fn netrc(sources: &Sources<'_>) -> Result<Option<Chosen<NetRc>>> {
    let Some(Chosen { value: path, from }) = sources.rc_path(&["HTTP.NETRC"]) else {
        return Ok(None);
    };
    let file = sources.environment.read(&path);
    let file = file.map_err(|e| Error::io("cannot read what HTTP.NETRC names", e).in_file(&path))?;
    Ok(Some(Chosen::new(NetRc::parse(&file.text), from)))
}

/// User and password: of the URL, of `HTTP.CREDENTIALS.*`, of `HTTP.NETRC`.
fn credentials(sources: &Sources<'_>, netrc: Option<&Chosen<NetRc>>) -> Result<Chosen<Credentials>> {
    let login = |user: &str, password: &str, from: String| {
        let (user, password) = (user.to_owned(), password.into());
        Ok(Chosen::new(Credentials::Login(Login { user, password }), from))
    };
    if let ProviderParts::Http {
        login: Some(found), ..
    } = &sources.url.parts
    {
        return Ok(Chosen::new(Credentials::Login(found.clone()), "the URL"));
    }
    let user = sources.rc(&["HTTP.CREDENTIALS.USERNAME", "HTTP.CREDENTIALS.USER"]);
    if let (Some(user), Some(password)) = (user, sources.rc(&["HTTP.CREDENTIALS.PASSWORD"])) {
        return login(&user.value, &password.value, user.from);
    }
    if let Some(both) = sources.rc(&["HTTP.CREDENTIALS.USERPASSWORD"]) {
        return match both.value.split_once(':') {
            Some((user, password)) => login(user, password, both.from),
            None => usage(format!("{}: the value is user:password", both.from)),
        };
    }
    let of_file = netrc.and_then(|netrc| Some((netrc.value.login(&sources.url.typed.host)?, &netrc.from)));
    Ok(match of_file {
        Some((found, from)) => Chosen::new(Credentials::Login(found.clone()), from),
        None => Credentials::none_found(),
    })
}
