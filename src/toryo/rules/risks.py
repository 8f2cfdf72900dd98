"""What something counts as where several have judged it: the higher risk."""

from toryo.domain.intent import Pursuit, Risk

_RANK = {risk: place for place, risk in enumerate(Risk)}


def higher(*said: Risk | None) -> Risk | None:
    """None: nobody has judged it."""
    return max((risk for risk in said if risk), key=_RANK.__getitem__, default=None)


def risk_of(pursuit: Pursuit | None) -> Risk | None:
    """Of what a session works on, as a person and a model see it."""
    if pursuit is None:
        return None
    return higher(pursuit.risk, pursuit.analysis.risk if pursuit.analysis else None)
