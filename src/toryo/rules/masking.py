"""Secrets in text are replaced before anybody sees or stores it."""

import re
from functools import cache

# In order of priority: the first pattern that matches a place wins, and what is masked is not looked at again.
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("ANTHROPIC_KEY", r"sk-ant-[A-Za-z0-9_-]{20,}"),
    ("OPENAI_KEY", r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    (
        "PRIVATE_KEY",
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----)){1,20000}-----END [A-Z ]{0,40}PRIVATE KEY-----",
    ),
    ("GOOGLE_KEY", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("AWS_KEY", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("GITHUB_TOKEN", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})"),
    ("GITLAB_TOKEN", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("SLACK_TOKEN", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("NPM_TOKEN", r"\bnpm_[A-Za-z0-9]{36}"),
    ("PYPI_TOKEN", r"\bpypi-[A-Za-z0-9_-]{50,}"),
    ("JWT", r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{1,8000}\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+"),
    ("AUTH_HEADER", r"[Aa]uthorization:\s*[Bb]earer\s+\S+"),
    ("SET_COOKIE", r"[Ss]et-[Cc]ookie:\s*\S+"),
    ("COOKIE", r"\b[Cc]ookie:\s*\S+"),
    ("JSON_CREDENTIAL", r'"(?:password|secret|token|api_key|apiKey)":\s*"[^"]+"'),
    ("ENV_CREDENTIAL", r"(?:PASSWORD|SECRET|TOKEN|API_KEY|ACCESS_KEY)=[^\s]+"),
    ("BEARER_TOKEN", r"\bBearer\s+[A-Za-z0-9._-]{16,}"),
    # The general case needs a value that looks like a secret, else every `key = value` in a log is hidden.
    (
        "GENERIC_SECRET",
        r"(?i)(?<![^\W_])(?:password|secret|token|key)\s*[:=]\s*[\"']?(?=[^\s\"']{0,80}\d)(?=[^\s\"']{0,80}[a-z])[^\s\"']{12,}[\"']?",
    ),
)
_MASKS = r"(\[MASKED:[A-Z_]+\])"


@cache
def _compiled() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((f"[MASKED:{name}]", re.compile(pattern)) for name, pattern in _PATTERNS)


def mask(text: str) -> str:
    """The text with every secret replaced by what kind it was."""
    pieces = re.split(_MASKS, text)  # every second one is a mask, and is not looked at again
    for masked, pattern in _compiled():
        if pattern.search(text):
            pieces = [part for place, piece in enumerate(pieces) for part in _split(piece, place, masked, pattern)]
    return "".join(pieces)


def _split(piece: str, place: int, masked: str, pattern: re.Pattern[str]) -> list[str]:
    if place % 2:
        return [piece]
    parts: list[str] = []
    end = 0
    for found in pattern.finditer(piece):
        parts += [piece[end : found.start()], masked]
        end = found.end()
    return [*parts, piece[end:]]


def has_secret(text: str) -> bool:
    return any(pattern.search(text) for _, pattern in _compiled())
