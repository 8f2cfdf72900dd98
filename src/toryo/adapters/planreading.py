"""Makes a plan of a well-shaped file: settles agents and checks, follows what refers to what."""

from collections.abc import Collection, Mapping

from toryo.adapters.located import Place, Problems, did_you_mean
from toryo.adapters.planshape import CheckForm, CheckTable, PlanShape, TaskShape
from toryo.domain.plan import Check, Limits, Plan, PlannedTask, TaskType, chosen_by_complexity
from toryo.rules.graph import separate_cycles

SHELL = "shell"
CHECK_NAME = "check"
"""What a check is called that is given as a plain command."""
MOST_SUGGESTIONS = 50
"""Looking for near misses among thousands of keys is slow, and nobody reads more of them."""
MOST_NAMES = 12


class Reading:
    """One plan file being made into a plan; what is wrong goes to `problems`."""

    def __init__(
        self,
        shape: PlanShape,
        problems: Problems,
        default_agents: Mapping[TaskType, str],
        config_checks: tuple[Check, ...],
        known_agents: Collection[str],
        by_complexity: Mapping[str, str],
    ) -> None:
        self.shape, self.problems = shape, problems
        self.default_agents, self.config_checks, self.known_agents = default_agents, config_checks, known_agents
        self.by_complexity = by_complexity
        self.plan_checks: dict[str, Check] = {}
        self.unknown_defaults: set[str] = set()

    def plan(self, stem: str) -> Plan:
        shape = self.shape
        if shape.checks is None:
            self.plan_checks = {check.name: check for check in self.config_checks}
        else:
            self.plan_checks = _checks_of(shape.checks)
        if shape.agent:
            self._is_known(shape.agent, ("agent",))
        tasks = tuple(self._task(number, task) for number, task in enumerate(shape.tasks))
        self._look_at_dependencies(self._look_at_keys())
        return Plan(_one_line(shape.title or stem), tasks, tuple(self.plan_checks.values()), shape.parallel)

    def _task(self, number: int, task: TaskShape) -> PlannedTask:
        limits, acceptance = task.limits, task.acceptance
        return PlannedTask(
            key=task.key,
            title=_one_line(task.title),
            agent=(agent := self._agent(number, task)),
            description=task.description,
            type=task.type,
            acceptance=(acceptance,) if isinstance(acceptance, str) else tuple(acceptance),
            depends_on=tuple(dict.fromkeys(task.depends_on)),
            scope=tuple(task.scope),
            expect=tuple(task.expect),
            command=task.command or "",
            checks=self._checks(number, task),
            worktree=task.worktree,
            limits=Limits(limits.files, limits.tests, limits.seconds and float(limits.seconds)),
            own_checks=_own_checks(task),
            tests_first=self._tests_first(number, task),
            may_overlap=self.shape.may_overlap if task.may_overlap is None else task.may_overlap,
            allow=tuple(task.allow),
            complexity=task.complexity,
            model=self._model(task, agent),
        )

    # ── agents ───────────────────────────────────────────────────────────────

    def _agent(self, number: int, task: TaskShape) -> str:
        place: Place = ("tasks", number)
        if self._is_wrong(number, "agent", "command"):
            return self.default_agents[task.type]
        if task.agent:
            agent, said_at = task.agent, (*place, "agent")
        elif self.shape.agent:
            agent, said_at = self.shape.agent, ("agent",)
        elif task.command:
            agent, said_at = SHELL, (*place, "command")
        else:
            chosen, _ = chosen_by_complexity(task.type, task.complexity, self.by_complexity)
            agent, said_at = chosen or self.default_agents[task.type], ()
        if self._is_known(agent, said_at):
            self._look_at_command(agent, task, (*place, "command"))
        return agent

    def _model(self, task: TaskShape, agent: str) -> str:
        """The one for its complexity, where that chose its agent."""
        is_named = task.agent or self.shape.agent or task.command
        chosen, model = chosen_by_complexity(task.type, task.complexity, self.by_complexity)
        return model if chosen == agent and not is_named else ""

    def _is_known(self, agent: str, place: Place) -> bool:
        if agent in self.known_agents:
            return True
        near = did_you_mean(agent, self.known_agents)
        known = f"(known agents: {', '.join(sorted(self.known_agents))})"
        if place:
            self.problems.add(place, f"unknown agent '{agent}'{near} {known}")
        elif agent not in self.unknown_defaults:
            self.unknown_defaults.add(agent)
            line = self.problems.document.line(())
            self.problems.add((), f"unknown agent '{agent}', from the configuration{near} {known}", line)
        return False

    def _look_at_command(self, agent: str, task: TaskShape, place: Place) -> None:
        if agent == SHELL and not task.command:
            self.problems.add(place, "required field is missing; the agent 'shell' runs it (or name another agent)")
        elif agent != SHELL and task.command:
            self.problems.add(place, f"only the agent 'shell' takes a command, not '{agent}'; add agent: shell")

    # ── checks ───────────────────────────────────────────────────────────────

    def _checks(self, number: int, task: TaskShape) -> tuple[Check, ...]:
        if task.checks is None:
            return tuple(self.plan_checks.values())
        if not isinstance(task.checks, list):
            return tuple({**self.plan_checks, **_checks_of(task.checks)}.values())
        for position, name in enumerate(task.checks):
            place = ("tasks", number, "checks", position)
            if name in task.checks[:position]:
                self.problems.add(place, f"the check '{name}' is named twice")
            elif name not in self.plan_checks and ("checks",) not in self.problems.fields:
                near = self._near(name, self.plan_checks) or "; the plan has no check of this name"
                self.problems.add(place, f"unknown check '{name}'{near}")
        return tuple(self.plan_checks[name] for name in task.checks if name in self.plan_checks)

    def _tests_first(self, number: int, task: TaskShape) -> bool:
        has_checks = bool(self.plan_checks) if task.checks is None else bool(task.checks)
        place = ("tasks", number, "tests_first")
        if task.tests_first and task.type.is_read_only:
            self.problems.add(place, f"a task of type '{task.type}' has no tests")
        elif task.tests_first and not has_checks:
            self.problems.add(place, "there is no check that could fail first; give the task or the plan one")
        return task.tests_first

    # ── tasks among each other ───────────────────────────────────────────────

    def _look_at_keys(self) -> dict[str, int]:
        """The number of each task by its key."""
        numbers: dict[str, int] = {}
        for number, task in enumerate(self.shape.tasks):
            if self._is_wrong(number, "key"):
                continue
            first = numbers.setdefault(task.key, number)
            if first != number:
                line = self.problems.document.line(("tasks", first, "key"))
                self.problems.add(("tasks", number, "key"), f"'{task.key}' is used twice; first on line {line}")
        return numbers

    def _look_at_dependencies(self, numbers: dict[str, int]) -> None:
        edges: dict[str, list[str]] = {key: [] for key in numbers}
        for number, task in enumerate(self.shape.tasks):
            for position, other in enumerate(task.depends_on):
                place = ("tasks", number, "depends_on", position)
                if other not in numbers:
                    self.problems.add(place, f"there is no task '{other}'{self._near(other, numbers)}")
                elif other == task.key:
                    self.problems.add(place, f"'{other}' depends on itself")
                elif task.key in edges:
                    edges[task.key].append(other)
        for circle in separate_cycles(edges):
            begin = ("tasks", numbers[circle[0]], "depends_on")
            self.problems.add(begin, f"circular dependency: {_round(circle)}")

    def _near(self, word: str, known: Collection[str]) -> str:
        return did_you_mean(word, known) if len(self.problems.entries) < MOST_SUGGESTIONS else ""

    def _is_wrong(self, number: int, *fields: str) -> bool:
        wrong = self.problems.fields
        return ("tasks", number) in wrong or any(("tasks", number, name) in wrong for name in fields)


def _one_line(title: str) -> str:
    """Titles stand in the middle of lines: a second line of theirs would look like one of our own."""
    return " ".join(part.strip() for part in title.splitlines() if part.strip())


def _round(circle: tuple[str, ...]) -> str:
    if len(circle) <= MOST_NAMES:
        return " → ".join(circle)
    left_out = f"… {len(circle) - MOST_NAMES:,} more …"
    return " → ".join((*circle[: MOST_NAMES - 2], left_out, *circle[-2:]))


def _own_checks(task: TaskShape) -> tuple[str, ...]:
    """Names of the checks that the task itself says, whatever holds for the plan."""
    if task.checks is None:
        return ()
    return tuple(task.checks) if isinstance(task.checks, list) else tuple(_checks_of(task.checks))


def _checks_of(form: str | CheckTable) -> dict[str, Check]:
    if isinstance(form, str):
        return {CHECK_NAME: Check(CHECK_NAME, form)}
    return {name: _check(name, details) for name, details in form.items()}


def _check(name: str, details: CheckForm) -> Check:
    if isinstance(details, str):
        return Check(name, details)
    return Check(name, **details)
