"""Where keys are looked for, and which are not trusted."""

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from toryo.adapters.keys import Key, find_key, key_file, remove_key, store_key
from toryo.domain.errors import ToryoError

VALUE = "sk-not-a-real-key-0123456789abcdef"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path)}


class _Ring(ModuleType):
    """A keyring that ships with nothing."""

    def __init__(self, *, is_locked: bool = False) -> None:
        super().__init__("keyring")
        self.is_locked = is_locked
        self.kept = {("toryo", "openai"): "from-the-keyring"}

    def get_password(self, service: str, name: str) -> str | None:
        if self.is_locked:
            raise RuntimeError("locked")
        return self.kept.get((service, name))

    def delete_password(self, service: str, name: str) -> None:
        del self.kept[service, name]


def test_the_environment_goes_before_the_file_and_the_file_before_the_keyring(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", _Ring())
    assert find_key("anthropic", environ) is None
    assert find_key("openai", environ) == Key("from-the-keyring", "keyring")
    path = store_key("openai", f" {VALUE}\n", environ)
    assert find_key("openai", environ) == Key(VALUE, str(path))
    assert find_key("openai", {**environ, "OPENAI_API_KEY": "other"}) == Key("other", "environment OPENAI_API_KEY")
    assert find_key("openai", {**environ, "OPENAI_API_KEY": "other"}, "MY_KEY") == Key(VALUE, str(path))
    assert find_key("openai", {**environ, "MY_KEY": "mine"}, "MY_KEY") == Key("mine", "environment MY_KEY")
    assert remove_key("openai", environ) == [str(path), "keyring"]
    assert find_key("openai", environ) is None


def test_a_keyring_that_does_not_work_is_none(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", _Ring(is_locked=True))
    assert find_key("openai", environ) is None
    assert remove_key("openai", environ) == []


@pytest.mark.covers("P24")
def test_a_key_is_not_in_its_own_words() -> None:
    assert VALUE not in repr(Key(VALUE, "somewhere"))


@pytest.mark.parametrize("text", ["", "  ", "two words", "line\nbreak", "日本語", "x" * 20_000])
def test_what_cannot_be_a_key_is_not_kept(environ: dict[str, str], text: str) -> None:
    with pytest.raises(ToryoError) as refused:
        store_key("openai", text, environ)
    assert refused.value.code == "E512"
    assert text.strip() == "" or text not in refused.value.message
    assert not key_file("openai", environ).exists()


@pytest.mark.covers("P24")
@pytest.mark.parametrize(("which", "mode"), [("file", 0o640), ("file", 0o604), ("folder", 0o750), ("folder", 0o702)])
def test_what_others_can_use_is_refused(environ: dict[str, str], which: str, mode: int) -> None:
    path = store_key("openai", VALUE, environ)
    (path if which == "file" else path.parent).chmod(mode)
    with pytest.raises(ToryoError) as refused:
        find_key("openai", environ)
    assert refused.value.code == "E511"
    assert "chmod" in refused.value.hint


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_what_belongs_to_somebody_else_is_refused(environ: dict[str, str]) -> None:
    path = store_key("openai", VALUE, environ)
    os.chown(path, 12345, -1)
    with pytest.raises(ToryoError, match="belongs to somebody else"):
        find_key("openai", environ)


def test_a_key_is_replaced_whole(environ: dict[str, str]) -> None:
    path = store_key("openai", VALUE, environ)
    store_key("openai", "another-key", environ)
    assert path.read_text() == "another-key\n"
    assert [each.name for each in path.parent.iterdir()] == ["openai"]
