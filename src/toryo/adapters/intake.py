"""Where an instruction comes from: words, a file, standard input, or an issue; made harmless to read."""

import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

from toryo.domain.errors import Exit, ToryoError
from toryo.domain.facts import fact

MOST_CHARACTERS = 100_000
_ISSUE = re.compile(r"#([0-9]{1,9})")
_URL = re.compile(r"https?://\S+")
_ISSUE_URL = re.compile(r"https?://[^/\s]+/[^/\s]+/[^/\s]+/issues/[0-9]+(?:[/?#]\S*)?")
_SUFFIXES = (".md", ".txt", ".markdown", ".rst")
_GH_TIME = 30.0


@fact
class Instruction:
    text: str
    source: str = ""
    """The file or issue it came from; empty: it was typed."""
    is_foreign: bool = False
    """Somebody else may have written it."""


def take_in(said: str, where: Path) -> Instruction:
    """What was asked for. Raises ToryoError where there is nothing to be had."""
    words = said.strip()
    if words == "-":
        return _filled(_stdin(), "standard input")
    if _ISSUE.fullmatch(words) or _ISSUE_URL.fullmatch(words):
        return _issue(words.removeprefix("#"), where)
    if _URL.fullmatch(words):
        raise ToryoError("E131", f"{words} is not the address of an issue", hint="give the text itself, or a file")
    path = Path(words) if words and "\n" not in words and len(words) < 1000 else None
    if path and _is_meant_as_file(where / path, words):
        _refuse_plans(path)
        return _filled(_file(where / path), str(path))
    return _filled(said, "")


def _is_meant_as_file(path: Path, words: str) -> bool:
    """A path that exists, or one word that looks like a file; a sentence that ends in a file's name is no file."""
    try:
        if path.is_file():
            return True
    except (OSError, ValueError):
        return False
    if path.is_dir() or (len(words.split()) == 1 and words.endswith(_SUFFIXES)):
        raise ToryoError("E131", f"there is no file {path}", hint="check the path; or say in words what you want")
    return False


def _refuse_plans(path: Path) -> None:
    """A plan or a list of tasks is carried out as it is, and not planned once more."""
    if path.suffix.lower() in (".yaml", ".yml", ".json"):
        option = "--plan"
    elif path.name.lower() == "tasks.md":
        option = "--tasks"
    else:
        return
    raise ToryoError("E131", f"{path} is a plan, not an instruction", hint=f"toryo run {option} {path}")


def _stdin() -> str:
    if sys.stdin.isatty():
        print("Type what you want; Ctrl-D ends it.", file=sys.stderr)  # noqa: T201 - a person waits at this terminal
    return sys.stdin.buffer.read(4 * MOST_CHARACTERS + 1).decode("utf-8-sig", errors="replace")


def _file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(4 * MOST_CHARACTERS + 1)
    except OSError as error:
        raise ToryoError("E131", f"{path} cannot be read: {error.strerror}") from error
    if b"\0" in raw:
        raise ToryoError("E131", f"{path} is not a text file")
    return raw.decode("utf-8-sig", errors="replace")


def _filled(text: str, source: str, *, is_foreign: bool = False) -> Instruction:
    clean = sanitised(text).strip()
    if not clean:
        raise ToryoError(
            "E130", "there is no instruction", hint='say what you want: toryo run "Add a --json flag to export"'
        )
    if len(clean) > MOST_CHARACTERS:
        raise ToryoError("E130", f"the instruction is longer than {MOST_CHARACTERS:,} characters", hint="shorten it")
    return Instruction(clean, source, is_foreign)


def sanitised(text: str) -> str:
    """Without what a person would not see but a model would read: hidden comments, invisible and control characters."""
    text = re.sub(r"<!--.*?(?:-->|\Z)", "", text.replace("\r\n", "\n").replace("\r", "\n"), flags=re.DOTALL)
    return "".join(char for char in text if char in "\n\t" or not _is_invisible(char))


def _is_invisible(char: str) -> bool:
    # Joiners are part of emoji and of some scripts.
    return unicodedata.category(char) in ("Cc", "Cf", "Co", "Cn", "Cs") and char not in "\u200c\u200d"


def _issue(which: str, where: Path) -> Instruction:
    """The issue's title and text, by the person's own `gh`."""
    command = ["gh", "issue", "view", which, "--json", "number,title,body,url"]
    try:
        done = subprocess.run(
            command, cwd=where, capture_output=True, timeout=_GH_TIME, env={**os.environ, "GH_PROMPT_DISABLED": "1"}
        )
    except (FileNotFoundError, PermissionError):
        raise ToryoError(
            "E132",
            "issues are read with gh, which is not installed",
            hint="install the GitHub CLI, or give the issue's text",
            exit_code=Exit.MISSING,
        ) from None
    except subprocess.TimeoutExpired:
        raise ToryoError("E132", "gh did not answer", hint="try again", exit_code=Exit.MISSING) from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().partition("\n")[0] or f"exit code {done.returncode}"
        raise ToryoError(
            "E132", f"gh cannot show issue {which}: {said}", hint="see 'gh auth status'", exit_code=Exit.MISSING
        )
    try:
        issue = json.loads(done.stdout)
        text = f"{issue['title']}\n\n{issue['body'] or ''}"
        source = str(issue["url"])
    except (ValueError, KeyError, TypeError):
        raise ToryoError("E132", "gh answered something that is no issue", exit_code=Exit.MISSING) from None
    return _filled(text, source, is_foreign=True)
