"""A conversation as one text, for programs that take only one."""

from toryo.domain.calls import Call

_OPENING = "The conversation so far, oldest message first. Write the assistant's next message, and nothing else."


def as_one_prompt(call: Call) -> str:
    """The messages; a single one as it is."""
    if len(call.messages) == 1:
        return call.messages[0].text
    parts = (f'<message from="{said.speaker}">\n{said.text}\n</message>' for said in call.messages)
    return "\n\n".join((_OPENING, *parts))
