"""What says too little is asked about before anything starts; what says enough is never asked about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.planning import Question
from toryo.rules.clarity import unclear

CREATE_JA = "対象のファイル名またはパスを指定してください。"
FIX_JA = "どの機能/箇所を修正しますか？（例: コマンド名、エラー文、対象ファイル）"
CREATE_EN = "Which file name or path is this about?"
FIX_EN = "Which feature or place should be fixed? (for example a command, an error message, a file)"


@pytest.mark.covers("P19", "P63", "B11")
@pytest.mark.parametrize(
    ("instruction", "question"),
    [
        ("fix it", FIX_EN),
        ("Fix it.", FIX_EN),
        ("Fix the bug please", FIX_EN),
        ("Fix the bug!", FIX_EN),
        ("please fix this:", FIX_EN),
        ("can you fix the error?", FIX_EN),
        ("change something", FIX_EN),
        ("Improve the code", FIX_EN),
        ("fix it 🙂", FIX_EN),
        ("  FIX   THEM  \n", FIX_EN),
        ("add a file", CREATE_EN),
        ("Create something.", CREATE_EN),
        ("make it", CREATE_EN),
        ("update the file...", CREATE_EN),
        ("修正して", FIX_JA),
        ("修正してください。", FIX_JA),
        ("バグを直して", FIX_JA),
        ("バグを修正してほしい！", FIX_JA),
        ("これを直してください？", FIX_JA),
        ("エラーを修正お願いします", FIX_JA),
        ("ファイルを作成して", CREATE_JA),
        ("新しいファイルを追加してください", CREATE_JA),
        ("何か作って", CREATE_JA),
        ("fix バグ", FIX_JA),
    ],
)
def test_what_is_too_little_gets_one_fixed_question(instruction: str, question: str) -> None:
    assert unclear(instruction) == Question(question), "without a default: somebody has to answer it"


@pytest.mark.covers("P19")
@pytest.mark.parametrize(
    "instruction",
    [
        "fix the login timeout",
        "Fix bug #12",
        "fix main.py",
        "fix src/a",
        "add a --json flag to export",
        "Add tests",
        "make the button blue",
        "READMEを修正して",
        "ログイン画面を追加して",
        "エラー文「接続できません」を修正して",
        "設定を直して",
        "日本語の挨拶を追加",
        "Explain how the export works",
        "Refactor it",
        "説明して",
        "исправь вход: fix",
        "x",
        "",
    ],
)
def test_what_says_enough_is_never_asked_about(instruction: str) -> None:
    assert unclear(instruction) is None


@pytest.mark.covers("P63")
@given(st.text())
def test_any_text_is_clear_or_gets_one_of_four_questions(text: str) -> None:
    question = unclear(text)
    assert question is None or question.text in (CREATE_JA, FIX_JA, CREATE_EN, FIX_EN)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz_/.", min_size=8))
def test_whatever_has_a_name_is_clear(name: str) -> None:
    if name.strip("./"):
        assert unclear(f"fix zz{name}") is None
