"""What becomes of what an audit found: looked up, ranked, and made into intents that nobody has yet."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from toryo.domain.changing import changed
from toryo.domain.facts import fact
from toryo.domain.intent import AuditFinding, Intent, IntentSource, Severity
from toryo.rules.instants import in_a_row
from toryo.rules.likeness import duplicate_of, remembered
from toryo.rules.slugs import slug_of

FOCUS = {
    "security": "weaknesses that somebody could use to do harm: input that is trusted, secrets, permissions, injection",
    "performance": "what is slow, or grows faster than it has to: needless work, memory that is never let go, waiting",
    "quality": "faults, and code that is likely to lead to some: wrong edge cases, errors swallowed, things done twice",
    "tests": "what is not tested and should be, and tests that could not fail",
    "docs": "what the documentation says and is not so, and what people need to know and cannot find",
}
EVERYTHING = "faults of every kind: security, performance, quality, tests and documentation"
_TYPES = {"security": "fix", "performance": "refactor", "quality": "fix", "tests": "test", "docs": "docs"}
_RANK = {severity: place for place, severity in enumerate(reversed(Severity))}


def ranked(findings: Iterable[AuditFinding]) -> tuple[AuditFinding, ...]:
    """Worst first; of the same severity those that are there before mere claims, then by place."""
    return tuple(sorted(findings, key=lambda one: (_RANK[one.severity], not one.is_there, one.path, one.line)))


def paths_to_look_up(findings: Iterable[AuditFinding]) -> tuple[str, ...]:
    """Those that can be in a repository at all."""
    return tuple(dict.fromkeys(one.path for one in findings if _is_inside(one.path)))


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith(("/", "\\")) and ".." not in parts and "\n" not in path


def looked_up(finding: AuditFinding, lines: Mapping[str, int], folders: Collection[str] = ()) -> AuditFinding:
    """The finding with whether its place is there; `lines` are the files of the commit with how many each has."""
    if finding.path in folders and not finding.line:
        return changed(finding, is_there=True)
    known = lines.get(finding.path)
    return changed(finding, is_there=known is not None and finding.line <= known)


def filed(
    findings: Sequence[AuditFinding], audit: str, intents: Sequence[Intent], now: float
) -> tuple[tuple[AuditFinding, ...], tuple[Intent, ...]]:
    """The findings with the intent of each, and the intents that are new; done again, the same come out."""
    taken = {intent.slug for intent in intents}
    known = remembered(intents, now)
    fates: dict[AuditFinding, AuditFinding] = {}
    new: list[Intent] = []
    groups = _alike([finding for finding in findings if finding.is_there])
    for group, at in zip(groups, in_a_row(len(groups), now), strict=True):
        intent = _intent(group, audit, at)
        ours = next((other for other in intents if _is_ours(other, intent)), None)
        other = None if ours else next((found for one in group if (found := _known(one, known))), None)
        if other is None:
            intent = ours or changed(intent, slug=slug_of(intent.title, taken))
            taken.add(intent.slug)
            new.append(intent)
        slug = other.slug if other else intent.slug
        fates |= {one: changed(one, intent=slug, is_known=other is not None) for one in group}
    return tuple(fates.get(one, one) for one in findings), tuple(new)


def _alike(findings: Sequence[AuditFinding]) -> list[list[AuditFinding]]:
    """Those that want the same of the same file, each from another point of view: who looks for one thing tells
    nothing twice.
    """
    groups: list[list[AuditFinding]] = []
    for finding in findings:
        others = [
            group
            for group in groups
            if group[0].path == finding.path and all(one.focus != finding.focus for one in group)
        ]
        heads = {_Said(group[0]): group for group in others}
        if same := duplicate_of(finding.title, _text(finding), heads):
            heads[same].append(finding)
        else:
            groups.append([finding])
    return groups


@fact
class _Said:
    """A finding as something with words that can be compared."""

    finding: AuditFinding

    @property
    def title(self) -> str:
        return self.finding.title

    @property
    def body(self) -> str:
        return _text(self.finding)


def _text(finding: AuditFinding) -> str:
    return "\n".join((finding.why, finding.suggestion))


def _known(finding: AuditFinding, others: Sequence[Intent]) -> Intent | None:
    """The one that is about the same file and wants the same."""
    about = [other for other in others if finding.path in other.body or finding.path in other.title]
    return duplicate_of(finding.title, _text(finding), about)


def _is_ours(other: Intent, intent: Intent) -> bool:
    """It was written for the same finding of the same audit, before whoever wrote it was interrupted."""
    return (other.title, other.source) == (intent.title, intent.source) and other.body.strip() == intent.body.strip()


def _intent(group: Sequence[AuditFinding], audit: str, at: float) -> Intent:
    """How bad it is says nothing about how risky it is to change: that is judged when it is analysed."""
    finding = group[0]
    places = ", ".join(dict.fromkeys(f"`{one.where}`" for one in group))
    parts = [
        finding.why.strip(),
        f"Suggested: {finding.suggestion.strip()}" if finding.suggestion.strip() else "",
        f"Severity as it stands: {finding.severity}. Place: {places}. Found by the audit `{audit}`.",
    ]
    body = "\n\n".join(part for part in parts if part) + "\n"
    type_ = _TYPES.get(finding.focus, "")
    return Intent("", finding.title, body, type_, IntentSource.AUDIT, created_at=at)
