"""The line that is typed: how it looks, and what its keys do."""

import asyncio
from collections.abc import Callable

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, has_focus, is_searching
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.styles import Style

from toryo.frontends.repl.completing import offers_commands
from toryo.views.columns import clipped, width

PROMPT = "toryo> "
_ROOM_FOR_MENU = 6
_BETWEEN = " · "
_TRIES, _BETWEEN_TRIES = 10, 0.03
_STYLE = Style.from_dict({"prompt": "bold", "continuation": "ansibrightblack", "auto-suggestion": "ansibrightblack"})

Bar = Callable[[], list[str]]


def prompt_session(
    history: History, completer: Completer, bar: Bar, interrupt: Callable[[], None], end: Callable[[], None]
) -> PromptSession[str]:
    """`interrupt` and `end` are what Ctrl-C and Ctrl-D do on an empty line."""
    return PromptSession(
        [("class:prompt", PROMPT)],
        history=history,
        completer=completer,
        complete_in_thread=True,
        complete_while_typing=Condition(lambda: offers_commands(get_app().current_buffer.document.text_before_cursor)),
        auto_suggest=AutoSuggestFromHistory(),
        multiline=True,
        prompt_continuation=_continuation,
        key_bindings=_keys(interrupt, end),
        bottom_toolbar=lambda: _bar(bar()),
        reserve_space_for_menu=_ROOM_FOR_MENU,
        enable_suspend=True,
        style=_STYLE,
    )


def _continuation(_width: int, _line: int, wraps: int) -> StyleAndTextTuples:
    """Before every line but the first; a line that is too long for the screen just goes on."""
    return [] if wraps else [("class:continuation", "   ... ")]


def _bar(words: list[str]) -> StyleAndTextTuples:
    """As much as there is room for."""
    room = get_app().output.get_size().columns - 2
    shown = words[0] if words else ""
    for word in words[1:]:
        if width(shown + _BETWEEN + word) > room:
            break
        shown += _BETWEEN + word
    return [("", f" {clipped(shown, room)} ")]


def _keys(interrupt: Callable[[], None], end: Callable[[], None]) -> KeyBindings:
    keys = KeyBindings()
    is_typing = has_focus(DEFAULT_BUFFER) & ~is_searching
    is_empty = Condition(lambda: not get_app().current_buffer.text)

    @keys.add("enter", filter=is_typing)
    def _(event: KeyPressEvent) -> None:
        send_or_go_on(event.current_buffer)

    @keys.add("escape", "enter", filter=is_typing)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    @keys.add("tab", filter=is_typing)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state and buffer.complete_state.completions:
            buffer.complete_next()
        else:
            event.app.create_background_task(_complete(buffer))

    @keys.add("c-c", filter=is_typing)
    @keys.add("<sigint>", filter=is_typing)
    def _(event: KeyPressEvent) -> None:
        clear_or(interrupt, event.current_buffer)

    @keys.add("c-d", filter=is_typing & is_empty)
    def _(_: KeyPressEvent) -> None:
        end()

    return keys


async def _complete(buffer: Buffer) -> None:
    """Also where what was typed a moment ago is still being completed: the editor passes over a second request."""
    typed = buffer.document
    for _ in range(_TRIES):
        buffer.start_completion(insert_common_part=True)
        await asyncio.sleep(_BETWEEN_TRIES)
        if buffer.document != typed or buffer.complete_state is not None:
            return


def send_or_go_on(buffer: Buffer) -> None:
    """Sends what is typed; where it ends in a backslash, another line begins instead."""
    text = buffer.text
    if buffer.document.is_cursor_at_the_end and (len(text) - len(text.rstrip("\\"))) % 2:
        buffer.delete_before_cursor()
        buffer.newline(copy_margin=False)
    else:
        buffer.validate_and_handle()


def clear_or(interrupt: Callable[[], None], buffer: Buffer) -> None:
    if buffer.text:
        buffer.reset()
    else:
        interrupt()
