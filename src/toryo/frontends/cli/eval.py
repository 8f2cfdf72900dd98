"""`toryo eval`: whether the model still replies to Toryo's prompts as it should."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from toryo.domain.errors import Exit, ToryoError
from toryo.frontends.cli.talking import here, json_option, quiet_option, room, say, show, show_json
from toryo.views.rows import envelope

if TYPE_CHECKING:
    from toryo.app.evaluating import Evaluation
    from toryo.domain.evals import EvalCase, EvalResult

_MOST_TIMES = 100


@click.command(epilog="Example: toryo eval review --times 5")
@click.argument("wanted", nargs=-1, metavar="[CASE | PATTERN | PROMPT]...")
@click.option("--times", type=click.IntRange(1, _MOST_TIMES), default=1, show_default=True, help="Ask each so often.")
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Take the cases of this file instead; may be given more than once.",
)
@click.option("--list", "only_list", is_flag=True, help="Show the cases, and ask nothing.")
@json_option
@quiet_option
def command(
    wanted: tuple[str, ...], times: int, files: tuple[Path, ...], only_list: bool, as_json: bool, quiet: bool
) -> None:
    """Ask the model what fixtures say, and compare its replies with what they expect.

    Cases are in .toryo/evals/*.yaml, and some ship with Toryo. Each is asked as in real work: with the templates, the
    model and the reader that hold here. Ends with 2 if a reply is not as expected.
    """
    from toryo.app.evaluating import Evaluation, chosen_cases
    from toryo.frontends.cli.listening import listening, not_listening

    cases = chosen_cases(here(), wanted, files)
    if only_list:
        _list(cases, as_json=as_json)
        return
    evaluation = Evaluation(here(), cases, times, not_listening if quiet else listening)
    evaluation.refuse_if_unusable()
    raise SystemExit(_go_through(evaluation, as_json=as_json, quiet=quiet))


def _go_through(evaluation: "Evaluation", *, as_json: bool, quiet: bool) -> int:
    """The exit code; whatever ends it early, what is finished is shown."""
    from toryo.views.columns import width
    from toryo.views.evals import result_lines

    cells = max(width(case.name) for case in evaluation.cases)
    done: list[EvalResult] = []
    try:
        for result in evaluation.results():
            done.append(result)
            for line in [] if as_json else result_lines(result, cells):
                show(line)
    except (KeyboardInterrupt, ToryoError) as cut:
        _conclude(evaluation, done, as_json=as_json, interrupted=True)
        if isinstance(cut, ToryoError):
            raise
        if not quiet:
            say("interrupted; what was finished is remembered")
        return Exit.INTERRUPTED
    _conclude(evaluation, done, as_json=as_json, interrupted=False)
    return Exit.COMPLETE if all(result.is_passed for result in done) else Exit.NOT_COMPLETE


def _conclude(evaluation: "Evaluation", done: "list[EvalResult]", *, as_json: bool, interrupted: bool) -> None:
    from toryo.views.evals import eval_data, summary_line

    if as_json:
        show_json(envelope("eval", eval_data(done, evaluation.cases, evaluation.calls, interrupted=interrupted)))
    else:
        show(summary_line(done, evaluation.calls, len(evaluation.cases) - len(done)))


def _list(cases: "list[EvalCase]", *, as_json: bool) -> None:
    from toryo.app.evaluating import past_results, role_of
    from toryo.views.columns import columns
    from toryo.views.evals import case_cells, case_row

    if as_json:
        past = past_results(here())
        show_json(envelope("evals", {"cases": [case_row(case, role_of(case), past) for case in cases]}))
        return
    rows = [case_cells(case, role_of(case)) for case in cases]
    for line in columns(rows, ("NAME", "PROMPT", "ROLE", "WHERE", "ABOUT"), room()):
        show(line)
