"""What of intents and skills waits for a person, in words."""

from toryo.domain.intent import Intent, Risk
from toryo.domain.learning import Skill
from toryo.views.inboxitems import item_lines
from toryo.views.intentinbox import Held, intent_item, skill_item

BODY = "It is done twice.\n\nIt rests on:\n\n- one thing\n- another\n- a third\n"


def test_of_a_long_text_the_first_lines_that_say_something_are_shown() -> None:
    item = intent_item(Intent("one", "Check it once", BODY, risk=Risk.LOW), None, Held("autonomy is off"))
    assert item is not None
    assert item.says.split("\n") == [
        *("Check it once", "It is done twice.", "It rests on:", "- one thing", "- another", "…"),
        "why it waits: autonomy is off",
    ]


def test_of_what_nobody_says_when_it_was_written_nothing_is_said_about_when() -> None:
    for risk, head in ((Risk.LOW, "approval, one, low risk"), (None, "approval, one")):
        item = intent_item(Intent("one", "Check it", risk=risk), None, Held("autonomy is off"))
        assert item is not None
        assert item_lines(item)[0] == head
    item = intent_item(Intent("one", "Check it", created_at=86400.0), None, Held("autonomy is off"))
    assert item is not None
    assert item_lines(item)[0].startswith("approval, one, since 1970-01-0")


def test_a_skill_is_named_so_that_commands_know_it_for_one() -> None:
    item = skill_item(Skill("both-handlers", "Look at both", "# How\n\nLook.\n", ("a", "b")), 1.0)
    assert (item.id, item.says) == ("skill:both-handlers", "Look at both\n# How\nLook.")
