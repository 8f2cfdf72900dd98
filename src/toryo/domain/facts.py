"""Frozen values: equal if their fields are."""

from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from inspect import get_annotations
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def fact(cls: type[T]) -> type[T]:
    """A frozen dataclass with slots, made in a fraction of the time.

    There are more than a hundred of them, and compiling half a dozen methods for each is felt at every start. So what
    does not depend on the class is shared, and its `__init__` is compiled when the first of its kind is made. All
    fields count when two are compared.
    """
    cls.__doc__ = cls.__doc__ or cls.__name__  # else dataclass() works out a signature to put there
    # Nothing of this compiles anything; it finds the fields.
    made = _with_slots(dataclass(init=False, repr=False, eq=False)(cls))
    made.__init__ = _first_init
    made.__setattr__, made.__delattr__ = _refuse, _refuse
    made.__eq__, made.__hash__, made.__repr__ = _eq, _hash, cls.__dict__.get("__repr__", _repr)
    return made  # type: ignore[no-any-return]


def _with_slots(cls: Any) -> Any:
    """The class again, with slots in place of its fields' defaults."""
    content = dict(cls.__dict__)
    own = tuple(name for name in get_annotations(cls) if name in cls.__dataclass_fields__)
    for name in (*own, "__dict__", "__weakref__"):
        content.pop(name, None)
    return type(cls)(cls.__name__, cls.__bases__, {**content, "__slots__": own, "__qualname__": cls.__qualname__})


def _first_init(self: Any, *args: Any, **kwargs: Any) -> None:
    compile_init(type(self))
    self.__init__(*args, **kwargs)


def compile_init(kind: Any) -> None:
    """What the first of its kind does; for whoever wants to see a signature before."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": MISSING}
    parameters, body = ["self"], []
    for each in fields(kind):
        name = each.name
        known[f"_{name}"] = each.default if each.default is not MISSING else each.default_factory
        if each.default is not MISSING:
            parameters.append(f"{name}=_{name}")
        else:
            parameters.append(name if each.default_factory is MISSING else f"{name}=_MISSING")
        value = name if each.default_factory is MISSING else f"_{name}() if {name} is _MISSING else {name}"
        body.append(f"    _set(self, {name!r}, {value})\n")
    exec(f"def __init__({', '.join(parameters)}):\n{''.join(body) or '    pass'}", known)
    kind.__init__ = known["__init__"]
    kind.__init__.__annotations__ = {each.name: each.type for each in fields(kind)} | {"return": None}


def _refuse(self: Any, name: str, _: object = None) -> None:
    raise FrozenInstanceError(f"cannot change {name!r} of a {type(self).__name__}")


def _eq(self: Any, other: Any) -> bool:
    return type(self) is type(other) and all(
        getattr(self, name) == getattr(other, name) for name in self.__match_args__
    )


def _hash(self: Any) -> int:
    return hash((type(self), *(getattr(self, name) for name in self.__match_args__)))


def _repr(self: Any) -> str:
    shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({shown})"
