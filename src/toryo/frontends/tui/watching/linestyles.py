"""How lines are coloured; each says by its first characters what it is, so that no colour is needed."""

_WORDS = (("▸", "marked"), ("  │", "quiet"), ("  ✗", "bad"), ("✗", "bad"), ("!", "doubtful"), ("?", "strong"))
_DIFF = (
    (("diff --git", "index ", "new file", "deleted file", "similarity ", "rename ", "old mode", "new mode"), "strong"),
    (("+++", "---"), "strong"),
    (("@@",), "marked"),
    (("+",), "good"),
    (("-",), "bad"),
    (("…",), "quiet"),
)
_PAGES = (("✓", "good"), ("✗", "bad"), ("·", "quiet"), ("$", "strong"), ("│", "quiet"))


def of_words(line: str) -> str:
    """What an agent tells: tools, results, trouble, questions."""
    return next((style for begin, style in _WORDS if line.startswith(begin)), "")


def of_difference(line: str) -> str:
    return next((style for begins, style in _DIFF if line.startswith(begins)), "")


def of_page(line: str) -> str:
    """Checks and evidence."""
    heading = "strong" if line.isupper() else ""
    return next((style for begin, style in _PAGES if line.lstrip().startswith(begin)), heading)


def of_item(line: str) -> str:
    """What waits: what to do about it stands out."""
    return "marked" if line.startswith(("→", "    $")) else "strong" if line.isupper() else ""
