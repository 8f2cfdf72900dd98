"""Facts behave as frozen dataclasses with slots do, though they are made another way."""

import threading
from dataclasses import FrozenInstanceError, asdict, field, fields, is_dataclass, replace

import pytest

from toryo.domain.facts import fact


@fact
class Base:
    first: int
    second: str = "two"


@fact
class More(Base):
    third: list[int] = field(default_factory=list)
    hidden: str = field(default="", repr=False)


def test_a_fact_is_a_frozen_dataclass() -> None:
    made = More(1, third=[3])
    assert is_dataclass(More)
    assert [each.name for each in fields(More)] == ["first", "second", "third", "hidden"]
    assert asdict(made) == {"first": 1, "second": "two", "third": [3], "hidden": ""}
    assert replace(made, first=2) == More(2, "two", [3])
    assert made != Base(1)
    assert hash(Base(1)) == hash(Base(1, "two"))
    assert More(1).third is not More(1).third
    assert not hasattr(made, "__dict__")
    with pytest.raises(FrozenInstanceError):
        made.first = 2  # type: ignore[misc]
    with pytest.raises(TypeError):
        More()  # type: ignore[call-arg]


def test_a_fact_shows_its_fields_but_those_that_should_not_be_seen() -> None:
    assert repr(More(1, "x", [], "secret")) == "More(first=1, second='x', third=[])"


def test_a_fact_can_be_matched_by_position() -> None:
    match More(1, "x", [3]):
        case More(first, second, third):
            assert (first, second, third) == (1, "x", [3])


def test_threads_that_ask_for_the_fields_at_once_get_the_same() -> None:
    for _ in range(50):

        @fact
        class Fresh:
            one: list[int] = field(default_factory=list)
            two: int = 2

        seen: list[object] = []
        start = threading.Barrier(4)

        def ask(kind: type = Fresh, seen: list[object] = seen, start: threading.Barrier = start) -> None:
            start.wait()
            seen.append(kind())

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == [Fresh()] * 4


def test_the_first_of_a_kind_are_made_as_all_that_follow() -> None:
    @fact
    class Young(Base):
        third: list[int] = field(default_factory=list)
        fourth: int = field(default=4)

    for number in range(8):
        made = Young(number, fourth=5)
        assert made == Young(first=number, fourth=5, third=[])
        assert (made.second, made.third, made.fourth) == ("two", [], 5)
        assert made.third is not Young(number).third

    for times in range(8):

        @fact
        class Fresh:
            one: int
            two: int = 2

        for _ in range(times):
            Fresh(1)
        for wrong in (lambda kind: kind(), lambda kind: kind(1, 2, 3), lambda kind: kind(1, one=1)):
            with pytest.raises(TypeError, match="__init__"):
                wrong(Fresh)
        with pytest.raises(TypeError, match="three"):
            Fresh(1, three=3)  # type: ignore[call-arg]
