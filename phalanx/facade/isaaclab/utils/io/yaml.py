"""Configurations in YAML files."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any

from phalanx.ecs.whole_files import write_text
from phalanx.facade.arrays import api_of
from phalanx.facade.isaaclab.utils.dict import class_to_dict, is_missing, replace_slices_with_strings

TUPLE = "tag:yaml.org,2002:python/tuple"
"""The tag of Python's tuples."""


def load_yaml(filename: str) -> dict[str, Any]:
    """The values in a YAML file; tuples that Python's YAML writes are understood, other objects are not made.

    Raises:
        FileNotFoundError: there is no such file.
        yaml.YAMLError: it is not YAML, or has objects.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    def tuple_of(loader: Any, node: Any) -> tuple[Any, ...]:
        return tuple(loader.construct_sequence(node, deep=True))

    Loader.add_constructor(TUPLE, tuple_of)
    with open(filename, encoding="utf-8") as file:
        try:
            return yaml.load(file, Loader)
        except yaml.YAMLError:
            raise
        except RecursionError:
            raise yaml.YAMLError(f"{filename}: its values are nested too deep") from None
        except ValueError as error:  # dates and numbers that are none, bytes that are no UTF-8
            raise yaml.YAMLError(f"{filename} is not YAML: {str(error)[:200]}") from None


def dump_yaml(filename: str, data: dict[str, Any] | object, sort_keys: bool = False) -> None:
    """Write a dictionary or a configuration to a YAML file.

    Tuples are tagged as Python's, as Isaac Lab's are: :func:`load_yaml` makes tuples of them, and readers that know
    no tags of Python refuse them. Functions, classes and slices become text, members of enumerations their values,
    arrays lists, ``MISSING`` ``null``. ``.yaml`` is appended to names without it, missing folders are made.

    Args:
        filename: the file.
        data: what to write.
        sort_keys: whether keys are in order of the alphabet, or of ``data``.
    """
    import yaml

    path = Path(filename if str(filename).endswith("yaml") else f"{filename}.yaml")
    path.parent.mkdir(parents=True, exist_ok=True)

    class Dumper(yaml.SafeDumper):
        pass

    Dumper.add_representer(tuple, lambda dumper, value: dumper.represent_sequence(TUPLE, value))
    plain = _plain(replace_slices_with_strings(class_to_dict(data)))
    write_text(path, yaml.dump(plain, Dumper=Dumper, sort_keys=sort_keys))


def _plain(value: Any) -> Any:
    """A value as YAML has it."""
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, dict):
        return {key: _plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple | set):
        return (tuple if isinstance(value, tuple) else list)(_plain(v) for v in value)
    if api_of(value) is not None:
        return value.tolist()
    if value is None or isinstance(value, str | int | float):
        return value
    return None if is_missing(value) else str(value)
