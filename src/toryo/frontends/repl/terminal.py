"""At a terminal: a line that can be edited while work goes on and answers come in above it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from prompt_toolkit import PromptSession
from prompt_toolkit.patch_stdout import patch_stdout

from toryo.domain.errors import Exit
from toryo.frontends.repl.conversation import Conversation, Leave


async def converse(conversation: Conversation) -> int:
    session: PromptSession[str] = PromptSession()
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1, "repl") as answering, patch_stdout(raw=True):
        while True:
            try:
                line = await session.prompt_async("toryo> ")
                await loop.run_in_executor(answering, conversation.answer, line)
            except KeyboardInterrupt:
                continue
            except EOFError:
                if conversation.config.exit_on_eof:
                    return Exit.COMPLETE
            except Leave:
                return Exit.COMPLETE
