"""From a list of tasks to a plan."""

from collections.abc import Mapping

from toryo.domain.plan import Check, Plan, PlannedTask, TaskType
from toryo.domain.tasklist import Entry, Phase, TaskList

LONGEST_TITLE = 100
_DOCUMENTS = (".md", ".mdx", ".rst", ".adoc", ".txt")


def plan_from_tasklist(tasklist: TaskList, *, agents: Mapping[TaskType, str], checks: tuple[Check, ...] = ()) -> Plan:
    """The open entries as tasks; files are named to the agent, and nothing is forbidden to it."""
    tasks = tuple(_task(entry, tasklist.phases, agents, checks) for entry in tasklist.open_entries)
    return Plan(tasklist.title, tasks, checks)


def _task(
    entry: Entry, phases: tuple[Phase, ...], agents: Mapping[TaskType, str], checks: tuple[Check, ...]
) -> PlannedTask:
    kind = TaskType.DOCUMENTATION if _is_about_documents(entry) else TaskType.IMPLEMENTATION
    phase = phases[entry.phase] if entry.phase < len(phases) else None
    return PlannedTask(
        key=entry.key,
        title=short(entry.title),
        agent=agents[kind],
        description=_description(entry, phase),
        type=kind,
        depends_on=entry.depends_on,
        checks=checks,
    )


def short(title: str) -> str:
    """At most a hundred characters, cut between words where there are any."""
    if len(title) <= LONGEST_TITLE:
        return title
    cut = title[: LONGEST_TITLE - 1]
    words = cut.rpartition(" ")[0]
    return (words if len(words) > LONGEST_TITLE // 2 else cut).rstrip(" ,;:、") + "…"


def _description(entry: Entry, phase: Phase | None) -> str:
    parts = [entry.text]
    if entry.paths:
        parts.append("Files named: " + ", ".join(f"`{path}`" for path in entry.paths))
    if entry.story:
        parts.append(f"User story: {entry.story}")
    if phase and phase.title:
        parts.append("\n\n".join(part for part in (f"This belongs to: {phase.title}", phase.text) if part))
    return "\n\n".join(parts)


def _is_about_documents(entry: Entry) -> bool:
    return bool(entry.paths) and all(
        path.startswith("docs/") or path.lower().endswith(_DOCUMENTS) for path in entry.paths
    )
