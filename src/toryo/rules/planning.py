"""The playbook of planning: from an instruction, step by step, to a plan that a person can approve."""

from collections.abc import Iterator

from toryo.domain import effects as fx
from toryo.domain.intent import AnalysisEnd
from toryo.domain.planning import Planning
from toryo.domain.session import MODEL, Session
from toryo.rules import patience
from toryo.rules.conversing import needs_compacting
from toryo.rules.flows import documents_of

THRESHOLD = 60
"""Points below which a plan is not good enough to be approved unseen."""
TARGET = 85
"""Points from which nothing more is refined."""
MOST_DRAFTS = 5
MOST_WISHES = 3
"""How often something can be added to a session."""


def planning_steps(session: Session) -> Iterator[fx.Effect]:
    """The one next step; none where a person has to answer first."""
    planning = session.planning
    if planning is None or needs_answers(session) or needs_release(session):
        return
    if session.failures >= patience.ENOUGH:
        yield fx.HoldSession(session.seq, 0.0, session.trouble)
    elif (wall := session.pauses.get(MODEL)) and wall.needs_person:
        yield fx.HoldSession(session.seq, 0.0, wall.message, is_ours=False)
    else:
        yield _step(session, planning)


def needs_answers(session: Session) -> bool:
    return session.planning is not None and bool(session.planning.open_questions)


def needs_release(session: Session) -> bool:
    return session.pursuit is not None and session.pursuit.is_held


def _step(session: Session, planning: Planning) -> fx.Effect:
    same = (planning.round, session.lifted, session.not_before)
    if session.considered < len(session.sayings):
        return fx.TakeInWords(*same, len(session.sayings))
    if not planning.is_surveyed:
        return fx.SurveyRepository(*same)
    if needs_compacting(planning, session.terms.talk_limit):
        return fx.CompactTalk(*same)
    if not planning.is_asked:
        return fx.AnalyseIntent(*same, session.pursuit.analyses) if session.pursuit else fx.AskQuestions(*same)
    if session.pursuit and session.pursuit.analysis and session.pursuit.analysis.end is AnalysisEnd.CHILDREN:
        return fx.FileIntents(session.seq, session.not_before, session.tip)
    for document in documents_of(session.pursuit):
        if not planning.document(document):
            return fx.WriteDocument(*same, document)
    drafts = len(planning.scores)
    if planning.draft is None or (planning.score is not None and may_refine(planning)):
        return fx.DraftTasks(*same, drafts)
    if planning.score is None and not planning.draft.is_fallback and not _is_repeated(planning):
        return fx.ScoreDraft(*same, drafts)
    return fx.ProposePlan(*same)


def _is_repeated(planning: Planning) -> bool:
    """The model proposes again what was scored already."""
    return bool(planning.scores and planning.best and planning.draft and planning.draft.tasks == planning.best.tasks)


def may_refine(planning: Planning) -> bool:
    """Better than good enough is not needed, and what has stopped getting better will not."""
    if planning.draft is None or planning.draft.is_fallback:
        return False
    *before, last = planning.scores
    is_stagnant = len(before) >= 2 and last <= max(before) and before[-1] <= max(before[:-1])
    return last < TARGET and len(planning.scores) < MOST_DRAFTS and not is_stagnant


def is_good_enough(planning: Planning) -> bool:
    """Whether the plan may be approved without anybody looking at it."""
    best = planning.best_score
    return best is not None and best.points >= THRESHOLD
