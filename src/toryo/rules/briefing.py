"""What an agent is told: the task, how it will be proven, and what went wrong last time."""

import re
from collections.abc import Iterable

from toryo.domain.facts import fact
from toryo.domain.plan import TaskType
from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.rules.kinds import checks_for

ANCHOR = "Toryo-Evidence"
_COMMIT_KINDS = {
    TaskType.IMPLEMENTATION: "feat",
    TaskType.DOCUMENTATION: "docs",
    TaskType.INVESTIGATION: "chore",
    TaskType.REVIEW: "chore",
    TaskType.INTEGRATION: "fix",
}


@fact
class Setting:
    """What an agent should know besides its task."""

    rules: tuple[str, ...] = ()
    """Files of the repository that say how to work in it."""
    done: tuple[str, ...] = ()
    """What was done before in the same session, and is there already."""
    results: tuple[tuple[str, str], ...] = ()
    """What tasks wrote whose result is no file: which task, and what."""
    decisions: tuple[str, ...] = ()
    """What was asked and answered while the work was planned."""
    others: tuple[str, ...] = ()
    """Tasks of the same plan that are somebody else's."""
    is_first: bool = True
    """It hears of the task for the first time; else it goes on in the same conversation."""
    needs_sentinel: bool = False
    may_observe: bool = False
    """It can note what it notices."""


ALONE = Setting()
_HOW_TO_OBSERVE = (
    "Should you notice something that matters beyond this task (a trap, a contradiction, the same code twice), note it "
    'for later with `"$TORYO_BIN" observe "what you noticed" --file PATH`, and go on: it is no part of the task.'
)
_LONG_DESCRIPTION = 600
_MOST_OF_RESULTS = 12_000
"""Characters of what other tasks found out."""
_NEIGHBOURS = 15
"""Tasks before and after a task in its plan that its agent hears of."""


def decisions_of(session: Session) -> tuple[str, ...]:
    answers = session.planning.answers if session.planning else ()
    return tuple(f"{_on_one_line(answer.question)} → {_on_one_line(answer.text)}" for answer in answers)


def results_of(session: Session, task: Task) -> tuple[tuple[str, str], ...]:
    """What the tasks found out that this one builds on; a long result is cut in the middle, its log has the whole."""
    found = []
    needs = [session.tasks[number] for number in task.depends_on]
    told = [(need, _result(need)) for need in needs if need.plan.type.is_read_only]
    room = _MOST_OF_RESULTS // max(1, sum(bool(text) for _, text in told))
    for need, text in told:
        if text:
            found.append((f"{need.plan.key}: {_on_one_line(need.plan.title)}", _cut(text, room)))
    return tuple(found)


