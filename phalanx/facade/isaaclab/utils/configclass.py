"""Configurations: dataclasses whose members may have mutable defaults, no annotation, and no value yet."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, field
from types import FunctionType
from typing import Any, ClassVar, TypeVar, dataclass_transform, get_origin, overload

from phalanx.facade.isaaclab.utils.dict import class_to_dict, copied, is_missing, update_class_from_dict

T = TypeVar("T", bound=type)


@overload
def configclass(cls: T, **kwargs: Any) -> T: ...
@overload
def configclass(cls: None = None, **kwargs: Any) -> Callable[[T], T]: ...
@dataclass_transform(field_specifiers=(field,))
def configclass(cls: Any = None, **kwargs: Any) -> Any:
    """Make a class a configuration: a dataclass, with less to write.

    * Every member is a field, with or without an annotation; not so functions and classes defined in the class,
      methods, properties, and what is annotated with ``ClassVar``.
    * Defaults may be mutable: every instance has copies of its own, of what it is given, too.
    * A member that is ``MISSING`` has to be set before use; :meth:`validate` says which were not.
    * Members of base classes that are no configurations are fields, too; instances of a subclass that is not decorated
      itself have copies of what it adds.

    A ``__post_init__`` of the class runs when the copies have been made. Instances have these methods:

    * ``to_dict()``: see :func:`~phalanx.facade.isaaclab.utils.dict.class_to_dict`;
    * ``from_dict(data)``: see :func:`~phalanx.facade.isaaclab.utils.dict.update_class_from_dict`;
    * ``replace(**changes)``: a copy with other values of some members; ``copy()``: a copy that shares nothing;
    * ``validate()``: raises ``TypeError`` that names all members that are ``MISSING``, also of members.

    Args:
        cls: the class.
        kwargs: options of :func:`dataclasses.dataclass`.

    Raises:
        TypeError: a member is ``MISSING`` and has no annotation.
        ValueError: a member has an annotation and no value, not even ``MISSING``.
    """
    if cls is None:
        return lambda decorated: configclass(decorated, **kwargs)
    cls.__annotations__ = _annotations(cls)
    for name, annotation in cls.__annotations__.items():
        if not _is_class_variable(annotation):
            if not hasattr(cls, name) and name not in getattr(cls, "__dataclass_fields__", {}):
                raise ValueError(
                    f"Member {name!r} of class {cls.__name__} has no value: give it one, or dataclasses.MISSING"
                )
            _give_default(cls, name)
    post_init = getattr(cls, "__post_init__", None)
    if not hasattr(post_init, "copies_members"):
        cls.__post_init__ = _copies_first(post_init)
    for method, function in _METHODS.items():
        if method not in vars(cls):
            setattr(cls, method, function)
    return dataclasses.dataclass(cls, **kwargs)


# -- fields ----------------------------------------------------------------------------------------------------------


def _annotations(cls: type) -> dict[str, Any]:
    """Annotations of all fields that a class adds: its own, and those of bases that are no dataclasses."""
    known: dict[str, Any] = {}
    for base in reversed(cls.__mro__[:-1]):
        known.update(inspect.get_annotations(base))
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__[:-1]):
        if base is not cls and dataclasses.is_dataclass(base):
            continue
        found.update(inspect.get_annotations(base))
        for name, value in vars(base).items():
            if name in found or not _is_field(base, name, value):
                continue
            if is_missing(value) and name not in known:
                raise TypeError(f"Missing type annotation for {name!r} in class {cls.__name__}, where it has no value")
            found[name] = known.get(name, type[value] if isinstance(value, type) else type(value))
    return found


def _is_field(cls: type, name: str, value: Any) -> bool:
    """Whether a member without an annotation is one that instances have a value of."""
    if name.startswith("__") or name in _METHODS or name == "_abc_impl":  # the last is of the standard library's ABC
        return False
    if isinstance(value, property | classmethod | staticmethod) or inspect.isdatadescriptor(value):
        return False
    defined_here = f"{cls.__qualname__}.{name}"
    return not (isinstance(value, FunctionType | type) and value.__qualname__ == defined_here)


def _is_class_variable(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.replace("typing.", "").startswith("ClassVar")
    return annotation is ClassVar or get_origin(annotation) is ClassVar


def _give_default(cls: Any, name: str) -> None:
    """Give a class a default for a field that dataclasses accept, and that instances do not share."""
    value = getattr(cls, name, MISSING)
    if name not in vars(cls) and (inherited := getattr(cls, "__dataclass_fields__", {}).get(name)) is not None:
        # Annotated anew, perhaps more narrowly: the default stays.
        if inherited.default_factory is not MISSING:
            setattr(cls, name, field(default_factory=inherited.default_factory))
    elif isinstance(value, Field):
        if value.default is MISSING and value.default_factory is MISSING and value.init:
            value.default_factory = lambda: MISSING  # pyright: ignore[reportAttributeAccessIssue]
    elif is_missing(value) or inspect.isdatadescriptor(value):
        setattr(cls, name, field(default_factory=lambda: MISSING))
    elif callable(value) or isinstance(value, str | int | float | bool | complex | bytes | type(None)):
        setattr(cls, name, value)
    else:
        setattr(cls, name, field(default_factory=lambda: copied(value)))


def _copies_first(post_init: Callable[..., None] | None) -> Callable[..., None]:
    """A ``__post_init__`` that gives an instance copies of its own, and then does what the class wants."""

    def __post_init__(self: Any, *init_only: Any) -> None:  # noqa: N807, RUF100
        for member in dataclasses.fields(self):
            value = getattr(self, member.name, None)
            if not callable(value):
                object.__setattr__(self, member.name, copied(value))
        _take_members(self)
        if post_init is not None:
            post_init(self, *init_only)

    __post_init__.copies_members = True  # pyright: ignore[reportFunctionMemberAccess]
    return __post_init__


def _take_members(self: Any) -> None:
    """Give an instance copies of the members that subclasses add which are not decorated themselves."""
    fields = {member.name for member in dataclasses.fields(self)}
    added: dict[str, Any] = {}
    for base in type(self).__mro__:
        if "__dataclass_fields__" in vars(base):
            break
        own = {name: value for name, value in vars(base).items() if _is_field(base, name, value)}
        added = {**own, **added}
    for name, value in added.items():
        if name not in fields and not callable(value):
            object.__setattr__(self, name, copied(value))


# -- methods ---------------------------------------------------------------------------------------------------------


def _to_dict(self: Any) -> dict[str, Any]:
    """The members as a dictionary; see :func:`phalanx.facade.isaaclab.utils.dict.class_to_dict`."""
    return class_to_dict(self)


def _from_dict(self: Any, data: dict[str, Any], *, allow_code: bool = False) -> None:
    """Overwrite members; see :func:`phalanx.facade.isaaclab.utils.dict.update_class_from_dict`.

    Text is only executed with ``allow_code=True``, other than in Isaac Lab.
    """
    update_class_from_dict(self, data, allow_code=allow_code)


def _replace(self: Any, **kwargs: Any) -> Any:
    """A copy with other values of some members; ``__post_init__`` runs again.

    Raises:
        TypeError: there is no such member.
    """
    return dataclasses.replace(self, **kwargs)


def _copy(self: Any, **kwargs: Any) -> Any:
    """A copy that shares nothing, with other values of some members."""
    return dataclasses.replace(self, **kwargs)


def _validate(self: Any, prefix: str = "") -> list[str]:
    """Raise ``TypeError`` if a member, or one of a member's, is ``MISSING``; else return an empty list."""
    if missing := _missing(self, prefix):
        names = "".join(f"\n  - {name}" for name in missing)
        raise TypeError(f"Missing values detected in object {type(self).__name__} for the following fields:{names}\n")
    return []


def _missing(value: Any, path: str) -> list[str]:
    """Where ``MISSING`` is within a value."""
    if is_missing(value):
        return [path]
    if isinstance(value, list | tuple):
        return [name for i, member in enumerate(value) for name in _missing(member, f"{path}[{i}]")]
    if isinstance(value, dict):
        inside = value.items()
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        inside = vars(value).items()
    else:
        return []
    return [name for key, member in inside for name in _missing(member, f"{path}.{key}" if path else str(key))]


_METHODS: dict[str, Callable[..., Any]] = {
    "to_dict": _to_dict,
    "from_dict": _from_dict,
    "replace": _replace,
    "copy": _copy,
    "validate": _validate,
}
