"""The fold: one event applied to a session. Bookkeeping with no policy in it."""

from collections.abc import Callable, Iterable
from typing import Any

from toryo.domain import events as e
from toryo.domain.changing import changed, stamped
from toryo.domain.events import UnknownEvent
from toryo.domain.evidence import CheckStatus
from toryo.domain.integration import Found, Noticed
from toryo.domain.session import MODEL, Session, SessionState
from toryo.domain.task import SETTLED, TaskState
from toryo.rules import evolve_collisions as collisions
from toryo.rules import evolve_inquiry as inquiry
from toryo.rules import evolve_integration as integration
from toryo.rules import evolve_intents as intents
from toryo.rules import evolve_landing as landing
from toryo.rules import evolve_opinions as opinions
from toryo.rules import evolve_planning as planning
from toryo.rules import evolve_runs as runs
from toryo.rules.taskbook import add_tasks, become, change_task

__all__ = ["UnknownEvent", "evolve", "fold"]


def evolve(session: Session | None, event: e.Event) -> Session:
    """The session after the event; raises IllegalMove, changing nothing, where the event cannot follow."""
    if session is None:
        if isinstance(event, e.SessionOpened):
            return _opened(event)
        raise UnknownEvent(f"{type(event).__name__} cannot be the first event of a session")
    apply = _APPLY.get(type(event))
    if apply is None:
        raise UnknownEvent(f"no rule folds {type(event).__name__}")
    evolved: Session = apply(session, event)
    rested = session.rested + max(0.0, event.at - session.updated_at) if session.rests else session.rested
    return stamped(evolved, seq=session.seq + 1, updated_at=event.at, rested=rested)


def fold(events: Iterable[e.Event], session: Session | None = None) -> Session | None:
    for event in events:
        session = evolve(session, event)
    return session


# ── the session ──────────────────────────────────────────────────────────────


def _opened(event: e.SessionOpened) -> Session:
    return Session(
        id=event.session,
        title=event.title,
        source=event.source,
        version=event.version,
        base_branch=event.base_branch,
        base_commit=event.base_commit,
        base_tree=event.base_tree,
        branch=event.branch,
        opened_at=event.at,
        updated_at=event.at,
        terms=event.terms,
        parallel=event.terms.parallel,
        budget=event.terms.budget,
        tip=event.base_commit,
        tip_tree=event.base_tree,
        planning=planning.opened(event),
        pursuit=intents.opened(event),
        sealing=event.sealing,
        seq=1,
    )


def _plan_proposed(session: Session, event: e.PlanProposed) -> Session:
    parallel = min(session.parallel, event.parallel) if event.parallel else session.parallel
    session = changed(add_tasks(session, event.tasks), checks=event.checks, parallel=parallel)
    return become(session, SessionState.AWAITING_APPROVAL, failures=0, not_before=0.0)


def _plan_rejected(session: Session, event: e.PlanRejected) -> Session:
    return become(planning.plan_rejected(session, event), SessionState.PLANNING)


def _wish_added(session: Session, event: e.WishAdded) -> Session:
    return become(planning.wish_added(session, event), SessionState.PLANNING, pause_reason="", waits_for_person=False)


def _paused(session: Session, event: e.SessionPaused) -> Session:
    return become(
        session,
        SessionState.PAUSED,
        resumes_to=landing.after_pause(session),
        pause_reason=event.reason,
        waits_for_person=event.waits_for_person,
        queued_at=None,
        turn=None,
    )


def _resumed(session: Session, _: e.SessionResumed) -> Session:
    target = session.resumes_to
    if target is SessionState.CONCLUDING:
        target = SessionState.EXECUTING
    failed = any(result.status is not CheckStatus.PASSED for result in session.proof)
    return become(
        session,
        target,
        pause_reason="",
        waits_for_person=False,
        failures=0,
        not_before=0.0,
        trouble="",
        pauses={name: pause for name, pause in session.pauses.items() if not pause.needs_person},
        outages=0,
        outage_since=0.0,
        proof_commit="" if failed else session.proof_commit,
    )


def _proven(session: Session, event: e.SessionProven) -> Session:
    passed = all(result.status is CheckStatus.PASSED for result in event.results)
    return changed(
        session,
        proof=event.results,
        proof_commit=event.commit,
        proven_tree=event.tree if passed else session.proven_tree,
        evidence=session.evidence + event.evidence,
        looks=(),
        failures=0,
        not_before=0.0,
    )


def _found_changed(session: Session, event: e.FoundChanged) -> Session:
    """What somebody put on the branch is part of it; where what we put there is gone, a person has to say more."""
    seen = Noticed(event.what, event.branch, event.tip, event.commit, event.at)
    session = changed(session, noticed=(*session.noticed, seen), failures=0, not_before=0.0)
    if event.task is not None or event.what is Found.GONE:
        return session
    if event.what is Found.AHEAD:
        return changed(session, tip=event.commit, tip_tree=event.tree)
    reason = f"{event.branch} was moved: what Toryo merged is no longer on it ('toryo inbox' says how to go on)"
    return become(session, SessionState.PAUSED, resumes_to=session.state, pause_reason=reason, waits_for_person=True)


