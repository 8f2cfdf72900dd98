"""How lines of a task's pages are coloured."""

from toryo.frontends.tui.watching.linestyles import of_page


def test_what_a_check_printed_is_no_heading_however_it_is_written() -> None:
    assert (of_page("  │ OK"), of_page("EVIDENCE"), of_page("✓ TEST")) == ("quiet", "strong", "good")
