"""Whether what stands behind a telling name is a secret, or a word, a reference, a piece of code."""

import re
from functools import cache

_PLACEHOLDERS = (
    r"\$[{(]|`|<[^<>]{0,200}>|\{\{?[^{}]{0,200}\}|\$[A-Z_][A-Z0-9_]*\Z|%[A-Za-z_]\w*%\Z|%\(?\w*\)?s\Z"
    r"|[*•xX.…-]{3,}\Z|(?i:none|null|nil|true|false|undefined)\Z"
)
_CODE = (
    # A call, an index, a generic type: something that is worked out.
    r"[A-Za-z_][\w.:>-]*[(\[{<].*|[(\[{].*"
    # Words joined by dots or slashes: an attribute, a path, a module.
    r"|[.~]{0,2}/?[A-Za-z_@][A-Za-z_]*[0-9]{0,3}(?:(?:\.|/|::|->)[A-Za-z_-]*[0-9]{0,3})+[,;)\]}]*"
    r"|(?:await|lambda|new|not|self|os|process|import|env|f)\b.*"
)
_WORDLIKE = r"[A-Za-z]+(?:[_-][A-Za-z]+)*[0-9]{0,2}[,;.:)\]}|&]*"
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}[,;.)\]}]*"
_PROSE = """a an and are as at be before but by can do does etc file files flag flags for from has have how if in
instead into is it must no not of on or option options prompt so stdin that the then this to value values was when
where which will with without you your required optional argument arguments parameter parameters variable variables"""
_FUNCTION_WORDS = frozenset(_PROSE.split())


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


def is_placeholder(value: str) -> bool:
    """It stands for a secret, and is none: a variable, a blank to be filled in, a word for nothing."""
    value = value.rstrip("`,;.)")
    return not value or bool(_compiled(_PLACEHOLDERS).match(value))


def is_code(value: str) -> bool:
    return bool(_compiled(_CODE).fullmatch(value[:256]))


def is_metavar(value: str) -> bool:
    """As usage texts write it: TOKEN, or a word of the sentence around it."""
    word = value.rstrip(".,;:)!?")
    return word.lower() in _FUNCTION_WORDS or bool(re.fullmatch(r"[A-Z][A-Z_-]*", word)) or value.startswith(("-", "["))


def is_mixed(value: str) -> bool:
    """It has a letter and a digit."""
    return bool(_compiled("[0-9]").search(value) and _compiled("[A-Za-z]").search(value))


def looks_secret(name: str, value: str, *, is_quoted: bool) -> bool:
    """Behind a general name such as `key`: long and mixed enough; behind `password` less will do."""
    name = name.lower()
    is_password = name.startswith(("pass", "pwd"))
    if len(value) < (6 if is_password else 12):
        return False
    if not is_mixed(value) and not (
        is_password and _compiled(r"[A-Za-z].*[!@#$%^&*+~]|[!@#$%^&*+~].*[A-Za-z]").search(value)
    ):
        return False
    if is_placeholder(value) or (not is_quoted and is_code(value)):
        return False
    if is_password:
        return True
    is_word = bool(_compiled(_WORDLIKE).fullmatch(value))
    if name == "key":
        return not is_word and not _compiled(_UUID).fullmatch(value) and not value.startswith(("/", "./", "~/", "http"))
    return is_quoted or not is_word