def _pause_lifted(session: Session, event: e.PauseLifted) -> Session:
    session = runs.without_pause(session, event.credential)
    if event.credential != MODEL:
        return session
    return changed(session, lifted=session.lifted + 1, outages=0, outage_since=0.0)


def _closed(session: Session, event: e.SessionClosed) -> Session:
    if event.discarded:
        for task in list(session.tasks.values()):
            if task.state not in SETTLED:
                session = change_task(session, task, TaskState.CANCELLED)
    kept = (*session.kept_worktrees, *(one for one in event.kept if one not in session.kept_worktrees))
    over = {"outcome": event.outcome, "closed_at": event.at, "queued_at": None, "turn": None}
    return become(session, SessionState.CLOSED, kept_worktrees=kept, **over)


_APPLY: dict[type[e.Event], Callable[[Session, Any], Session]] = {
    e.PlanProposed: _plan_proposed,
    e.PlanApproved: lambda session, _: become(session, SessionState.EXECUTING),
    e.PlanEdited: planning.plan_edited,
    e.PlanRejected: _plan_rejected,
    e.WishAdded: _wish_added,
    e.RepositorySurveyed: planning.repository_surveyed,
    e.CallPostponed: planning.call_postponed,
    e.IntentAnalysed: intents.intent_analysed,
    e.IntentReleased: intents.intent_released,
    e.IntentsFiled: intents.intents_filed,
    e.QuestionsAsked: planning.questions_asked,
    e.QuestionsAnswered: planning.questions_answered,
    e.DocumentWritten: planning.document_written,
    e.TasksDrafted: planning.tasks_drafted,
    e.DraftScored: planning.draft_scored,
    e.TalkCompacted: planning.talk_compacted,
    e.PersonSaid: planning.person_said,
    e.WordsTakenIn: planning.words_taken_in,
    e.SayingConsidered: opinions.saying_considered,
    e.SessionJudged: opinions.session_judged,
    e.WorkReviewed: opinions.work_reviewed,
    e.TaskApproved: opinions.task_approved,
    e.TaskReconsidered: opinions.task_reconsidered,
    e.BudgetChanged: lambda session, event: changed(session, budget=event.budget),
    e.ParallelChanged: lambda session, event: changed(session, parallel=event.parallel),
    e.SessionPaused: _paused,
    e.SessionResumed: _resumed,
    e.AssentGiven: lambda session, event: changed(session, terms=changed(session.terms, assent=event.assent)),
    e.SessionQueued: lambda session, event: changed(session, queued_at=event.at),
    e.TurnChanged: lambda session, event: changed(session, turn=event.turn),
    e.SessionTakenUp: lambda session, _: changed(session, queued_at=None, turn=None),
    e.WorkSettled: lambda session, _: become(session, SessionState.CONCLUDING),
    e.SessionProven: _proven,
    e.MergeBisected: inquiry.merge_bisected,
    e.CulpritParked: inquiry.culprit_parked,
    e.MergesTakenBack: inquiry.merges_taken_back,
    e.SessionClosed: _closed,
    e.CollisionsForeseen: collisions.collisions_foreseen,
    e.TaskSetAside: collisions.task_set_aside,
    e.LandingBegun: landing.landing_begun,
    e.BroughtUpToDate: landing.brought_up_to_date,
    e.UpdateConflicted: landing.update_conflicted,
    e.TargetMoved: landing.target_moved,
    e.BranchPushed: landing.branch_pushed,
    e.RequestOpened: landing.request_opened,
    e.RequestSeen: landing.request_seen,
    e.Landed: landing.landed,
    e.LandingUndone: landing.landing_undone,
    e.RunPlanned: runs.run_planned,
    e.WorkspacePrepared: runs.workspace_prepared,
    e.WorkspaceRefused: runs.workspace_refused,
    e.BasesConflicted: runs.bases_conflicted,
    e.BaseChecked: runs.base_checked,
    e.RunStarted: runs.run_started,
    e.ConversationNamed: runs.conversation_named,
    e.RunWaited: runs.run_waited,
    e.RunStalled: runs.run_stalled,
    e.RunFellSilent: runs.run_fell_silent,
    e.RunWentOn: runs.run_went_on,
    e.RunExited: runs.run_exited,
    e.RunStopped: runs.run_stopped,
    e.RunLost: runs.run_lost,
    e.WorkObserved: runs.work_observed,
    e.CheckFinished: runs.check_finished,
    e.VerdictReached: runs.verdict_reached,
    e.TaskIntegrated: integration.task_integrated,
    e.MergeRefused: integration.merge_refused,
    e.FoundChanged: _found_changed,
    e.WorkHandedIn: integration.work_handed_in,
    e.WorkspaceRemoved: integration.workspace_removed,
    e.WorkspaceKept: integration.workspace_kept,
    e.TaskRetried: integration.task_retried,
    e.TaskReassigned: integration.task_reassigned,
    e.PauseLifted: _pause_lifted,
    e.TaskBlocked: integration.task_blocked,
    e.EffectFailed: integration.effect_failed,
}
