"""Frozen values: equal if their fields are."""

from collections import Counter
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from inspect import get_annotations
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def fact(cls: type[T]) -> type[T]:
    """A frozen dataclass with slots, made in a fraction of the time.

    There are more than a hundred of them, and compiling half a dozen methods for each is felt at every start. So what
    does not depend on the class is shared; its fields are worked out when somebody asks for them, and its `__init__` is
    compiled once a few of its kind were made, which most never are. All fields count when two are compared.
    """
    annotations = get_annotations(cls)
    own = tuple(annotations)
    defaults = {name: cls.__dict__[name] for name in own if name in cls.__dict__}
    content = {name: value for name, value in cls.__dict__.items() if name not in ("__dict__", "__weakref__", *own)}
    names = [name for base in reversed(cls.__mro__[1:]) for name in getattr(base, "__match_args__", ())]
    content |= {
        "__slots__": own,
        "__match_args__": tuple(dict.fromkeys((*names, *own))),
        "__qualname__": cls.__qualname__,
        "__dataclass_fields__": _Fields({"__annotations__": annotations, "__module__": cls.__module__, **defaults}),
        "__dataclass_params__": _PARAMS,
        "__fact_defaults__": {**_inherited_defaults(cls), **defaults},
        "__init__": _first_init,
        "__setattr__": _refuse,
        "__delattr__": _refuse,
        "__eq__": _eq,
        "__hash__": _hash,
        "__repr__": content.get("__repr__", _repr),
    }
    make: Any = type(cls)
    return make(cls.__name__, cls.__bases__, content)  # type: ignore[no-any-return]


def _plain(cls: Any) -> Any:
    """As a dataclass, of which nothing is wanted but what it knows about its fields."""
    cls.__doc__ = cls.__doc__ or cls.__name__  # else dataclass() works out a signature to put there
    return dataclass(init=False, repr=False, eq=False)(cls)


_PARAMS = _plain(type("Fact", (), {})).__dataclass_params__


class _Fields:
    """Stands for a fact's fields until `dataclasses` asks for them."""

    def __init__(self, sketch: dict[str, object]) -> None:
        self._sketch = sketch

    def __set_name__(self, owner: Any, _: str) -> None:
        self._fact = owner

    def __get__(self, _: object, __: type) -> object:
        # Of a class made for that, since dataclass() takes the defaults out of it: two threads may ask at once.
        made = _plain(type(self._fact)(self._fact.__name__, self._fact.__bases__, dict(self._sketch)))
        self._fact.__dataclass_fields__ = made.__dataclass_fields__
        return made.__dataclass_fields__


def _inherited_defaults(cls: type) -> dict[str, object]:
    known = [getattr(base, "__fact_defaults__", {}) for base in reversed(cls.__mro__[1:])]
    return {name: value for defaults in known for name, value in defaults.items()}


_FEW = 3
_made: Counter[type] = Counter()


def _first_init(self: Any, *args: Any, **kwargs: Any) -> None:
    kind = type(self)
    _made[kind] += 1
    if _made[kind] > _FEW or not _is_filled(self, args, kwargs):  # compiled, it also says what is wrong with a call
        compile_init(kind)
        self.__init__(*args, **kwargs)


def _is_filled(self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether these are the fields that it needs; then it has them."""
    names = self.__match_args__
    given = dict(zip(names, args, strict=False))
    if len(args) > len(names) or given.keys() & kwargs.keys() or not kwargs.keys() <= set(names):
        return False
    given |= kwargs
    for name in names:
        value = given[name] if name in given else _default(self.__fact_defaults__.get(name, MISSING))
        if value is MISSING:
            return False
        object.__setattr__(self, name, value)
    return True


def _default(said: Any) -> Any:
    if not isinstance(said, Field):
        return said
    if said.default is not MISSING or said.default_factory is MISSING:
        return said.default
    return said.default_factory()


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
