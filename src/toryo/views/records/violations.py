"""A limit that was gone beyond, as a record."""

from typing import TYPE_CHECKING

from toryo.domain.limits import LimitViolation
from toryo.views.records.times import moment

if TYPE_CHECKING:
    from toryo.views.records import shapes


def violation_record(violation: LimitViolation) -> "shapes.LimitViolation":
    return {
        "limit_type": violation.limit,
        "limit_value": violation.allowed,
        "actual_value": violation.actual,
        "timestamp": moment(violation.at),
        "resolution_required": violation.needs_resolution,
    }
