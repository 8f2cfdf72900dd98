"""The kinds of values the configuration knows: what each accepts, and how it is read from plain text."""

import json
import re
from collections.abc import Callable

from toryo.adapters.located import did_you_mean, kind_of
from toryo.domain.facts import fact
from toryo.rules.amounts import checked_tokens, checked_usd, parse_tokens, parse_usd
from toryo.rules.durations import checked_seconds, parse_duration
from toryo.rules.masking import has_secret

PLACEHOLDERS = ("prompt", "prompt_file", "conversation", "worktree")
"""What a part of an agent's command may hold in braces."""
_PLACEHOLDER = r"(?<![${])\{([A-Za-z_][A-Za-z0-9_]*)\}"
"""Not `${NAME}` of a shell, not `{{name}}` of a template, and nothing with more than a name in it."""
QUOTA_GROUPS = ("epoch", "seconds")


@fact
class Kind:
    """What a key may hold: `check` makes a value of what a file says, `read` reads it from plain text."""

    check: Callable[[object], object]
    read: Callable[[str], object] = str


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"should be text, not {kind_of(value)}")
    if "\0" in value:
        raise ValueError("contains a NUL character")
    return value


def _filled(value: object) -> str:
    if not _text(value).strip():
        raise ValueError("should not be blank")
    return _text(value)


def _count(value: object) -> int:
    if type(value) is not int:
        raise ValueError(f"should be a whole number, not {value if type(value) is float else kind_of(value)}")
    if value < 1:
        raise ValueError(f"should be at least 1, not {value}")
    return value


def _count_in(text: str) -> object:
    return int(text) if text.strip().lstrip("+-").isdecimal() and len(text) < 20 else text


def _amount(value: object) -> int:
    return 0 if type(value) is int and value == 0 else _count(value)


def _price(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"should be a number, not {kind_of(value)}")
    if not 0 <= value < 1_000_000:
        raise ValueError(f"should be US dollars per million tokens, not {value}")
    return float(value)


def _price_in(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


def _tokens(value: object) -> int:
    if isinstance(value, str):
        return parse_tokens(value)
    if type(value) is not int:
        raise ValueError(f'should be a number of tokens such as 2_000_000 or "2M", not {kind_of(value)}')
    return checked_tokens(value)


def _usd(value: object) -> float:
    if isinstance(value, str):
        return parse_usd(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"should be US dollars, not {kind_of(value)}")
    return checked_usd(value)


def _duration_or_none(value: object) -> float:
    is_none = not isinstance(value, bool) and value in (0, "0")
    return 0.0 if is_none else _duration(value)


def _at_once(value: object) -> int | str:
    return "auto" if value == "auto" else _amount(value)


def _url(value: object) -> str:
    text = _text(value)
    if text and not re.fullmatch(r"https?://[^/\s?#]+[^\s?#]*", text):
        raise ValueError(f"should be a URL such as http://localhost:11434/v1, not '{text}'")
    if "@" in text.removeprefix("https://").removeprefix("http://").partition("/")[0]:
        raise ValueError("should not hold a name or a password; keys are set by 'toryo keys set'")
    return text


def _variable(value: object) -> str:
    text = _text(value)
    if text and (has_secret(text) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text)):
        raise ValueError("should be the name of an environment variable; the key itself does not belong here")
    return text


def _duration(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return checked_seconds(value)
    if not isinstance(value, str):
        raise ValueError(f"should be a length of time such as 90s or 10m, not {kind_of(value)}")
    return parse_duration(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"should be true or false, not {kind_of(value)}")
    return value


def _flag_in(text: str) -> object:
    return {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower(), text)


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"should be a list of texts, not {kind_of(value)}")
    return tuple(_filled(item) for item in value)


def _texts_in(text: str) -> object:
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except ValueError as error:
            raise ValueError(f"is not a JSON list: {error}") from error
    return [part.strip() for part in text.split(",") if part.strip()]


def _variables(value: object) -> tuple[str, ...]:
    names = _texts(value)
    for name in names:
        if re.search(r"[\s=]", name):
            raise ValueError(f"should be names of variables, such as AWS_*, not '{name}'")
    return names


def _template(value: object) -> tuple[str, ...]:
    parts = _texts(value)
    for name in re.findall(_PLACEHOLDER, " ".join(parts)):
        if name not in PLACEHOLDERS:
            near = did_you_mean(f"{{{name}}}", _in_braces())
            raise ValueError(f"unknown placeholder {{{name}}}{near} (known ones: {', '.join(_in_braces())})")
    return parts


def _in_braces() -> list[str]:
    return [f"{{{name}}}" for name in PLACEHOLDERS]


def _command(value: object) -> tuple[str, ...]:
    parts = _template(value)
    if not parts:
        raise ValueError("should name a program, then its arguments")
    return parts


def _pattern(value: object) -> str:
    try:
        groups = re.compile(_text(value)).groupindex
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"is not a regular expression: {error}") from error
    for name in groups:
        if name not in QUOTA_GROUPS:
            near = did_you_mean(name, QUOTA_GROUPS)
            raise ValueError(f"unknown group '{name}'{near} (known ones: {', '.join(QUOTA_GROUPS)})")
    return _text(value)


def choice(*names: str) -> Kind:
    """One of these names; of members of an enumeration, the member."""

    def check(value: object) -> str:
        for name in names:
            if name == value:
                return name
        said = f"'{value}'" if isinstance(value, str) else kind_of(value)
        near = did_you_mean(value, names) if isinstance(value, str) else ""
        raise ValueError(f"should be one of {', '.join(filter(None, names))}, not {said}{near}")

    return Kind(check)


TEXT, FILLED, DURATION, PATTERN = Kind(_text), Kind(_filled), Kind(_duration), Kind(_pattern)
COUNT, FLAG, TEXTS = Kind(_count, _count_in), Kind(_flag, _flag_in), Kind(_texts, _texts_in)
VARIABLES, TEMPLATE, COMMAND = Kind(_variables, _texts_in), Kind(_template, _texts_in), Kind(_command, _texts_in)
URL, VARIABLE = Kind(_url), Kind(_variable)
AMOUNT, PRICE = Kind(_amount, _count_in), Kind(_price, _price_in)
TOKENS, USD, WALL, AT_ONCE = Kind(_tokens), Kind(_usd), Kind(_duration_or_none), Kind(_at_once, _count_in)
