"""Which widget shows what; those with Markdown in them are loaded when the first one is needed."""

from toryo.app.offering import Offer
from toryo.frontends.tui.agent.items import Echo, Heading, Item, Remark
from toryo.frontends.tui.agent.lines import Aside, Line, Words
from toryo.frontends.tui.agent.shown import Shown
from toryo.views.entries import Entry, Kind


def widget_for(item: Item) -> Shown:
    match item.what:
        case Entry(kind=Kind.SAID) | Echo():
            return Words(item)
        case Entry(kind=Kind.PROGRESS | Kind.DONE | Kind.TROUBLE):
            return Line(item)
        case Heading() | Remark():
            return Aside(item)
        case _:
            return _rich(item)


def _rich(item: Item) -> Shown:
    from toryo.frontends.tui.agent.asking import QuestionsCard
    from toryo.frontends.tui.agent.cards import OfferCard, SummaryCard
    from toryo.frontends.tui.agent.planned import PlanCard
    from toryo.frontends.tui.agent.saying import Said

    match item.what:
        case Offer():
            return OfferCard(item)
        case Entry(kind=Kind.QUESTIONS):
            return QuestionsCard(item)
        case Entry(kind=Kind.PLAN):
            return PlanCard(item)
        case Entry(kind=Kind.SUMMARY):
            return SummaryCard(item)
        case _:
            return Said(item)
