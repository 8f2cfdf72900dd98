"""Switches whose state is seen without colour."""

from textual.widgets import Checkbox, RadioButton


class Choice(RadioButton):
    """One of several: filled where it is the one."""

    BUTTON_INNER = " "

    def watch_value(self) -> None:
        self.BUTTON_INNER = "●" if self.value else " "
        super().watch_value()


class Tick(Checkbox):
    """Yes or no: crossed where it is yes."""

    BUTTON_INNER = " "

    def watch_value(self) -> None:
        self.BUTTON_INNER = "X" if self.value else " "
        super().watch_value()
