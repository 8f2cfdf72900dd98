"""Secrets that are known by what stands before them: a header, a name, an option, the beginning of an address."""

import re

from toryo.rules.masking.rule import AFTER_A_SIGN, COLOUR, GAP, START, Looks, Rule, compiled
from toryo.rules.masking.values import is_code, is_metavar, is_mixed, is_placeholder, is_word, looks_secret

_QUOTE = r"(?:\\{0,3}[\"'])?"
_BARE = r"(?:[^\s\"'\\]{1,256}(?:\\[^nrt\"'\s][^\s\"'\\]{0,256}){0,16}|\\[^nrt\"'\s][^\s\"'\\]{1,256})"
"""A word, which ends at a quote, and at an escape that stands for a line break or a quote."""
_CREDENTIAL = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret|token|api_?key|apikey|(?:secret|private|access|auth|account"
    r"|encryption|signing|session|master|service|shared|subscription)_?key|connection_?string|secret_?access_?key)"
)

# ── headers ──────────────────────────────────────────────────────────────────

_PARTS = ("digest", "oauth", "hawk", "hmac", "signature", "aws4-hmac-sha256", "vapid", "dpop")
_SCHEMES = ("basic", "bearer", "token", "apikey", "api-key", "bot", "key", "negotiate", "ntlm", "sso-key", "gitlab")

AUTHORIZATION = (
    rf"{START}(?i:(?:proxy-)?authorization){_QUOTE}{GAP}:{GAP}{_QUOTE}"
    rf"(?:(?P<v>(?i:{'|'.join(_PARTS)})\s[^\n]*)|(?:(?P<scheme>[A-Za-z][\w-]{{1,20}})[ \t]{{1,8}})?(?P<v2>{_BARE}))"
)
API_HEADER = (
    rf"{START}(?i:x-(?:[a-z0-9]{{1,20}}-){{0,4}}(?:api-?key|key|token|secret|auth|password)|api-key"
    rf"|(?:private|job|deploy|auth|access)-token|ocp-apim-subscription-key){_QUOTE}{GAP}:{GAP}{_QUOTE}"
    rf"(?P<v>{_BARE})"
)
_PAIR = r"[^\s;=\"'\\]{1,256}=(?:\"[^\"\n]{0,4096}\"|[^\s;\"'\\]{0,4096})"
_MORE = r"[ \t]{0,8};[^;\n\"'\\]*(?:\"[^\"\n;]{0,4096}\")?"
_COOKIES = rf"{_QUOTE}{GAP}:{GAP}{_QUOTE}(?P<v>{_PAIR}(?:{_MORE})*)"
COOKIE = rf"(?:(?<![A-Za-z0-9-])|{AFTER_A_SIGN})(?i:cookie){_COOKIES}"
SET_COOKIE = rf"{START}(?i:set-cookie2?){_COOKIES}"


def _authorizes(found: re.Match[str], rest: str) -> bool:
    """Every scheme that is known to carry a credential, and what has none but looks like one itself."""
    if found["v"]:
        return True
    scheme = (found["scheme"] or "").lower()
    if is_placeholder(rest) or (scheme and scheme not in _SCHEMES):
        return False
    if scheme:
        return scheme == "bearer" or len(rest) >= 4
    return len(rest) >= 8 and (is_mixed(rest) or len(rest) >= 20)


def _is_value(_: re.Match[str], rest: str) -> bool:
    return not is_placeholder(rest) and (is_mixed(rest) or len(rest) >= 20)


def _is_set(_: re.Match[str], rest: str) -> bool:
    """A single cookie may be a placeholder; several are not looked at one by one."""
    return ";" in rest or not is_placeholder(rest.partition("=")[2] or rest)


# ── names and values ─────────────────────────────────────────────────────────

JSON = (
    r"(?P<q>\\{0,3}[\"'])(?P<name>[A-Za-z0-9_.-]{2,64})(?P=q)"
    rf"{GAP}(?::|=>){GAP}"
    r"(?:\"(?P<v>(?=[^\"\n])[^\"\\\n]{0,4096}(?:\\.[^\"\\\n]{0,4096})*)\"?|'(?P<v2>(?=[^'\n])[^'\\\n]{0,4096}(?:\\.[^'\\\n]{0,4096})*)'?"
    r"|(?P<e>\\{1,3}[\"'])(?P<v3>[^\\\"\n]{1,4096}(?:\\{1,4}[^\\\"'\n][^\\\"\n]{0,4096})*)(?P=e)?)"
)
ENV = (
    rf"{START}(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|(?:ACCESS|SECRET|PRIVATE|ENCRYPTION|SIGNING|MASTER)_KEY"
    rf"|CREDENTIALS?|(?<=_)(?:PASS|PWD|PW|AUTH|KEY))="
    rf"(?:\"(?P<v>[^\"\n]{{1,2048}})\"?|'(?P<v2>[^'\n]{{1,2048}})'?|(?P<v3>{_BARE}))"
)
BEARER = rf"{START}[Bb]earer\s{{1,8}}(?P<v>[A-Za-z0-9._~+/=-]{{6,4096}})"
GENERIC = (
    rf"(?:{START}|(?<=[a-z])(?=[A-Z]))(?P<name>(?i:password|passwd|passphrase|pwd|secret|token|key))"
    rf"(?P<c>\\{{0,3}}[\"'])?\]?{GAP}(?::=|=>|[:=])(?!=){GAP}"
    rf"(?:(?P<o>\\{{0,3}}[\"'])(?P<v>{_BARE})(?(c)|(?P=o)?)|(?P<v2>{_BARE}))"
)
_PUBLIC = ("public_", "public-", "public", "primary_", "foreign_", "cache_", "cache-", "sort_", "partition_", "host")


