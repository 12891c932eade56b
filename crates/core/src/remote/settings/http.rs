//! Settings of plain HTTP: login, `.netrc`, cookies.

use std::path::PathBuf;

use super::super::environment::Environment;
use super::super::secret::Login;
use super::super::url::RemoteUrl;
use super::chosen::Chosen;
use super::credentials::Credentials;
use super::netrc::NetRc;
use super::profiles::from_home;
use super::rc::RcFiles;
use crate::error::{Error, Result};

/// The file in which cookies are kept: `HTTP.COOKIEJAR`.
pub(super) fn cookies(
    url: &RemoteUrl,
    rc: &RcFiles,
    environment: &dyn Environment,
) -> Option<Chosen<PathBuf>> {
    let names = [
        "HTTP.COOKIEJAR",
        "HTTP.COOKIE_JAR",
        "HTTP.COOKIEFILE",
        "HTTP.COOKIE_FILE",
    ];
    let found = names.into_iter().find_map(|key| rc.get(key, url))?;
    Some(found.map(|path| from_home(path, environment)))
}

/// The file that `HTTP.NETRC` names.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn netrc(
    url: &RemoteUrl,
    rc: &RcFiles,
    environment: &dyn Environment,
) -> Result<Option<Chosen<NetRc>>> {
    let Some(found) = rc.get("HTTP.NETRC", url) else {
        return Ok(None);
    };
    let path = from_home(found.value, environment);
    let file = environment.read(&path);
    let file = file.map_err(|e| Error::io("cannot read what HTTP.NETRC names", e).in_file(&path))?;
    Ok(Some(Chosen::new(NetRc::parse(&file.text), found.from)))
}

/// User and password: of the URL, of `HTTP.CREDENTIALS.*`, of `HTTP.NETRC`.
///
/// # Errors
/// `HTTP.CREDENTIALS.USERPASSWORD` without a colon.
pub(super) fn credentials(
    url: &RemoteUrl,
    rc: &RcFiles,
    netrc: Option<&Chosen<NetRc>>,
) -> Result<Chosen<Credentials>> {
    let login = |login: Login, from: &str| Ok(Chosen::new(Credentials::Login(login), from));
    if let Some(found) = &url.login {
        return login(found.clone(), "the URL");
    }
    let get = |names: &[&str]| names.iter().find_map(|key| rc.get(key, url));
    let user = get(&["HTTP.CREDENTIALS.USERNAME", "HTTP.CREDENTIALS.USER"]);
    if let (Some(user), Some(password)) = (user, get(&["HTTP.CREDENTIALS.PASSWORD"])) {
        let found = Login {
            user: user.value.to_owned(),
            password: password.value.into(),
        };
        return login(found, &user.from);
    }
    if let Some(both) = get(&["HTTP.CREDENTIALS.USERPASSWORD"]) {
        let Some((user, password)) = both.value.split_once(':') else {
            return Err(Error::Usage(format!("{}: the value is user:password", both.from)));
        };
        let found = Login {
            user: user.to_owned(),
            password: password.into(),
        };
        return login(found, &both.from);
    }
    let of_file = netrc.and_then(|netrc| Some((netrc.value.login(&url.typed.host)?, &netrc.from)));
    match of_file {
        Some((found, from)) => login(found.clone(), from),
        None => Ok(Chosen::new(
            Credentials::Anonymous,
            "the default, as none were found",
        )),
    }
}
