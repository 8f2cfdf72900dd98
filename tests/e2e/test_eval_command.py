"""`toryo eval`: cases are asked of a model that answers what a test prepared."""

import json
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.answers import assert_answer
from tests.support.evals import GOOD_REPLIES
from tests.support.planning_server import Answer, Endpoint, Hang, Refuse, json_text, model_endpoint
from tests.support.repositories import Repo, until

pytestmark = pytest.mark.covers("F19")
OWN = """\
cases:
  - name: risk-of-words
    prompt: intent
    repository: A shop in Python.
    places: {intent: Correct a word in the README}
    expect:
      risk: low
      type: {one_of: [docs, fix]}
  - name: rejects
    prompt: review
    corrections: 0
    places: {task: Write it, changes: nothing}
    acceptance: [it is there, it is tested]
    expect: {opinion: rejected, missing: {at_least: 1}, reply: {lacks: banana}}
"""
LOW = {"end": "tasks", "type": "docs", "risk": "low"}
HIGH = {**LOW, "risk": "high"}
REJECTED = {"opinion": "rejected", "reason": "no test", "missing": ["it is tested"]}


@pytest.fixture
def model(repo: Repo) -> Iterator[Endpoint]:
    repo.write(".toryo/evals/own.yaml", OWN)
    with model_endpoint() as endpoint:
        repo.environ |= endpoint.environ("openai")
        yield endpoint


def evaluated(repo: Repo, *args: str, code: int = 0) -> dict[str, Any]:
    done = repo.toryo("eval", *args, "--json")
    assert done.code == code, done
    data: dict[str, Any] = json.loads(done.out)
    assert_answer("eval --list" if "--list" in args else "eval", data)
    return data


# ── asking ───────────────────────────────────────────────────────────────────


def test_everything_that_ships_is_passed_by_a_model_that_does_as_it_should(repo: Repo) -> None:
    listed = repo.toryo("eval", "--list", "--json")
    names = [row["name"] for row in json.loads(listed.out)["cases"]]
    assert {*names} == {*GOOD_REPLIES}
    with model_endpoint([GOOD_REPLIES[name] for name in names]) as endpoint:
        repo.environ |= endpoint.environ("anthropic")
        done = repo.toryo("eval")
        assert done.code == 0, done
        assert endpoint.left_over == []
        talks = endpoint.conversations()
    lines = done.out.splitlines()
    assert [line.split()[:3] for line in lines[:-1]] == [["ok", name, "1/1"] for name in names]
    assert lines[-1].startswith(f"{len(names)} of {len(names)} cases passed, {len(names)} model calls, ")
    assert f"1/{len(names)} {names[0]}: asking anthropic/scripted: intent …" in done.err
    assert all(talk[0].startswith("You are the planner of Toryo") for talk in talks)
    assert all("{{" not in talk[1] for talk in talks), "every place is filled"
    assert repo.git("status", "--porcelain") == ""
    assert not (repo.store / "journal.db").exists()


def test_a_reply_that_is_not_as_expected(repo: Repo, model: Endpoint) -> None:
    model.add(json_text(HIGH), json_text({**REJECTED, "issues": ["x" * 300 + " a Banana"]}))
    done = repo.toryo("eval", "risk-of-words", "rejects", "--quiet")
    assert (done.code, done.err) == (2, ""), done
    first, why, second, also, summary = done.out.splitlines()
    assert first.startswith("FAIL  risk-of-words  0/1")
    assert why == "      expected risk is low; came high"
    assert second.startswith("FAIL  rejects        0/1")
    assert also.startswith("      expected reply does not contain banana; came …xxx")
    assert also.endswith('xxx a Banana"]}'), "what is shown is where it stands"
    assert summary.startswith("0 of 2 cases passed, 2 model calls, ")
    system, asked = model.conversations()[0]
    assert "A shop in Python." in system
    assert "Correct a word in the README" in asked
    assert "1. it is there\n2. it is tested" in model.conversations()[1][1]
    log = (repo.store / "calls" / "eval.jsonl").read_text().splitlines()
    assert [json.loads(line)["question"] for line in log] == ["intent", "review"]