def is_credential(name: str) -> bool:
    """Whether a value of this name is a credential, however the name is written."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-.]", "_", name[-80:]).lower()
    return bool(re.search(rf"(?:^|_){_CREDENTIAL}$", snake))


def _is_named(found: re.Match[str], rest: str) -> bool:
    return not is_placeholder(rest) and is_credential(found["name"])


def _is_given(found: re.Match[str], rest: str) -> bool:
    """Set to something, not to what some other variable or command says."""
    is_vague = found[0].startswith(("KEY=", "AUTH="))
    if is_placeholder(rest) or (found["v3"] and is_code(rest)):
        return False
    return not is_vague or (len(rest) >= 12 and is_mixed(rest))


def _is_token(_: re.Match[str], rest: str) -> bool:
    return len(rest) >= 32 or (len(rest) >= 8 and is_mixed(rest))


def _is_secret(found: re.Match[str], rest: str) -> bool:
    if "\x1b" in rest:
        rest = compiled(COLOUR).sub("", rest)
    before = found.string[max(0, found.start() - 12) : found.start()].lower()
    after = found.string[found.end() : found.end() + 3].lstrip()
    if found["name"].lower() == "key" and before.endswith(_PUBLIC):
        return False
    if found["v2"] and after.startswith(("=", "|")) and is_word(rest):
        return False  # a type, in front of a default or of another one
    return looks_secret(found["name"], rest, is_quoted=found["o"] is not None)


# ── addresses and arguments ──────────────────────────────────────────────────

URL = (
    r"(?<=://)(?:(?P<v>[^\s/@:\"'<>\\]{0,128}:[^\s/\"'<>\\]{1,512}(?=@[A-Za-z0-9\[_]))"
    r"|(?P<v2>[A-Za-z0-9_-]{20,256}(?=@[A-Za-z0-9\[_])))"
)
ARGUMENT = (
    rf"(?:(?<![\w-])|{AFTER_A_SIGN})--(?:[a-z0-9]{{1,20}}-){{0,4}}"
    r"(?:password|passwd|pass|passphrase|token|secret|api-?key|access-key|secret-key)"
    rf"(?P<by>=|[ \t]{{1,4}})(?:\"(?P<v>[^\"\n]{{1,512}})\"?|'(?P<v2>[^'\n]{{1,512}})'?|(?P<v3>{_BARE}))"
)
USER = (
    rf"(?<=\s)(?:-u|--user|--proxy-user|-U)[ \t=]{{0,4}}{_QUOTE}(?P<v>[^\s:\"'/\\]{{1,128}}:{_BARE}){_QUOTE}"
    rf"|(?<![\w-])sshpass\s{{1,4}}-p\s{{0,4}}{_QUOTE}(?P<v2>{_BARE}){_QUOTE}"
)
NETRC = (
    r"(?<![^\s])login\s{1,8}\S{1,128}\s{1,8}password\s{1,8}(?P<v>\S{1,512})"
    r"|(?<![^\n])[ \t]{0,16}password[ \t]{1,8}(?P<v2>\S{1,512})(?=[ \t]*(?:$|\n))"
)


def _has_password(_: re.Match[str], rest: str) -> bool:
    return not is_placeholder(rest.rpartition(":")[2])


def _is_argument(found: re.Match[str], rest: str) -> bool:
    if is_placeholder(rest):
        return False
    return not found["v3"] or (not is_metavar(rest) and not is_code(rest))


def _is_login(found: re.Match[str], rest: str) -> bool:
    """Only programs that talk to servers: elsewhere -u is a user and a group."""
    is_client = re.search(r"\b(?:curl|wget|sshpass)\b", found.string) is not None
    return is_client and not is_placeholder(rest.rpartition(":")[2])


def _is_netrc(_: re.Match[str], rest: str) -> bool:
    return not is_placeholder(rest) and not is_metavar(rest)


def _rule(kind: str, anchors: tuple[str, ...], pattern: str, looks: Looks) -> Rule:
    return Rule(kind, anchors, pattern, looks, folds=True)


SECOND = (
    _rule("AUTH_HEADER", ("authorization",), AUTHORIZATION, _authorizes),
    _rule("AUTH_HEADER", ("-key", "-token", "-secret", "-auth", "-password", "-apikey"), API_HEADER, _is_value),
    _rule("COOKIE", ("cookie",), COOKIE, _is_set),
    _rule("SET_COOKIE", ("set-cookie",), SET_COOKIE, _is_set),
    Rule("URL_CREDENTIAL", ("://",), URL, _has_password, also="@"),
)
"""What opens a session somewhere; with JWT, the source's priority 2."""

_NAMES = ("passw", "passph", "passc", "pwd", "secret", "token", "key")

THIRD = (
    _rule("JSON_CREDENTIAL", (*_NAMES, "connectionstring", "connection_string"), JSON, _is_named),
    _rule("ENV_CREDENTIAL", (*_NAMES, "_pass=", "_pw=", "_auth=", "credential=", "credentials="), ENV, _is_given),
    _rule("BEARER_TOKEN", ("bearer",), BEARER, _is_token),
    _rule("ARGUMENT_CREDENTIAL", (*_NAMES, "-pass"), ARGUMENT, _is_argument),
    _rule("ARGUMENT_CREDENTIAL", ("curl", "wget", "sshpass"), USER, _is_login),
    _rule("ARGUMENT_CREDENTIAL", ("password ", "password\t"), NETRC, _is_netrc),
)
"""Credentials under a name of their own; the source's priority 3."""

LAST = (_rule("GENERIC_SECRET", _NAMES, GENERIC, _is_secret),)
"""Anything behind a general name, if it looks like a secret; the source's priority 4."""
