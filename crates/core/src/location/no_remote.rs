//! The functions of `remote` in a build without remote stores: no session exists.

use std::io;
use std::sync::Arc;

use super::output::job::{JobPhase, JobPlace, JobStage, JobWay};
use super::remote_input::RemoteInput;
use crate::error::{Error, Result};
use crate::remote_settings::RemoteUrl;
use crate::store::{
    DataAccess, ExternalFile, GrowingKeys, KeyOutput, NoExternalFile, Object, Output, ReadBack, Requests,
};

const NO_REMOTE: &str =
    "remote stores are not part of this build, which was made without the feature 'remote'";

/// A connection to a remote store.
pub(crate) enum Session {}

pub(super) fn connect(_: &RemoteUrl, _: usize) -> Result<(Arc<Session>, Vec<String>)> {
    Err(Error::Usage(NO_REMOTE.to_owned()))
}

pub(super) fn find(_: &RemoteUrl, session: &Arc<Session>, _: bool) -> Result<RemoteInput> {
    match **session {}
}

pub(super) fn states(_: &RemoteUrl, session: &Arc<Session>, _: &[&str]) -> Result<Vec<String>> {
    match **session {}
}

pub(super) fn text(
    _: &RemoteUrl,
    session: &Arc<Session>,
    _: u64,
) -> Result<(Arc<dyn Object>, Option<String>)> {
    match **session {}
}

pub(super) fn object(
    session: Arc<Session>,
    _: &RemoteUrl,
    _: u64,
    _: Option<u64>,
) -> Result<Arc<dyn Output>> {
    match *session {}
}

pub(super) fn staged_object(
    session: Arc<Session>,
    _: &RemoteUrl,
    _: u64,
    _: Option<u64>,
) -> Result<Arc<dyn ReadBack>> {
    match *session {}
}

pub(super) fn tree(session: Arc<Session>, _: &RemoteUrl, _: u64, _: bool) -> Result<Arc<dyn KeyOutput>> {
    match *session {}
}

pub(super) fn tree_of_references(
    session: Arc<Session>,
    _: &RemoteUrl,
    _: u64,
    _: Option<fn(&[String]) -> io::Result<()>>,
) -> Result<Arc<dyn KeyOutput>> {
    match *session {}
}

pub(super) fn growing_tree(
    session: Arc<Session>,
    _: &RemoteUrl,
    _: u64,
    _: bool,
) -> Result<(Arc<dyn GrowingKeys>, Vec<u8>)> {
    match *session {}
}

pub(super) fn begin_job(
    session: Arc<Session>,
    _: &RemoteUrl,
    _: u64,
    _: JobWay,
    _: bool,
) -> Result<(JobPlace, JobStage)> {
    match *session {}
}

pub(super) fn join_job(session: Arc<Session>, _: &RemoteUrl, _: u64, _: &JobPlace) -> Result<JobPhase> {
    match *session {}
}

pub(super) fn remove_job(session: Arc<Session>, _: &RemoteUrl, _: u64, _: &JobPlace) -> io::Result<()> {
    match *session {}
}

/// The remote places that references may lead to: none.
pub(super) struct RemotePlaces;

impl RemotePlaces {
    pub(super) fn new(_: Option<&RemoteUrl>, _: &DataAccess, _: usize) -> Self {
        Self
    }

    pub(super) fn requests(&self) -> Requests {
        Requests::LOCAL
    }

    pub(super) fn find(&self, _: &str) -> Result<ExternalFile, NoExternalFile> {
        Err(NoExternalFile::Strange(NO_REMOTE.to_owned()))
    }
}

pub(super) fn check_allowed(_: &str) -> Result<()> {
    Err(Error::Usage(NO_REMOTE.to_owned()))
}
