"""Code that was left out: "... rest of code", 「以下省略」."""

import re
import unicodedata

_THING = (
    r"(?:code|file|function|method|class|implementation|component|logic|module|script|body|content|imports?|props"
    r"|tests?|fields?|methods|functions|classes|handlers?|routes?|cases?|config(?:uration)?|state|styles?|setup"
    r"|definitions?|types?|program|page|template|block|section|options|parameters|stuff|parts?|everything|lines)"
)
_DOTS = r"(?:\.{3,}|…+|‥+)"
_SAME = (
    r"(?:(?:remains?|stays?|is|are|left|kept)\s+)?(?:unchanged|the same|as (?:before|is|it was|they were)"
    r"|same as before|omitted|here|above|below|untouched|intact|unmodified|goes here|follows|continues)"
)
_ANYWHERE = (
    # "... existing code ...", "... rest of the file"
    rf"^[\s\[(<{{*-]*{_DOTS}\s*[\[(]?\s*(?:(?:the|your|all|and|with)\s+)*"
    r"(?:rest|remaining|remainder|existing|other|previous|same|unchanged|omitted|additional|similar|keep|snip)\b",
    rf"^{_DOTS}\s*(?:more\s+)?{_THING}?\s*(?:{_SAME})?\s*{_DOTS}$",
    r"\b(?:omitted|removed|truncated|skipped|elided|left out|shortened|simplified)\s+for\s+(?:brevity|space)\b",
)
_ALONE = (
    # "rest of the code unchanged", "remaining methods stay the same", "existing code here"
    r"^[\s(\[*-]*(?:(?:the|your|all|keep|and|with)\s+)*(?:rest|remainder)(?:\s+of)?(?:\s+(?:the|your|this|our|my))?"
    rf"(?:\s+\w+){{0,2}}?(?:\s+{_THING})?\s*(?:\s{_SAME}|{_DOTS})[\s.)]*$",
    rf"^[\s(\[*-]*(?:the\s+)?rest of (?:the\s+|your\s+|this\s+)?(?:\w+\s+)?{_THING}\W*$",
    rf"^[\s(\[*-]*(?:(?:the|your|all|keep)\s+)*(?:existing|previous|original|other|remaining|same)(?:\s+\w+)?\s+{_THING}"
    rf"\s*(?:\s{_SAME}|{_DOTS})[\s.)]*$",
    rf"^\W*(?:unchanged(?:\s+{_THING})?|no changes?(?:\s+(?:here|needed|below|above))?|same as (?:before|above)"
    rf"|remains? (?:the same|unchanged)|(?:{_THING}\s+)?(?:omitted|truncated|elided|snipped)"
    rf"|snip(?:ped)?|etc\.?\s*{_DOTS})\W*$",
    # a place for what should be there
    rf"^(?:(?:add|insert|put|write|place)\s+)?(?:your|the actual|actual|real)\s+(?:\w+\s+)?{_THING}\s+"
    r"(?:goes\s+)?here\W*$",
    rf"^(?:implementation|{_THING})\s+goes\s+here\W*$",
)
_OMITTED_JAPANESE = re.compile(
    r"^\W*(?:中略|後略|前略|以下略|以下同様|以下同文|同上|以降同様|変更(?:なし|無し)|(?:以下|以降|残り|その他|他|ここ)(?:の\S{1,12})?"
    r"(?:は|、)?\s*(?:省略|割愛|同様|同じ|変更(?:なし|無し)|略|そのまま)(?:です|します|する|とする)?)[\s。.…)]*$"
    r"|^\W*(?:既存|残り|元)の(?:コード|実装|処理|関数|メソッド|内容|部分)(?:(?:は|が|を)?\s*(?:そのまま|変更なし|省略|ここ|続く|続き"
    r"|同じ|維持)\S{0,6})?[\s。.…)]*$"
    r"|(?:省略|割愛)(?:します|しました|する|した|しています)?[\s。.…)]*$"
)
_OMITTED, _OMITTED_ALONE = (
    tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns) for patterns in (_ANYWHERE, _ALONE)
)
_ONLY_DOTS = re.compile(rf"^{_DOTS}$")
_BARE = re.compile(
    rf"^\s*(?:[\[(<]\s*)?{_DOTS}\s+[\[(]?\s*(?:(?:the|your|all)\s+)*(?:rest|remaining|existing|unchanged)\b.*$"
)

MAY_MATCH = re.compile(
    r"\.\.\.|…|‥|unchanged|rest of|existing|remain|no change|same as|omitted|truncated|elided|snip|brevity|goes here"
    r"|here\b|略|同様|変更|既存|残り|割愛|同上|同文",
    re.IGNORECASE,
)
"""What no line without it needs to be looked at for."""


def is_omission(comment: str, *, goes_on: bool = False) -> bool:
    """Whether a comment stands in the place of code; one that `goes_on` from the line before may end in such words."""
    said = unicodedata.normalize("NFKC", comment)
    patterns = _OMITTED if goes_on else (*_OMITTED, *_OMITTED_ALONE, _OMITTED_JAPANESE)
    return any(pattern.search(said) for pattern in patterns)


def is_ellipsis(comment: str) -> bool:
    """Nothing but dots: an omission unless it stands among other comments."""
    return bool(_ONLY_DOTS.search(comment))


def is_bare_omission(code: str) -> bool:
    """A line that is no code at all, written where code should be."""
    return bool(_BARE.match(code))
