"""How long to wait before our own machinery tries again, and when it has tried enough."""

ENOUGH = 5
_FIRST, _LONGEST = 0.5, 30.0


def wait_before_retry(failures: int, spread: float = 0.0) -> float:
    """Seconds to wait after this many failures in a row; `spread` in 0..1 keeps retries apart."""
    return min(_FIRST * 2.0 ** min(max(failures - 1, 0), 16), _LONGEST) * (1.0 + 0.25 * spread)
