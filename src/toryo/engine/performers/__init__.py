"""Each performer does one thing and reports one fact; this table says who does what."""

from collections.abc import Awaitable, Callable
from typing import Any

from toryo.domain import effects as fx
from toryo.domain.events import Event
from toryo.domain.session import Session
from toryo.engine.performers.checking import judge_run, observe_work, perform_check
from toryo.engine.performers.concluding import block_task, conclude, hold_session, prove_session, settle_work
from toryo.engine.performers.integrating import give_up_resolution, merge_task
from toryo.engine.performers.running import await_run, start_run, stop_run
from toryo.engine.performers.workspace import plan_run, prepare_workspace, remove_workspace
from toryo.ports import World

Performer = Callable[[World, Session, Any], Awaitable[Event]]
PERFORMERS: dict[type[fx.Effect], Performer] = {
    fx.PlanRun: plan_run,
    fx.PrepareWorkspace: prepare_workspace,
    fx.StartRun: start_run,
    fx.AwaitRun: await_run,
    fx.StopRun: stop_run,
    fx.ObserveWork: observe_work,
    fx.RunCheck: perform_check,
    fx.JudgeRun: judge_run,
    fx.MergeTask: merge_task,
    fx.GiveUpResolution: give_up_resolution,
    fx.BlockTask: block_task,
    fx.RemoveWorkspace: remove_workspace,
    fx.SettleWork: settle_work,
    fx.ProveSession: prove_session,
    fx.Conclude: conclude,
    fx.HoldSession: hold_session,
}


async def perform(world: World, session: Session, effect: fx.Effect) -> Event:
    return await PERFORMERS[type(effect)](world, session, effect)