def _result(task: Task) -> str:
    return next((run.observation.result for run in reversed(task.runs) if run.observation), "")


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[: most // 2].rstrip()}\n\n… {len(text) - most:,} characters are left out …\n\n{text[-most // 2 :]}"


def others_of(session: Session, task: Task) -> tuple[str, ...]:
    """What is not the task's own job, where it is not simple: then an agent might take it for its own."""
    if not _is_involved(task):
        return ()
    near = range(task.number - _NEIGHBOURS, task.number + _NEIGHBOURS + 1)
    tasks = [session.tasks[number] for number in near if number in session.tasks]
    return tuple(f"{other.plan.key}: {_on_one_line(other.plan.title)}" for other in tasks if _is_foreign(other, task))


def _is_involved(task: Task) -> bool:
    is_large = bool(task.depends_on) or len(task.plan.description) > _LONG_DESCRIPTION
    return is_large and not task.plan.resolves


def _is_foreign(other: Task, task: Task) -> bool:
    is_known = other.number == task.number or other.number in task.depends_on
    return not is_known and not other.plan.resolves and other.state not in (TaskState.REPLACED, TaskState.CANCELLED)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def brief(task: Task, setting: Setting = ALONE) -> str:
    """The prompt of the task's next run, in Markdown; shorter where the agent remembers the task."""
    plan = task.plan
    parts = [f"# {plan.title}"]
    if not setting.is_first:
        parts.append(_how_to_go_on(task))
    elif plan.description.strip():
        parts.append(plan.description.strip())
    if setting.is_first:
        parts.append(_section("Decided, and not to be decided again", setting.decisions))
        parts.append(_section("Done before by others, and here already", setting.done))
        parts += [f"## What {which} found\n\n{quoted(text)}" for which, text in setting.results]
        parts.append(_section("Other tasks of this plan, done by others: leave them alone", setting.others))
        parts.append(_section("How to work in this repository is said in", [f"`{path}`" for path in setting.rules]))
    parts.append(_why_set_aside(task))
    parts.append(_section("Acceptance criteria", plan.acceptance))
    parts.append(_section("Only change files matching", [f"`{glob}`" for glob in plan.scope]))
    parts.append(_section("These files must exist when you are done", [f"`{path}`" for path in plan.expect]))
    parts.append(_section("Checks that will be run on your work", [f"`{c.command}`" for c in checks_for(task)]))
    parts.append(_how_to_finish(task))
    if setting.may_observe and setting.is_first:
        parts.append(_HOW_TO_OBSERVE)
    if setting.needs_sentinel:
        parts.append('As your very last step, run this command: `echo done >> "$TORYO_SIGNALS"`')
    if task.feedback and setting.is_first:
        parts.append(f"## What was wrong with the previous attempt\n\n{task.feedback}")
    return "\n\n".join(part for part in parts if part) + "\n"


def _how_to_go_on(task: Task) -> str:
    if task.feedback:
        return f"This is not done yet; go on with it. About the previous attempt:\n\n{task.feedback}"
    return "You were interrupted before this was done. Look at what is there, and go on with it."


def _why_set_aside(task: Task) -> str:
    """What happened to a run that was stopped because its work would have collided."""
    aside = task.set_aside
    if aside is None:
        return ""
    story = (
        "## What happened meanwhile\n\n"
        "An earlier run of this task was stopped, through no fault of its own: what it did so far would have collided "
        "with the work of another task, which is merged by now or was given up. This folder begins from the work that "
        "is merged. "
    )
    if not is_merged_in(task):
        return f"{story}What that run did is not in it: do the task anew on top of it."
    listed = "\n".join(f"- `{path}`" for path in aside.files)
    return (
        f"{story}What that run did is being merged into it: where both changed the same places, these carry the usual "
        "conflict markers. Bring both sides together so that the intention of each is kept, remove every marker, and "
        f"go on with the task.\n\nThe files where they were foreseen to collide:\n{listed}"
    )


def is_merged_in(task: Task) -> bool:
    """Whether its earlier work is brought into the folder: a command could make nothing of conflict markers."""
    return task.set_aside is not None and not task.plan.command


def _how_to_finish(task: Task) -> str:
    if task.plan.type.is_read_only:
        return "## How to finish\n\nDo not change any file. Print your result, then exit."
    return (
        "## How to finish\n\n"
        "Work only in the current folder. Leave your changes in the working tree or commit them, then exit. "
        "Do not ask questions: nobody is there to answer. Whether the work is done is decided from the files "
        "and the checks, not from what you report."
    )


def quoted(text: str) -> str:
    """A block of text as it is, unable to end itself."""
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _section(heading: str, lines: list[str] | tuple[str, ...]) -> str:
    return f"## {heading}\n\n" + "\n".join(f"- {line}" for line in lines) if lines else ""


def commit_message(task: Task) -> str:
    """Conventional Commits, by type of task."""
    subject = " ".join(task.plan.title.split())
    trailer = f"Toryo-Task: {task.id}"
    return f"{_COMMIT_KINDS[task.plan.type]}: {subject}\n\n{trailer}\n"


def unfinished_message(task: Task) -> str:
    """Of a commit that keeps what a stopped run did."""
    return f"chore: unfinished work on {_on_one_line(task.plan.title)}\n\nToryo-Task: {task.id}\n"


def commit_kind(types: Iterable[TaskType]) -> str:
    """Of several tasks' work as one commit, in Conventional Commits."""
    kinds = {_COMMIT_KINDS[kind] for kind in types}
    return next((kind for kind in ("feat", "fix", "docs") if kind in kinds), "chore")


def merge_message(session: Session, task: Task) -> str:
    """Ends with the heads of the chains of evidence it rests on: whoever has the commit can tell them from others."""
    subject = " ".join(task.plan.title.split())
    trailers = [f"Toryo-Session: {session.id}", f"Toryo-Task: {task.id}"]
    trailers += [f"{ANCHOR}: {head}" for head in anchors_of(session, task)]
    return f"Merge {task.plan.key}: {subject}\n\n" + "\n".join(trailers) + "\n"


def anchors_of(session: Session, task: Task) -> tuple[str, ...]:
    """Where the evidence of the task stands, and that of the task whose conflict it settles."""
    tasks = [task] if task.resolves is None else [task, session.tasks[task.resolves]]
    return tuple(each.chain for each in tasks if each.chain)
