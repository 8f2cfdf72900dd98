"""Where plans are made: the desk of one repository, with its models, prompts, documents and log of calls."""

import json
import logging
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from toryo.adapters.git.command import Git
from toryo.adapters.git.place import Place, taken_names
from toryo.adapters.intentfiles import IntentFiles
from toryo.adapters.settingkeys import ModelRole
from toryo.adapters.settings import Settings
from toryo.adapters.specs import refuse_leading_out, replace_text, write_over
from toryo.adapters.surveying import survey
from toryo.adapters.tasklists.file import tick
from toryo.app.models import Models, choose
from toryo.app.prompting import prompts_of
from toryo.domain.calls import CallFailed
from toryo.domain.changing import changed
from toryo.domain.errors import ToryoError
from toryo.domain.intent import Intent
from toryo.domain.plan import Check
from toryo.domain.report import Trouble
from toryo.domain.survey import Survey
from toryo.ports import Model, Surveyed
from toryo.rules.masking import mask, mask_all
from toryo.views.survey import survey_lines, survey_text

Hear = Callable[[str, str], None]
HearOut = Callable[[str], None]
_TEST = "test"
_LONGEST_SURVEY = 24_000
_SMALL_CONTEXT = 16_000
log = logging.getLogger(__name__)


class ProjectDesk:
    """The desk of a repository; nothing is loaded or opened before it is needed."""

    def __init__(
        self,
        place: Place,
        settings: Settings,
        git: Git,
        hear: Hear,
        reserved: Callable[[], set[str]] = set,
        hear_out: HearOut | None = None,
    ) -> None:
        self._place, self._settings, self._git, self._hear = place, settings, git, hear
        self._reserved, self._hear_out = reserved, hear_out
        self._models = Models(settings)
        self._prompts = prompts_of(place)
        chosen = choose(settings, ModelRole.PLAN)
        self._context = chosen.settings.context_tokens if chosen else _SMALL_CONTEXT
        self.max_tokens = min(settings.model.max_tokens, self._context // 4)

    def model(self, role: str, *, is_correction: bool = False) -> Model:
        own = self._settings.model_roles
        has_another = own[ModelRole.RETRY] != self._settings.model
        try:
            return self._models.for_role(ModelRole.RETRY if is_correction and has_another else role)
        except ToryoError as error:
            hint = f" (hint: {error.hint})" if error.hint else ""
            raise CallFailed(Trouble.LOGIN, error.message + hint) from error

    def prompt(self, name: str) -> str:
        return self._prompts.text(name)

    def survey(self) -> Surveyed:
        configured = self._settings.checks
        found = survey(self._place.root, override=configured[0].command if configured else "", git=self._git)
        # A quarter of what a model can read, at four characters a token.
        text = survey_text(found, min(_LONGEST_SURVEY, self._context))
        return Surveyed(text, tuple(survey_lines(found)), configured or _checks_of(found))

    def taken_names(self) -> set[str]:
        return taken_names(self._place, self._git) | self._reserved()

    def write_documents(self, spec: str, documents: Mapping[str, str]) -> Path:
        """Planned anew, a session writes its own files again; what a person changed in them meanwhile is kept."""
        folder = self._place.root / "specs" / spec
        for name, text in documents.items():
            refuse_leading_out(self._place.root, folder / f"{name}.md")
            write_over(folder / f"{name}.md", text, self._place.store / "kept" / spec)
        return folder

    def intents(self) -> Sequence[Intent]:
        return IntentFiles(self._place.root, self._place.store).listing().intents

    def file_intents(self, intents: Sequence[Intent]) -> Sequence[str]:
        files = IntentFiles(self._place.root, self._place.store)
        return [_filed(files, intent) for intent in intents]

    async def difference(self, before: str, after: str, most: int) -> str:
        if before == after:
            return ""
        options = ("--no-color", "--no-ext-diff", "--no-textconv", "--find-renames")
        files = mask(await self._git.ask(self._place.root, "diff", "--stat=120", *options, before, after))
        # Masked before it is cut: half a secret would not be recognised.
        lines = mask(await self._git.ask(self._place.root, "diff", *options, before, after))
        room = max(0, most - len(files))
        cut = "" if len(lines) <= room else f"\n… {len(lines) - room:,} more characters are left out"
        return f"{files[:most]}\n\n{lines[:room]}{cut}"

    async def lines_of(self, commit: str, paths: Collection[str]) -> Mapping[str, int]:
        found = {}
        for path in paths:
            # Asked of git, and not of the folder: no path leads out of a commit.
            shown = await self._git.attempt(self._place.root, "cat-file", "blob", f"{commit}:{path}")
            if shown.returncode == 0:
                found[path] = len(shown.stdout.splitlines())
        return found

    def log_call(self, session: str, entry: Mapping[str, object]) -> None:
        """A reply that was paid for is not given up because its log cannot be written."""
        path = self._place.store / "calls" / f"{session}.jsonl"
        line = json.dumps(mask_all(entry), ensure_ascii=False) + "\n"
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
                file.write(line.encode("utf-8", errors="backslashreplace"))
        except OSError as error:
            log.warning("a call is missing in %s: %s", path, error)

    def tick(self, spec: str, keys: Collection[str]) -> None:
        path = self._place.root / "specs" / spec / "tasks.md"
        with suppress(OSError, ToryoError, UnicodeDecodeError):  # a person may have changed or removed it
            text = path.read_bytes().decode()
            for key in keys:
                text = tick(text, key)
            refuse_leading_out(self._place.root, path)
            replace_text(path, text)

    def hear(self, question: str, piece: str) -> None:
        self._hear(question, piece)

    def hear_out(self, question: str) -> None:
        if self._hear_out is not None:
            self._hear_out(question)

    async def close(self) -> None:
        await self._models.close()


def _filed(files: IntentFiles, intent: Intent) -> str:
    """The name under which it is on file; another one where somebody else's has taken its own meanwhile."""
    taken: set[str] = set()
    while not files.create(named := changed(intent, slug=_free(intent.slug, taken))):
        taken.add(named.slug)
        with suppress(ToryoError):  # a broken file of that name is somebody's, too
            there = files.read(named.slug)
            if (there.title, there.parent, there.source) == (intent.title, intent.parent, intent.source):
                return named.slug
    return named.slug


def _free(slug: str, taken: Collection[str]) -> str:
    return next(name for number in count(1) if (name := slug if number == 1 else f"{slug}-{number}") not in taken)


def _checks_of(found: Survey) -> tuple[Check, ...]:
    command = found.test_command.command
    return (Check(_TEST, command),) if command else ()
