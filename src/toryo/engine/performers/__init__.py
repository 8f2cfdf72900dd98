"""Each performer does one thing and reports one fact; this table says who does what.

A performer's module is loaded when it is first needed. What comes after an agent is loaded while the first one works.
"""

import threading
from collections.abc import Awaitable, Callable
from functools import cache
from importlib import import_module
from typing import Any, cast

from toryo.domain import effects as fx
from toryo.domain.events import Event
from toryo.domain.session import Session
from toryo.ports import World

Performer = Callable[[World, Session, Any], Awaitable[Event]]
PERFORMERS: dict[type[fx.Effect], str] = {
    fx.PlanRun: "workspace.plan_run",
    fx.PrepareWorkspace: "workspace.prepare_workspace",
    fx.StartRun: "running.start_run",
    fx.AwaitRun: "awaiting.await_run",
    fx.StopRun: "awaiting.stop_run",
    fx.SetTaskAside: "awaiting.set_task_aside",
    fx.ForeseeCollisions: "foreseeing.foresee_collisions",
    fx.ObserveWork: "checking.observe_work",
    fx.RunCheck: "checking.perform_check",
    fx.CheckBase: "checking.check_base",
    fx.JudgeRun: "checking.judge_run",
    fx.MergeTask: "integrating.merge_task",
    fx.GiveUpResolution: "integrating.give_up_resolution",
    fx.BlockTask: "concluding.block_task",
    fx.RemoveWorkspace: "workspace.remove_workspace",
    fx.SettleWork: "concluding.settle_work",
    fx.ProveSession: "concluding.prove_session",
    fx.BisectMerges: "bisecting.bisect_merges",
    fx.ParkCulprit: "bisecting.park_culprit",
    fx.TakeBackMerges: "bisecting.take_back_merges",
    fx.Conclude: "concluding.conclude",
    fx.BringUpToDate: "landing.bring_up_to_date",
    fx.LandOnTarget: "landing.land_on_target",
    fx.HandBack: "landing.hand_back",
    fx.PushBranch: "requesting.push_branch",
    fx.OpenRequest: "requesting.open_request",
    fx.FinishLanding: "landing.finish_landing",
    fx.HoldSession: "concluding.hold_session",
    fx.PauseAtBudget: "concluding.pause_at_budget",
    fx.SurveyRepository: "planning.survey_repository",
    fx.AnalyseIntent: "intents.analyse_intent",
    fx.FileIntents: "intents.file_intents",
    fx.AskQuestions: "planning.ask_questions",
    fx.WriteDocument: "planning.write_document",
    fx.DraftTasks: "planning.draft_tasks",
    fx.ScoreDraft: "planning.score_draft",
    fx.ProposePlan: "planning.propose_plan",
    fx.CompactTalk: "planning.compact_talk",
    fx.TakeInWords: "planning.take_in_words",
    fx.ReviewWork: "reviewing.review_work",
    fx.ReconsiderTask: "reviewing.reconsider_task",
    fx.ConsiderSaying: "reviewing.consider_saying",
    fx.JudgeSession: "reviewing.judge_session",
}


async def perform(world: World, session: Session, effect: fx.Effect) -> Event:
    if isinstance(effect, fx.AwaitRun):
        _load_the_rest(asks_a_model=world.desk is not None)
    return await _load(PERFORMERS[type(effect)])(world, session, effect)


@cache
def _load(performer: str) -> Performer:
    module, _, name = performer.partition(".")
    return cast(Performer, getattr(import_module(f"{__name__}.{module}"), name))


@cache
def _load_the_rest(*, asks_a_model: bool) -> None:
    asked = [name for name in PERFORMERS.values() if asks_a_model or not name.startswith(_ASKING)]
    needed = [name for name in asked if not name.startswith(_AT_THE_END)]
    # An agent's program needs all there is of the processor while it starts.
    loading = threading.Timer(_WHILE_AGENTS_START, lambda: [*map(_load, needed), *map(import_module, _ALSO)])
    loading.daemon = True
    loading.start()


_ASKING = ("planning.", "reviewing.", "intents.")
_ALSO = ("toryo.rules.speculation",)
"""Loaded where it is used, since nobody needs it before an agent has spoken."""
_AT_THE_END = ("landing.", "requesting.")
"""Not all sessions come to need them, and those have time then."""
_WHILE_AGENTS_START = 0.4
