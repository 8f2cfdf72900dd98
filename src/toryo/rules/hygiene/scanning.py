"""Telling code, comments and strings apart, line by line, without understanding the language further."""

import re
from functools import cache

from toryo.domain.facts import fact
from toryo.rules.hygiene.languages import Syntax, syntax_of


@fact
class Scanned:
    """A file's lines, each as its code and as its comments; numbers are indexes plus one."""

    code: tuple[str, ...]
    """With comments and what is in strings left blank, so that columns stay."""
    comments: tuple[str, ...]
    """What the comments on the line say, without the signs around it."""

    def is_comment(self, number: int) -> bool:
        """The line holds a comment and nothing else."""
        inside = 1 <= number <= len(self.code)
        return inside and bool(self.comments[number - 1]) and not self.code[number - 1].strip()

    def is_blank(self, number: int) -> bool:
        return not (1 <= number <= len(self.code)) or not (self.code[number - 1] + self.comments[number - 1]).strip()


def scanned(text: str, language: str) -> Scanned:
    """Reads the text to its end, whatever it holds; what is never closed goes on to the end."""
    text = text.replace("\r\n", "\n")
    syntax = syntax_of(language)
    code: list[str] = []
    comments: list[str] = []
    place = 0
    for begin, end, is_comment in _spans(text, syntax):
        blank = _blank(text[begin:end])
        code += [text[place:begin], blank]
        comments += [_blank(text[place:begin]), text[begin:end] if is_comment else blank]
        place = end
    code.append(text[place:])
    comments.append(_blank(text[place:]))
    strip = _stripping(syntax)
    lines = "".join(comments).split("\n")
    return Scanned(tuple("".join(code).split("\n")), tuple(strip.sub("", line.strip()).strip() for line in lines))


_ANYTHING = re.compile(r"[^\n]+")


def _blank(text: str) -> str:
    return _ANYTHING.sub(lambda found: " " * len(found.group()), text)


@cache
def _stripping(syntax: Syntax) -> re.Pattern[str]:
    """The signs of a comment at its beginning and end, also the `*` of long ones."""
    signs = {*syntax.line, *(sign.strip() for pair in syntax.block for sign in pair)}
    either = "|".join(re.escape(sign) for sign in sorted(signs, key=len, reverse=True))
    return re.compile(rf"^(?:{either}|[/!*#;:]|-(?=-))+|(?:{either}|\*/)+$")


@cache
def _opening(syntax: Syntax) -> re.Pattern[str]:
    """Whatever begins something that is not code."""
    blocks = [re.escape(begin) for begin, _ in syntax.block]
    lines = [(r"(?<![^\s;&|(){}])" if syntax.needs_space else "") + re.escape(sign) for sign in syntax.line]
    quotes = [re.escape(quote) for quote in (*syntax.long_quotes, *syntax.quotes)]
    special = [r"[{}]"] if syntax.has_templates else []
    special += [_CHARACTER] if syntax.has_characters else []
    regexes = ["/"] if syntax.has_regexes else []
    return re.compile("|".join([*blocks, *lines, *quotes, *regexes, *special]))


_CHARACTER = r"'(?:\\[^\n]{1,8}|[^\\'\n])'"
_BEFORE_REGEX = re.compile(r"(?:^|[(,=:\[!&|?{};+\-*%~^<>\n]|\b(?:return|typeof|case|in|of|do|else|void|delete))\s*$")
_REGEX = re.compile(r"/(?:[^\\/\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")


def _spans(text: str, syntax: Syntax) -> list[tuple[int, int, bool]]:
    """The stretches that are no code, and whether each is a comment."""
    spans: list[tuple[int, int, bool]] = []
    blocks = dict(syntax.block)
    opening, place = _opening(syntax), 0
    templates: list[int] = []  # how many braces are open in each template that is being filled in
    while found := opening.search(text, place):
        sign, begin = found.group(), found.start()
        if sign in blocks:
            end = text.find(blocks[sign], begin + len(sign))
            place = len(text) if end < 0 else end + len(blocks[sign])
            spans.append((begin, place, True))
        elif sign in syntax.line:
            end = text.find("\n", begin)
            place = len(text) if end < 0 else end
            spans.append((begin, place, True))
        elif syntax.has_characters and sign[0] == "'":
            place = found.end()
        elif sign in ("{", "}"):
            place = begin + 1
            if templates and sign == "{":
                templates[-1] += 1
            elif templates:
                templates[-1] -= 1
                if templates[-1] == 0:
                    templates.pop()
                    place = _template_end(text, place, templates)
                    spans.append((begin + 1, place, False))
        elif sign == "/":
            matched = _REGEX.match(text, begin) if _BEFORE_REGEX.search(text, max(0, begin - 40), begin) else None
            place = matched.end() if matched else begin + 1
            if matched:
                spans.append((begin + 1, place - 1, False))
        elif sign == "`" and syntax.has_templates:
            place = _template_end(text, begin + 1, templates)
            spans.append((begin + 1, place, False))
        else:
            end, place = _string_end(text, begin, sign, syntax)
            spans.append((begin + len(sign), end, False))
    return spans


_IN_TEMPLATE = re.compile(r"\\.|`|\$\{", re.DOTALL)


def _template_end(text: str, place: int, templates: list[int]) -> int:
    """To the end of a template string, or to where code is filled in."""
    while match := _IN_TEMPLATE.search(text, place):
        place = match.end()
        if match.group() == "`":
            return place
        if match.group() == "${":
            templates.append(1)
            return place
    return len(text)


def _string_end(text: str, begin: int, quote: str, syntax: Syntax) -> tuple[int, int]:
    """Where its content ends, and where the code goes on; a short string ends with its line at the latest."""
    place = begin + len(quote)
    pattern = _closing(quote, quote in syntax.long_quotes, syntax.has_escapes and quote != "`")
    while match := pattern.search(text, place):
        sign = match.group()
        if sign == quote:
            return match.start(), match.end()
        if sign == "\n":
            return match.start(), match.start()
        place = match.end()
    return len(text), len(text)


@cache
def _closing(quote: str, is_long: bool, has_escapes: bool) -> re.Pattern[str]:
    parts = [r"\\."] if has_escapes else []
    return re.compile("|".join([*parts, re.escape(quote), *([] if is_long else ["\n"])]), re.DOTALL)
