"""Private keys over many lines: hidden as they stream by, whether or not their end ever comes."""

from toryo.rules.masking.rule import compiled

MASK = "[MASKED:PRIVATE_KEY]"
WINDOW = 65_536
"""How far the end of a key is looked for; what is longer is hidden for as long as it looks like a key."""

_LABEL = r"(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?"
_EDGE = rf"-----(?:BEGIN|END) {_LABEL}-----|---- (?:BEGIN|END) {_LABEL} ----"
_LONGEST_EDGE = 128
_BODY = (
    r"(?:(?:\\[rn]|[\s>|+\"',])*"
    r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): [^\n\\]{0,200}"
    r"|[A-Za-z0-9+/=]{16,}|MII[A-Za-z0-9+/=]*|=[A-Za-z0-9+/]{4}(?![A-Za-z0-9+/])))*"
    # The last line of a key is shorter than the others.
    r"(?:(?<=[A-Za-z0-9+/=]{16})(?:\\[rn]|\s)+[A-Za-z0-9+/]{1,64}={0,2}(?=\s*(?:$|\n|\\[rn]|[\"'])))?"
)
_PARTIAL = r"-{1,5}(?: ?(?:B|BE|BEG|BEGI|BEGIN|BEGIN [A-Z0-9 ]{0,96}-{0,5})?)?"
_ENDLESS = r"[A-Za-z0-9+/=\s\\]*"


class KeyBlocks:
    """Takes text in pieces and gives it back without private keys; where it is cut makes no difference."""

    def __init__(self) -> None:
        self._held = ""
        self._place = 0
        """How far what is held is dealt with; nothing is left before it once a piece is."""
        self._body = 0
        """Where the body of a key begins in what is held; 0: no key has begun."""
        self._looked = 0
        self._is_endless = False
        self.has_found = False

    @property
    def is_idle(self) -> bool:
        return not self._held and not self._is_endless

    def feed(self, text: str, *, is_last: bool = False) -> str:
        self._held += text
        out: list[str] = []
        while self._step(out, is_last):
            pass
        self._held, self._place = self._held[self._place :], 0
        return "".join(out)

    def _step(self, out: list[str], is_last: bool) -> bool:
        """One step further; whether there may be another."""
        if self._is_endless:
            return self._skip()
        return self._in_key(out, is_last) if self._body else self._outside(out, is_last)

    def _outside(self, out: list[str], is_last: bool) -> bool:
        for edge in compiled(_EDGE).finditer(self._held, self._place) if "BEGIN " in self._held else ():
            if "BEGIN" in edge[0]:
                out.append(self._held[self._place : edge.start()])
                self._place, self._body, self._looked = edge.start(), edge.end(), edge.end()
                self.has_found = True
                return True
        end = len(self._held) if is_last else self._undecided()
        out.append(self._held[self._place : end])
        self._place = end
        return False

    def _undecided(self) -> int:
        """From where on a key may have begun."""
        dash = self._held.find("-", max(self._place, len(self._held) - _LONGEST_EDGE))
        while dash >= 0 and not compiled(_PARTIAL).fullmatch(self._held, dash):
            dash = self._held.find("-", dash + 1)
        return len(self._held) if dash < 0 else dash

    def _in_key(self, out: list[str], is_last: bool) -> bool:
        limit = self._body + WINDOW
        edge = compiled(_EDGE).search(self._held, max(self._body, self._looked - _LONGEST_EDGE), limit)
        if edge is None and len(self._held) < limit and not is_last:
            self._looked = len(self._held)
            self._body, self._looked = self._body - self._place, self._looked - self._place
            return False
        out.append(MASK)
        if edge and "BEGIN" not in edge[0]:
            self._place, self._body = edge.end(), 0
            return True
        stop = edge.start() if edge else limit
        body = compiled(_BODY).match(self._held, self._body, stop)
        self._place, begun = body.end() if body else self._body, self._body
        self._body = 0
        if edge is None and self._place > begun:
            rest = compiled(_ENDLESS).match(self._held, self._place, limit)
            self._is_endless = rest is not None and rest.end() >= limit
        return True

    def _skip(self) -> bool:
        rest = compiled(_ENDLESS).match(self._held, self._place)
        self._place = rest.end() if rest else self._place
        self._is_endless = self._place == len(self._held)
        return not self._is_endless
