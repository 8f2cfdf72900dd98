"""Whether an instruction says enough to begin: what is plainly too little is asked about before anything starts."""

import re

from toryo.domain.planning import Question

_CREATE_JA, _FIX_JA = (
    "対象のファイル名またはパスを指定してください。",
    "どの機能/箇所を修正しますか？（例: コマンド名、エラー文、対象ファイル）",
)
_CREATE_EN, _FIX_EN = (
    "Which file name or path is this about?",
    "Which feature or place should be fixed? (for example a command, an error message, a file)",
)
_CREATE = ("create", "add", "update", "make", "write", "implement", "作成", "作って", "追加", "更新", "実装")
_FIX = ("fix", "change", "modify", "repair", "improve", "correct", "edit", "修正", "直して", "変更", "改善", "修理")
_EMPTY = frozenset(
    re.findall(
        r"[a-z]+",
        """a an the it this that them these those something anything everything stuff thing things please pls some
        my our file files code bug bugs issue issues error errors problem problems feature features function for me
        us now here there to do can you could just be is not working broken""",
    )
)
_EMPTY_JA = re.compile(
    "して(?:ください|下さい|ほしい|くれ)?|ください|下さい|お願い(?:します)?|これ|それ|あれ|何か|なにか|ファイル|コード|"
    "バグ|エラー|機能|問題|を|の|が|は|に|で|も|と|一つ|新しい|ちょっと|全部|する|した|。|、|！|!|\\s"
)


def unclear(instruction: str) -> Question | None:
    """One fixed question for instructions that name nothing to work on; None: there is something to go by."""
    text = instruction.strip()
    family = _family(text)
    if family is None or _names_something(text):
        return None
    is_japanese = any(ord(character) > 0x2E7F and character.isalpha() for character in text)
    create, fix = (_CREATE_JA, _FIX_JA) if is_japanese else (_CREATE_EN, _FIX_EN)
    return Question(create if family == "create" else fix)


def _family(text: str) -> str | None:
    folded = text.casefold()
    for family, verbs in (("fix", _FIX), ("create", _CREATE)):
        if any(re.search(rf"\b{verb}\b", folded) if verb.isascii() else verb in folded for verb in verbs):
            return family
    return None


def _names_something(text: str) -> bool:
    """Anything beyond a verb and words that could mean everything."""
    folded = text.casefold()
    words = [word for said in re.findall(r"[a-z0-9_./#:-]+", folded) if (word := said.strip("./:-"))]
    if any(word not in _EMPTY and word not in _CREATE and word not in _FIX for word in words):
        return True
    rest = re.sub(r"[\x00-\x7f]|\W", "", folded)
    for verb in (*_CREATE, *_FIX):
        rest = rest.replace(verb, "")
    return bool(_EMPTY_JA.sub("", rest))
