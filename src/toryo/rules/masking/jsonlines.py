"""Lines of JSON: masked inside their strings, so that they stay JSON."""

import json
import re
from functools import cache

from toryo.rules.masking.lines import may_have_secret
from toryo.rules.masking.named import is_credential
from toryo.rules.masking.values import is_placeholder

_DEPTH = 4
"""How often JSON within a string of JSON is looked into."""
_MASK = "[MASKED:JSON_CREDENTIAL]"


@cache
def _token() -> re.Pattern[str]:
    return re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|-?[0-9][0-9.eE+-]*')


def needs_look(line: str) -> bool:
    """Whether a line of JSON may hold a secret; a letter can be written as an escape."""
    return "\\u00" in line or "\\/" in line or may_have_secret(line)


def masked_json(line: str, kinds: set[str], depth: int = 0) -> str | None:
    """The line with what is secret in its strings masked, all else as it was; None: it is no JSON."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return None
    return _Walk(line, kinds, depth).masked()


class _Walk:
    """One pass over the tokens of a line."""

    def __init__(self, line: str, kinds: set[str], depth: int) -> None:
        self._line, self._kinds, self._depth = line, kinds, depth
        self._pieces: list[str] = []
        self._end = 0
        self._open: list[bool] = []
        """For each array or object we are in, whether its values belong to the name of a credential."""
        self._is_secret = False

    def masked(self) -> str:
        tokens = list(_token().finditer(self._line))
        for place, found in enumerate(tokens):
            token = found[0]
            follows = tokens[place + 1][0] if place + 1 < len(tokens) else ""
            if token[0] == '"' and follows == ":":
                name = json.loads(token)
                self._is_secret = is_credential(name)
                self._put(found, name, self._text(name))
            elif token[0] == '"':
                text = json.loads(token)
                self._put(found, text, self._value(text))
            else:
                self._sign(found, token)
        return "".join((*self._pieces, self._line[self._end :]))

    def _sign(self, found: "re.Match[str]", token: str) -> None:
        if token == "[":
            self._open.append(self._is_secret)
        elif token == "{":
            self._open.append(False)
            self._is_secret = False
        elif token in "]}":
            self._open.pop()
        elif token == ",":
            self._is_secret = self._open[-1]
        elif self._is_secret and token != ":" and len(token) > 5:
            self._put(found, token, _MASK)

    def _value(self, text: str) -> str:
        if self._is_secret and any(map(str.isalnum, text)) and "[MASKED:" not in text and not is_placeholder(text):
            self._kinds.add("JSON_CREDENTIAL")
            return _MASK
        return self._text(text)

    def _text(self, text: str) -> str:
        from toryo.rules.masking.streaming import masked_text

        if not needs_look(text):
            return text
        if text[:1] in ("{", "[") and self._depth < _DEPTH:
            inner = masked_json(text, self._kinds, self._depth + 1)
            if inner is not None:
                return inner
        return masked_text(text, self._kinds)

    def _put(self, found: "re.Match[str]", before: str, after: str) -> None:
        if before != after:
            self._pieces += (self._line[self._end : found.start()], json.dumps(after, ensure_ascii=False))
            self._end = found.end()
