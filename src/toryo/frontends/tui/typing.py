"""Where something is typed, keys do what they do in the order in which they were pressed."""

from textual import events
from textual.widget import Widget
from textual.widgets import Input


async def done_at_once(widget: Widget, event: events.Key) -> bool:
    """Whether it was one of the widget's own keys; else a letter, or for somebody else.

    Textual takes letters as they come, but asks for bindings only once everybody above has passed the key on. What
    comes at once, as over a slow line, would be in another order by then: the letters, and then what deletes some.
    """
    for binding in widget._bindings.key_to_bindings.get(event.key, ()):
        if await widget.app.run_action(binding.action, widget):
            event.stop()
            event.prevent_default()
            return True
    return False


class TypedLine(Input):
    """One line that is typed."""

    async def _on_key(self, event: events.Key) -> None:
        await done_at_once(self, event)

    def _on_paste(self, event: events.Paste) -> None:
        """All of it: several lines become one, and none of them is lost."""
        event.stop()
        event.prevent_default()
        lines = (line.strip() for line in event.text.splitlines())
        self.replace(" ".join(line for line in lines if line), *self.selection)
