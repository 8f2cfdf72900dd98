"""`toryo spec`: a specification file by file, with a model that answers what a test prepared."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.planning_server import Answer, Endpoint, Hang, Prepared, Refuse, json_text, model_endpoint
from tests.support.repositories import Repo, until
from tests.support.terminals import on_terminal

SPEC = "# Greeting\n\n## Summary\n\nA greeting in a file, for everybody.\n"
PLAN = "# Greeting\n\n## Approach\n\nWrite the file, then look at it.\n"
QUESTIONS = {
    "title": "Greeting",
    "questions": [
        {"question": "Which file?", "why": "it decides", "options": ["hello.txt", "ja.txt"], "default": "hello.txt"},
        {"question": "Which tone?", "options": ["formal", "warm"], "default": "warm"},
    ],
}
TASKS = {
    "parallel": 2,
    "tasks": [
        {"key": "T001", "title": "Write it", "description": "Write hello.txt", "acceptance": ["it is there"]},
        {"key": "T002", "title": "Test it", "description": "A test", "depends_on": ["T001"], "agent": "evil"},
    ],
}


@pytest.fixture
def model(repo: Repo) -> Iterator[Endpoint]:
    with model_endpoint() as endpoint:
        repo.environ |= endpoint.environ("openai")
        yield endpoint


def folders(repo: Repo) -> list[Path]:
    return sorted((repo.path / "specs").iterdir()) if (repo.path / "specs").exists() else []


def a_spec(repo: Repo, **documents: str) -> Path:
    for name, text in ({"spec": SPEC} | documents).items():
        repo.write(f"specs/SPEC-0123abcd/{name}.md", text)
    return repo.path / "specs" / "SPEC-0123abcd"


# ── the whole way ────────────────────────────────────────────────────────────


@pytest.mark.covers("G7")
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_from_words_to_tasks(repo: Repo, provider: str) -> None:
    replies: list[Prepared | str] = [SPEC, json_text(QUESTIONS), PLAN, json_text(TASKS), "Nothing to find."]
    with model_endpoint(replies) as endpoint:
        repo.environ |= endpoint.environ(provider)
        done = repo.toryo("spec", "specify", "Add", "a", "greeting")
        assert done.code == 0, done
        (folder,) = folders(repo)
        assert done.out == f"specs/{folder.name}/spec.md\n"
        assert f"asking {provider}/scripted: specify" in done.err
        assert "1 model call, " in done.err
        assert (folder / "spec.md").read_text() == SPEC
        assert repo.toryo("spec", "clarify", "--yes").code == 0
        done = repo.toryo("spec", "plan", folder.name[:9])
        assert (done.code, done.out) == (0, f"specs/{folder.name}/plan.md\n"), done
        done = repo.toryo("spec", "tasks")
        assert done.code == 0, done
        assert "note: T002 has no acceptance criteria" in done.err
        assert "note: T002: 'agent' is not for the model to say; left out" in done.err
        done = repo.toryo("spec", "analyze")
        assert (done.code, done.out) == (0, "Nothing to find.\n"), done
        talks = endpoint.conversations()
        assert endpoint.left_over == []
    assert (folder / "tasks.md").read_text().startswith("# Tasks: Greeting\n\n- [ ] T001 Write it\n")
    assert sorted(path.name for path in folder.iterdir()) == ["plan.md", "spec.md", "tasks.md"]
    assert all("You are the planner of Toryo" in talk[0] for talk in talks)
    assert "Add a greeting" in talks[0][1]
    assert "Q: Which tone? → A: warm" in talks[2][1], "the plan rests on what was clarified"
    assert "Write the file" in talks[3][1]
    assert "T002 Test it" in talks[4][1]
    log = (repo.store / "calls" / f"{folder.name}.jsonl").read_text().splitlines()
    assert [json.loads(line)["question"] for line in log] == ["specify", "questions", "plan", "tasks", "analyze"]
    assert repo.git("status", "--porcelain") == "?? specs/"
    assert not (repo.store / "journal.db").exists(), "no session is needed for it"


@pytest.mark.covers("G7", "G8")
def test_the_list_it_writes_can_be_run(repo: Repo, model: Endpoint, tmp_path: Path) -> None:
    folder = a_spec(repo, plan=PLAN)
    deeds = {key: [[{"write": {"path": f"{key}.txt", "text": "hello"}}]] for key in ("T001", "T002")}
    (tmp_path / "deeds.json").write_text(json.dumps(deeds))
    repo.environ["TORYO_AGENTS_SCRIPTED_SCENARIO"] = str(tmp_path / "deeds.json")
    repo.environ["TORYO_RUN_REVIEW"] = "false"
    model.add(json_text(TASKS))
    assert repo.toryo("spec", "tasks").code == 0
    done = repo.toryo("run", "--tasks", str(folder / "tasks.md"), "--agent", "scripted", "--yes")
    assert done.code == 0, done
    assert {key: task["state"] for key, task in repo.tasks().items()} == {"T001": "integrated", "T002": "integrated"}


def test_an_instruction_from_a_file(repo: Repo, model: Endpoint) -> None:
    repo.write("wish.md", "Greet in French\n")
    model.add(SPEC)
    assert repo.toryo("spec", "specify", "wish.md", "--quiet").err == ""
    assert "Greet in French" in model.conversations()[0][1]


@pytest.mark.covers("A29")
def test_json(repo: Repo, model: Endpoint) -> None:
    a_spec(repo)
    model.add(PLAN, json_text(TASKS), "Fine.", json_text(QUESTIONS), json_text(QUESTIONS))
    kinds = []
    for args in (("plan",), ("tasks",), ("analyze",), ("clarify",), ("clarify", "--yes")):
        data = json.loads(repo.toryo("spec", *args, "--json").out)
        kinds.append(data["kind"])
        assert (data["spec"], data["calls"]) == ("SPEC-0123abcd", 1)
        assert data["usage"]["input_tokens"] > 0
        if args[0] == "clarify":
            assert [len(data[name]) for name in ("questions", "answers")] == [2, 2 if "--yes" in args else 0]
        if args == ("analyze",):
            assert data["text"] == "Fine."
    assert kinds == ["spec", "spec", "analysis", "clarification", "clarification"]


# ── clarifying ───────────────────────────────────────────────────────────────


def test_where_nobody_can_answer_the_questions_are_printed_and_nothing_is_written(repo: Repo, model: Endpoint) -> None:
    folder = a_spec(repo)
    model.add(json_text(QUESTIONS), json_text({"questions": []}))
    done = repo.toryo("spec", "clarify")
    assert done.code == 0
    assert "1. Which file?\n   it decides\n   a) hello.txt  (default)\n   b) ja.txt\n2. Which tone?" in done.out
    assert "nothing was written" in done.err
    done = repo.toryo("spec", "clarify")
    assert "nothing is unclear" in done.err
    assert (folder / "spec.md").read_text() == SPEC


@pytest.mark.covers("G7")
def test_a_person_answers_on_the_terminal(repo: Repo, model: Endpoint) -> None:
    folder = a_spec(repo)
    model.add(json_text(QUESTIONS), json_text(QUESTIONS))
    code, seen = on_terminal(repo, "spec", "clarify", answer="1b\n")
    assert code == 0, seen
    assert "Enter takes all defaults" in seen
    text = (folder / "spec.md").read_text()
    assert text.startswith(SPEC + "\n## Clarifications\n\n### Session ")
    assert text.endswith("\n\n- Q: Which file? → A: ja.txt\n- Q: Which tone? → A: warm\n")
    assert on_terminal(repo, "spec", "clarify", answer="\n")[0] == 0
    assert (folder / "spec.md").read_text() == (text + "- Q: Which file? → A: hello.txt\n- Q: Which tone? → A: warm\n")


# ── what is there already ────────────────────────────────────────────────────


def test_nothing_is_written_over_and_nothing_is_lost(repo: Repo, model: Endpoint) -> None:
    folder = a_spec(repo, plan="# my own\n", tasks="# mine\n")
    for verb in ("plan", "tasks"):
        done = repo.toryo("spec", verb)
        assert done.code == 73, done
        assert "--force" in done.err
    assert model.requests == (), "the model is not asked for what would be refused"
    model.add(PLAN)
    done = repo.toryo("spec", "plan", "--force")
    assert done.code == 0, done
    assert (folder / "plan.md").read_text() == PLAN
    (kept,) = (repo.store / "kept" / folder.name).iterdir()
    assert kept.read_text() == "# my own\n"
    assert kept.name in done.err


def test_a_file_that_appears_meanwhile_stays(repo: Repo, model: Endpoint) -> None:
    folder = a_spec(repo)
    model.add(Answer(PLAN, delay=1.0))
    process = repo.start("spec", "plan")
    until(lambda: model.requests)
    repo.write(f"specs/{folder.name}/plan.md", "# typed meanwhile\n")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 73, err
    assert (folder / "plan.md").read_text() == "# typed meanwhile\n"
    (kept,) = (repo.store / "kept" / folder.name).iterdir()
    assert kept.read_text() == PLAN, "nor is what the model wrote"
    assert "kept: " in err


@pytest.mark.parametrize(
    ("verb", "missing"), [("clarify", "spec"), ("plan", "spec"), ("tasks", "plan"), ("analyze", "plan")]
)
def test_what_is_missing_is_said(repo: Repo, model: Endpoint, verb: str, missing: str) -> None:
    folder = a_spec(repo)
    if missing == "spec":
        (folder / "spec.md").rename(folder / "other.md")
    done = repo.toryo("spec", verb)
    assert done.code == 64
    assert f"{folder.name} has no {missing}.md" in done.err
    assert "hint: " in done.err
    assert model.requests == ()


def test_without_any_specification(repo: Repo, model: Endpoint) -> None:
    done = repo.toryo("spec", "plan")
    assert done.code == 64
    assert "toryo spec specify" in done.err


# ── models that do not do as they should ─────────────────────────────────────


@pytest.mark.covers("G27")
def test_an_outage_is_waited_out(repo: Repo, model: Endpoint) -> None:
    model.add(Refuse(503, retry_after=0.2), Refuse(429, retry_after=0.2), SPEC)
    done = repo.toryo("spec", "specify", "Add a greeting")
    assert done.code == 0, done
    assert done.err.count("trying again in") == 2
    assert "3 model calls" in done.err


def test_what_only_a_person_can_change_is_not_tried_again(repo: Repo, model: Endpoint) -> None:
    model.add(Refuse(401, "bad key"))
    done = repo.toryo("spec", "specify", "Add a greeting")
    assert done.code == 69, done
    assert "(E516)" in done.err
    assert folders(repo) == []
    repo.environ["TORYO_MODEL_PROVIDER"] = "anthropic"
    done = repo.toryo("spec", "specify", "Add a greeting")
    assert (done.code, len(model.requests)) == (69, 1), done
    assert "(E510)" in done.err


@pytest.mark.covers("G10")
def test_a_useless_reply_is_sent_back_twice(repo: Repo, model: Endpoint) -> None:
    a_spec(repo, plan=PLAN)
    circle = {"tasks": [{"key": "A", "title": "A", "depends_on": ["A"]}]}
    model.add("no", json_text(circle), json_text(TASKS))
    assert repo.toryo("spec", "tasks").code == 0
    assert "circular dependency" in model.conversations()[2][-1]
    model.add("no", "no", "no")
    done = repo.toryo("spec", "tasks", "--force")
    assert done.code == 1
    assert "(E517)" in done.err
    assert "T001" in (repo.path / "specs" / "SPEC-0123abcd" / "tasks.md").read_text()


def test_an_interrupt_leaves_nothing_behind(repo: Repo, model: Endpoint) -> None:
    model.add(Hang(60, after="# Half a specification\n"))
    process = repo.start("spec", "specify", "Add a greeting")
    until(lambda: model.requests)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert folders(repo) == []
    assert repo.git("status", "--porcelain") == ""


def test_the_reply_is_seen_as_it_comes(repo: Repo, model: Endpoint) -> None:
    model.add(Answer(SPEC, delay=0.5))
    code, seen = on_terminal(repo, "spec", "specify", "Add a greeting")
    assert code == 0, seen
    assert "asking openai/scripted: specify" in seen
    assert "asking the model: specify" in seen


@pytest.mark.covers("G7")
def test_the_projects_own_prompt_is_used(repo: Repo, model: Endpoint) -> None:
    repo.write(".toryo/prompts/specify.md", "MINE {{instruction}}\n")
    model.add(SPEC)
    assert repo.toryo("spec", "specify", "Greet me").code == 0
    assert model.conversations()[0][1] == "MINE Greet me\n"


@pytest.mark.covers("P19")
def test_an_instruction_that_says_nothing_costs_nothing(repo: Repo, model: Endpoint) -> None:
    done = repo.toryo("spec", "specify", "fix it")
    assert done.code == 64
    assert "Which feature or place should be fixed?" in done.err
    assert model.requests == ()
