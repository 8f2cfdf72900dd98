"""What a person means by a name: an intent, a session, one of its tasks, or a skill that is proposed."""

from pathlib import PurePath

from toryo.app.intents import intent_files
from toryo.app.naming import NOTHING, ambiguous
from toryo.app.project import Project
from toryo.app.skills import proposed_skill
from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact
from toryo.domain.intent import Intent
from toryo.domain.session import Session
from toryo.domain.task import Task

_SUFFIX = ".yaml"
_SKILL = "skill:"


@fact
class Meant:
    """One of them."""

    intent: Intent | None = None
    session: Session | None = None
    task: Task | None = None
    skill: str = ""

    @property
    def name(self) -> str:
        if self.intent:
            return self.intent.slug
        if self.skill:
            return f"{_SKILL}{self.skill}"
        if self.task:
            return self.task.plan.key
        assert self.session is not None
        return self.session.short


def what_is_meant(project: Project, wanted: str | None) -> Meant:
    """Without a name, the latest session; an intent's file names the intent. Raises ToryoError if it is not clear."""
    if wanted is None:
        return Meant(session=project.session())
    if wanted.endswith(_SUFFIX):
        return Meant(intent=intent_files(project).read(PurePath(wanted).stem))
    if wanted.startswith(_SKILL):
        return Meant(skill=proposed_skill(project, wanted.removeprefix(_SKILL)))
    slugs = _slugs(project, wanted)
    other, error = _other(project, wanted)
    is_beginning = wanted not in slugs
    if other and other.task and is_beginning:
        return other  # its whole key, while some slug only begins so
    if other and slugs:
        assert other.session is not None
        raise ambiguous(wanted, [f"{slugs[0]}{_SUFFIX} (an intent)", other.task.id if other.task else other.session.id])
    if slugs and error and error.code == "E205":
        raise error.with_details([*error.details, *(f"{slug}{_SUFFIX} (an intent)" for slug in slugs[:5])])
    if not is_beginning or len(slugs) == 1:
        return Meant(intent=intent_files(project).read(wanted if not is_beginning else slugs[0]))
    if slugs:
        raise ambiguous(wanted, slugs)
    if other:
        return other
    assert error is not None
    raise _with_slugs(project, wanted, error)


def is_slug(project: Project, wanted: str) -> bool:
    """Whether it is the whole name of an intent, or of its file."""
    slug = PurePath(wanted).stem if wanted.endswith(_SUFFIX) else wanted
    return slug in _slugs(project, slug)


def _slugs(project: Project, wanted: str) -> list[str]:
    """Of intents that are called so, or begin so; by the names of their files, none of which is read for that."""
    folder = intent_files(project).folder
    return sorted(path.stem for path in folder.glob(f"*{_SUFFIX}") if wanted and path.stem.startswith(wanted))


def _other(project: Project, wanted: str) -> tuple[Meant | None, ToryoError | None]:
    try:
        session, task, _ = project.find(wanted)
    except ToryoError as error:
        if error.code not in (*NOTHING, "E205"):
            raise
        return None, error
    return Meant(session=session, task=task), None


def _with_slugs(project: Project, wanted: str, error: ToryoError) -> ToryoError:
    """Perhaps it was an intent that was meant."""
    import difflib

    slugs = [path.stem for path in intent_files(project).folder.glob(f"*{_SUFFIX}")]
    near = difflib.get_close_matches(wanted, slugs, n=1)
    if not slugs or error.code == "E205":
        return error
    hint = f"did you mean {near[0]}?" if near else "'toryo inbox' and 'toryo intent list' show what there is"
    return ToryoError("E204", f"nothing here is called '{wanted}'", hint=hint)
