//! What became of an attempt: asked of the folder that its guard makes first.

use planner::names::{AttemptId, PodUid};
use planner::observation::{AttemptState, Fate, Output};

/// Makes the attempt's folder, so that it can never begin, or tells what is in it. A revocation is
/// marked, or a second question would take our own folder for a beginning. Containers of a pod run one after the other: what
/// began in another one than this began before it, and ended with that.
const SCRIPT: &str = concat!(
    super::where_am_i!(),
    r#"[ "$RSS_POD_UID" = "$1" ] || exit 120; d=/run/rss/$2
[ -w /run/rss ] || exit 121
if mkdir "$d" 2>/dev/null; then true 2>/dev/null >"$d/revoked"; echo revoked
elif [ -f "$d/revoked" ]; then echo revoked
elif read -r a 2>/dev/null <"$d/at" && n=$(w) && [ "$a" != "$n" ]; then echo over
elif [ -f "$d/rc" ]; then read -r r <"$d/rc"; echo "ended $r"
elif [ -f "$d/log" ]; then echo began
elif [ -d "$d" ]; then echo marked
else exit 121; fi"#
);

/// What the folder of an attempt shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// We made it: the attempt never began and never can.
    Revoked,
    /// It is there and empty: the guard refused after the mark, or is between two lines.
    Marked,
    /// A start wrote its log there: its command was run, and left no exit code (yet).
    Began,
    /// The command ended. No number: it could not be written (a full disk), or was just being so.
    Ended(Option<i32>),
    /// It began in a container that has ended, and everything in it.
    Over,
    /// This is not the pod that the attempt was meant for.
    OtherPod,
    /// There is no folder to mark anything in.
    NoFolder,
}

/// The command that asks.
#[must_use]
pub fn fate_argv(pod: &PodUid, attempt: &AttemptId) -> Vec<String> {
    super::shell(SCRIPT).into_iter().chain([pod.0.clone(), attempt.0.clone()]).collect()
}

impl Trace {
    /// Reads the answer; none if it is not one.
    #[must_use]
    pub fn parse(code: i32, stdout: &str) -> Option<Self> {
        match code {
            120 => return Some(Self::OtherPod),
            121 => return Some(Self::NoFolder),
            0 => {}
            _ => return None,
        }
        let mut words = stdout.split_whitespace();
        match words.next()? {
            "revoked" => Some(Self::Revoked),
            "marked" => Some(Self::Marked),
            "began" => Some(Self::Began),
            "over" => Some(Self::Over),
            "ended" => Some(Self::Ended(words.next().and_then(|code| code.parse().ok()))),
            _ => None,
        }
    }

    /// The planner's word for it, where the folder alone decides.
    #[must_use]
    pub fn fate(self) -> Option<Fate> {
        match self {
            Self::Revoked => Some(Fate::Revoked),
            Self::Marked | Self::Began | Self::Ended(None) => Some(Fate::Began),
            Self::Ended(Some(code)) => Some(Fate::Ended(code)),
            Self::Over => Some(Fate::Over),
            Self::OtherPod | Self::NoFolder => None,
        }
    }

    /// What a start's own exit code meant, now that its folder was seen: the guard's refusal only
    /// where the command left nothing behind.
    #[must_use]
    pub fn settle(self, said: Output) -> AttemptState {
        let refusal = super::refusal(said.code);
        match (self, said.code, refusal) {
            (Self::Ended(Some(code)), ..) if code != said.code => {
                AttemptState::Ended(Output { code, ..said })
            }
            (Self::Ended(_), ..) => AttemptState::Ended(said),
            (Self::Marked, 122..=124, Some(why)) | (Self::Revoked, _, Some(why)) => {
                AttemptState::Refused(why)
            }
            (Self::Began, 122, Some(why))
            | (Self::OtherPod, 120, Some(why))
            | (Self::NoFolder, 121, Some(why)) => AttemptState::Refused(why),
            // It ran, and its exit code could not be written: the code is its own.
            (Self::Began, 123..=124, _) => AttemptState::Ended(said),
            (_, code, _) => AttemptState::Lost(format!("exit code {code} is not borne out by its folder")),
        }
    }
}
