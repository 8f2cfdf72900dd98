"""Questions about what depends on what, answered without recursion so that long chains are no problem."""

from collections.abc import Iterator, Mapping, Sequence

Edges = Mapping[str, Sequence[str]]


def find_cycle(edges: Edges) -> tuple[str, ...] | None:
    """One circle, closed: its first name is also its last; None if there is no circle."""
    return next(_cycles(edges), None)


def separate_cycles(edges: Edges) -> list[tuple[str, ...]]:
    """Circles that share no name with each other; empty only if there is no circle at all."""
    return list(_cycles(edges))


def _cycles(edges: Edges) -> Iterator[tuple[str, ...]]:
    """Walks depth first; an edge back onto the walked path closes a circle."""
    finished: set[str] = set()
    told: set[str] = set()
    rank = {name: place for place, name in enumerate(edges)}
    for start in edges:
        if start in finished:
            continue
        path, where, ahead = [start], {start: 0}, [iter(edges[start])]
        while path:
            for name in ahead[-1]:
                if name in where:
                    circle = path[where[name] :]
                    if told.isdisjoint(circle):
                        told.update(circle)
                        yield _closed(circle, rank)
                elif name in edges and name not in finished:
                    where[name] = len(path)
                    path.append(name)
                    ahead.append(iter(edges[name]))
                    break
            else:
                ahead.pop()
                done = path.pop()
                del where[done]
                finished.add(done)


def _closed(circle: list[str], rank: Mapping[str, int]) -> tuple[str, ...]:
    """Turned so that it begins with the name that was given first."""
    first = min(range(len(circle)), key=lambda place: rank[circle[place]])
    return (*circle[first:], *circle[:first], circle[first])
