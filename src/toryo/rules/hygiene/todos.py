"""Work that was put off: TODO and its like, in comments."""

import re
import unicodedata

_WORD = r"(?:TODO|FIXME|XXX|HACK)"
# At the beginning of the comment or of a sentence in it, or with its own colon; but not where it is talked about.
_TALK = (
    r"(?!S?\b['\"`]?\s*(?:[,/|&]|and\b|or\b|comments?\b|markers?\b|items?\b|lists?\b|entr(?:y|ies)\b"
    r"|の|を|が|は|や|と))"
)
_PUT_OFF = re.compile(
    rf"(?:^|[.。;!?]\s+|[-–—*@\[(]\s*){_WORD}{_TALK}(?![\w-])|(?<![\w'\"`./-]){_WORD}(?:\([^)]*\))?\s*:(?!:)"
)
_PUT_OFF_SMALL = re.compile(r"^@?(?:todo|fixme|hack)\s*(?:\([^)]*\))?\s*:", re.IGNORECASE)
_JAPANESE = re.compile(
    r"(?:あとで|後で|のちほど|後ほど)、?\s*(?:実装|対応|修正|書|直|追加|やる|やります|考え|消す|消し|削除|変更|確認する)"
    r"|^(?:あとで|要対応|要修正|要実装|実装予定|対応予定|仮実装|未実装|未対応)(?:[。:、.\s()…]|です|$)"
)
_IN_CODE = {"rust": re.compile(r"\btodo!\s*[({\[]"), "kotlin": re.compile(r"(?<![\w.])TODO\(")}

MAY_MATCH = re.compile(r"todo|fixme|xxx|hack|ＴＯＤＯ|後|あと|のちほど|要|未|予定|仮", re.IGNORECASE)
"""What no line without it needs to be looked at for."""


def is_put_off(comment: str) -> bool:
    """Whether a comment says that something remains to be done."""
    said = unicodedata.normalize("NFKC", comment)
    return bool(_PUT_OFF.search(said) or _PUT_OFF_SMALL.search(said) or _JAPANESE.search(said))


def is_stub(code: str, language: str) -> bool:
    """Whether the language itself says so."""
    pattern = _IN_CODE.get(language)
    return bool(pattern and pattern.search(code))