def test_asked_several_times_and_compared_with_the_last_time(repo: Repo, model: Endpoint) -> None:
    model.add(*[json_text(LOW)] * 3)
    data = evaluated(repo, "risk-of-words", "--times", "3")
    (row,) = data["cases"]
    assert (row["ok"], row["passed"], row["times"], row["before"]) == (True, 3, 3, None)
    assert (data["passed"], data["failed"], data["rate"], data["calls"]) == (1, 0, 1.0, 3)
    assert data["usage"]["input_tokens"] > 0
    assert (row["model"], row["path"], row["line"]) == ("openai/scripted", ".toryo/evals/own.yaml", 2)
    model.add(json_text(LOW), *[json_text(HIGH)] * 2)
    done = repo.toryo("eval", "risk-of-words", "--times", "3")
    assert done.code == 2
    assert "1/3" in done.out.splitlines()[0]
    assert done.out.splitlines()[0].endswith("(was 3/3)")
    assert done.out.splitlines()[1] == "      2 of 3: expected risk is low; came high"
    assert "0 of 1 case passed (1 of 3 replies, 33 %), 3 model calls" in done.out
    repo.write(".toryo/prompts/intent.md", "MINE {{intent}} {{types}}\n")
    model.add(json_text(LOW))
    (row,) = evaluated(repo, "risk-of-words")["cases"]
    assert model.conversations()[-1][1].startswith("MINE Correct a word in the README feature, ")
    assert (row["before"]["passed"], row["before"]["same_question"]) == (1, False)


def test_a_correction_counts_only_where_the_case_says_so(repo: Repo, model: Endpoint) -> None:
    model.add("no", json_text(LOW), "no", json_text(REJECTED))
    risk, rejects = evaluated(repo, "risk-of-words", "rejects", code=2)["cases"]
    assert (risk["ok"], risk["tries"][0]["corrections"], risk["tries"][0]["calls"]) == (True, 1, 2)
    assert rejects["tries"][0]["misses"] == [
        {"field": "corrections", "expected": "corrections: at most 0", "came": "1"}
    ]


def test_what_never_becomes_usable_fails_and_the_next_is_asked(repo: Repo, model: Endpoint) -> None:
    model.add("no", "no", "\x1b[31mno", json_text(REJECTED))
    done = repo.toryo("eval", "risk-of-words", "rejects")
    assert done.code == 2, done
    assert "expected a reply that can be used; came there is no JSON object in the reply" in done.out
    assert "ok    rejects" in done.out
    assert "\x1b" not in done.out + done.err


def test_secrets_reach_neither_the_model_nor_the_screen(repo: Repo, model: Endpoint) -> None:
    key = "sk-ant-api03-" + "a" * 93
    repo.write(".toryo/evals/own.yaml", OWN.replace("Correct a word", f"Use {key}").replace("risk: low", "why: x"))
    model.add(json_text({**LOW, "why": key}))
    done = repo.toryo("eval", "risk-of-words")
    assert done.code == 2, done
    assert "MASKED" in done.out
    assert key not in done.out + done.err + json.dumps(model.bodies) + (repo.store / "calls" / "eval.jsonl").read_text()


# ── ends ─────────────────────────────────────────────────────────────────────


def test_without_a_model_nothing_is_asked(repo: Repo) -> None:
    done = repo.toryo("eval", "review")
    assert done.code == 69, done
    assert "(E510)" in done.err
    assert done.out == ""


def test_a_model_that_does_not_answer_ends_it_with_what_is_finished(repo: Repo, model: Endpoint) -> None:
    model.add(json_text(LOW), Refuse(401, "bad key"))
    done = repo.toryo("eval", "risk-of-words", "rejects")
    assert done.code == 69, done
    assert "(E516)" in done.err
    assert done.out.splitlines()[0].startswith("ok    risk-of-words  1/1")
    assert "1 of 1 case passed, 1 not asked to the end, 2 model calls" in done.out


def test_an_interrupt_shows_what_is_finished_and_remembers_it(repo: Repo, model: Endpoint) -> None:
    model.add(json_text(LOW), Hang(60, after="{"))
    process = repo.start("eval", "risk-of-words", "rejects", "--json")
    until(lambda: len(model.requests) == 2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    data = json.loads(out)
    assert_answer("eval", data)
    assert [row["name"] for row in data["cases"]] == ["risk-of-words"]
    assert (data["unasked"], data["interrupted"]) == (["rejects"], True)
    before = {row["name"]: row["before"] for row in evaluated(repo, "--list")["cases"]}
    assert before["risk-of-words"]["passed"] == 1
    assert before["rejects"] is None


def test_an_outage_is_waited_out(repo: Repo, model: Endpoint) -> None:
    model.add(Refuse(503, retry_after=0.2), Answer(json.dumps(LOW)))
    data = evaluated(repo, "risk-of-words")
    assert (data["passed"], data["calls"], data["cases"][0]["model"]) == (1, 2, "openai/scripted")
    assert data["cases"][0]["tries"][0]["corrections"] == 0, "an outage is no fault of a reply"


# ── choosing ─────────────────────────────────────────────────────────────────


def test_cases_are_chosen_by_name_pattern_prompt_or_file(repo: Repo, model: Endpoint) -> None:
    def chosen(*args: str) -> list[str]:
        return [row["name"] for row in evaluated(repo, *args, "--list")["cases"]]

    assert chosen()[:2] == ["risk-of-words", "rejects"], "the project's own come first"
    assert chosen("review") == ["rejects", *(name for name in GOOD_REPLIES if name.startswith("review-"))]
    assert chosen("re*s", "risk-of-words") == ["risk-of-words", "rejects"]
    path = repo.write("elsewhere/a.yaml", OWN.replace("rejects", "refuses"))
    assert chosen("--file", str(path)) == ["risk-of-words", "refuses"]
    assert chosen("--file", "elsewhere/a.yaml", "refuses") == ["refuses"]
    done = repo.toryo("eval", "--list", "rejects")
    assert done.out.splitlines()[1].split() == ["rejects", "review", "review", ".toryo/evals/own.yaml:9"]
    assert model.requests == ()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("rejcts",), "did you mean 'rejects'?"),
        (("zzz",), "toryo eval --list"),
        (("--file", "none.yaml"), "(E149)"),
        (("--times", "0"), "(E100)"),
        (("--times", "many"), "(E100)"),
    ],
)
def test_wrong_usage_asks_nothing(repo: Repo, model: Endpoint, args: tuple[str, ...], said: str) -> None:
    done = repo.toryo("eval", *args)
    assert (done.code, done.out) == (64, ""), done
    assert said in done.err
    assert model.requests == ()


def test_a_broken_file_is_named_with_its_lines_and_nothing_is_asked(repo: Repo, model: Endpoint) -> None:
    repo.write(".toryo/evals/own.yaml", OWN.replace("risk: low", "rsik: low").replace("rejected", "refused"))
    done = repo.toryo("eval")
    assert done.code == 64, done
    first, second, error, hint = done.err.splitlines()
    assert first.startswith(".toryo/evals/own.yaml:7: cases[0].expect.rsik: ")
    assert first.endswith("did you mean 'risk'?")
    assert second.startswith(".toryo/evals/own.yaml:14: cases[1].expect.opinion: can never be 'refused'")
    assert error.startswith("error: .toryo/evals/own.yaml has 2 problems (E148)")
    assert hint.startswith("hint: ")
    assert model.requests == ()


def test_a_template_of_ones_own_that_cannot_be_used_is_refused_before_anything_is_asked(
    repo: Repo, model: Endpoint
) -> None:
    repo.write(".toryo/prompts/review.md", "{{nothing}}\n")
    done = repo.toryo("eval", "risk-of-words", "rejects")
    assert (done.code, model.requests) == (64, ()), done
    assert "(E146)" in done.err
