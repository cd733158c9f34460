"""What a farm simulates: a file of YAML or a dict, checked before anything starts."""

from __future__ import annotations

import difflib
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import Any

from phalanx.farm.draws import USES
from phalanx.farm.errors import FarmError

SIGNALS = (
    "joint_pos",
    "joint_vel",
    "joint_acc",
    "applied_effort",
    "joint_pos_target",
    "root_pose",
    "root_vel",
    "body_pose",
    "body_vel",
    "net_contact_force",
)
"""What can be written: attributes of :class:`phalanx.Robot`, (n, ...) each, in their units and frames."""

TASK_SIGNALS = ("observation", "action", "reward")
"""What can be written of a task: what was seen before a step, what was done in it, and what came of it."""

RANDOMISED = tuple(USES)
"""What can be random: added to the joints' start positions and velocities; factors of the drives' gains; one factor of
the friction of all of the robot's shapes; factors of its bodies' masses, with their inertias.
"""

FACTORS = ("stiffness", "damping", "friction", "mass")

POLICIES = ("hold", "random", "none")
"""Policies that need no code: drives hold the start pose, go to random poses, or are off. Actions of a task are 0, or
random between -1 and 1.
"""

MOST_TEXT, MOST_VALUES, MOST_BITS, MOST_SHOWN = 1_000_000, 10_000, 1024, 300
"""Characters of a file, values in it, bits of a number in it, and characters that are shown of a parser's message."""

MOST_COUNT, MOST_SAMPLES = 1_000_000_000, 10_000_000
"""Episodes and steps, and samples of an episode."""

OF_TASKS = ("world", "ground", "fixed_base", "stiffness", "damping", "randomise", "policy_every", "swing")
"""What a task says itself."""


@dataclass(frozen=True)
class Spec:
    """A farm's spec.

    Attributes:
        robot: name of a shipped robot, or a URDF file, which every worker must be able to read.
        build: instead of ``robot``: ``"module:function"``, called with a :class:`phalanx.World` that it fills; it
            returns the robot that acts and is written.
        task: instead of both: a task of :mod:`phalanx.learn`. An episode goes from a reset until the task ends it, or
            for ``steps`` steps of the task; its samples after that are not a number. Besides signals there are its
            ``length`` in steps, ``total_reward``, and whether it was ``terminated``.
        world: arguments of :class:`phalanx.World`, but for ``num_envs`` and ``device``.
        ground: whether a robot that is not built by code has a ground.
        fixed_base: whether its root is fixed; ``None``: as its file has it.
        stiffness, damping: of all drives, N m/rad and N m s/rad, or per m; ``None``: as the robot has them.
        episodes: how many. Episode k is the same to the bit however episodes are cut into shards.
        episodes_per_shard: how many are simulated together, and written together.
        steps: of the world, in an episode.
        every: write each so many steps, the last one included.
        seed: of everything random.
        signals: names of :data:`SIGNALS`, or of :data:`TASK_SIGNALS`.
        randomise: by name of :data:`RANDOMISED` a range [low, high], drawn for each joint or body of each episode, and
            once for friction.
        policy: one of :data:`POLICIES`, or ``"module:function"``, called with the robot, the time (s) and the
            numbers of the episodes, before every ``policy_every`` steps. It may call ``robot.set_targets``. For a task
            it is called with the environment in every step and returns actions (episodes, num_actions); there it may
            also be a file model_N.pt that ``phalanx train`` wrote, with rsl-rl.
        policy_every: steps between calls of the policy.
        swing: of the random policy, rad or m: how far from the start pose.
    """

    robot: str = ""
    build: str = ""
    task: str = ""
    world: Mapping[str, Any] = field(default_factory=dict)
    ground: bool = True
    fixed_base: bool | None = None
    stiffness: float | None = None
    damping: float | None = None
    episodes: int = 1000
    episodes_per_shard: int = 100
    steps: int = 200
    every: int = 1
    seed: int = 0
    signals: tuple[str, ...] = ("joint_pos", "joint_vel")
    randomise: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    policy: str = "hold"
    policy_every: int = 20
    swing: float = 0.3

    def __post_init__(self) -> None:
        if self.task and self.signals == _defaults()["signals"]:
            object.__setattr__(self, "signals", TASK_SIGNALS)
        _check(self)

    @staticmethod
    def read(path: str | Path) -> Spec:
        """A spec from a file of YAML.

        Raises:
            FarmError: there is none, or it says what cannot be; the message names the line or the entry.
        """
        said = read_yaml(path)
        try:
            return Spec.of(said)
        except FarmError as error:
            raise FarmError(f"{path}: {error}") from None

    @staticmethod
    def of(said: Mapping[str, Any]) -> Spec:
        """A spec from a dict.

        Raises:
            FarmError: an entry is unknown, or says what cannot be.
        """
        names = [one.name for one in fields(Spec)]
        for name in said:
            known(str(name), names, "entry")
        given = dict(said)
        if isinstance(given.get("signals"), list):
            given["signals"] = tuple(given["signals"])
        if isinstance(given.get("randomise"), dict):
            given["randomise"] = {k: tuple(v) if isinstance(v, list) else v for k, v in given["randomise"].items()}
        return Spec(**given)

    def describe(self) -> dict[str, Any]:
        """As JSON has it; :meth:`of` takes it."""
        found = json.loads(json.dumps(asdict(self)))
        return {name: value for name, value in found.items() if name != "task" or value}  # as it was before tasks

    @property
    def digest(self) -> str:
        """Of what it says."""
        return hashlib.sha256(json.dumps(self.describe(), sort_keys=True).encode()).hexdigest()

    @property
    def shards(self) -> int:
        """How many shards there are."""
        return -(-self.episodes // self.episodes_per_shard)

    def episodes_of(self, shard: int) -> range:
        """Numbers of a shard's episodes."""
        first = shard * self.episodes_per_shard
        return range(first, min(first + self.episodes_per_shard, self.episodes))

    @property
    def samples(self) -> list[int]:
        """Steps after which there are samples."""
        return list(range(self.every, self.steps + 1, self.every))


def read_yaml(path: str | Path) -> dict[str, Any]:
    """The entries of a file of YAML.

    Raises:
        FarmError: there is none, or it has no entries.
    """
    try:
        import yaml
    except ImportError:
        raise FarmError("Specs in YAML need pyyaml: pip install 'phalanx[farm]'") from None
    try:
        text = Path(path).read_text(encoding="utf-8")
        if len(text) > MOST_TEXT:
            raise FarmError(f"{path} has {len(text):,} characters; a spec has at most {MOST_TEXT:,}")
        said = yaml.safe_load(text)
        values = _values(said, MOST_VALUES)
    except OSError as error:
        raise FarmError(f"{path}: {error.strerror}") from None
    except RecursionError:
        raise FarmError(f"{path}: its entries are nested too deep") from None
    except (yaml.YAMLError, ValueError) as error:  # dates and numbers that are none are the latter
        raise FarmError(f"{path} is no YAML: {' '.join(str(error).split())[:MOST_SHOWN]}") from None
    if values > MOST_VALUES:
        raise FarmError(f"{path} has more than {MOST_VALUES:,} values, those that aliases (*name) repeat among them")
    if not isinstance(said, dict):
        raise FarmError(f"{path}: must be entries such as robot: panda")
    return said


def _values(value: Any, most: int) -> int:
    """How many values there are, each as often as aliases repeat it; counted no further than ``most``."""
    inner: Any = ()
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise ValueError(f"a number of {value.bit_length():,} bits")
    if isinstance(value, Mapping):
        inner = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | set):
        inner = value
    count = 1
    for each in inner:
        if count > most:
            break
        count += _values(each, most - count)
    return count


def known(name: Any, names: Sequence[str], what: str) -> None:
    """See that a name is one of some.

    Raises:
        FarmError: it is not; the message says which is meant.
    """
    if name not in names:
        near = difflib.get_close_matches(str(name), names, 1, 0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}."
        raise FarmError(f"there is no {what} {name!r}; {hint}")


def _check(spec: Spec) -> None:
    for name in ("episodes", "episodes_per_shard", "steps", "every", "policy_every"):
        value = getattr(spec, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise FarmError(f"{name}: {value!r} must be a whole number, at least 1")
        if value > MOST_COUNT:
            raise FarmError(f"{name} must be at most {MOST_COUNT:,}")
    if isinstance(spec.seed, bool) or not isinstance(spec.seed, int) or not 0 <= spec.seed < 2**63:
        raise FarmError(f"seed: {spec.seed!r} must be a whole number, at least 0")
    for name in ("robot", "build", "task", "policy"):
        if not isinstance(getattr(spec, name), str):
            raise FarmError(f"{name}: {getattr(spec, name)!r} must be text")
    for name in ("ground", "fixed_base"):
        if getattr(spec, name) not in (True, False, None):
            raise FarmError(f"{name}: {getattr(spec, name)!r} must be true or false")
    if bool(spec.robot) + bool(spec.build) + bool(spec.task) != 1:
        raise FarmError("robot, build, task: give one of them")
    if spec.task:
        _check_task(spec)
    if spec.every > spec.steps:
        raise FarmError(f"every: {spec.every} is more than the {spec.steps} steps of an episode")
    if spec.steps // spec.every > MOST_SAMPLES:
        samples = spec.steps // spec.every
        raise FarmError(f"every: an episode has {samples:,} samples; at most {MOST_SAMPLES:,} can be kept")
    if not isinstance(spec.signals, tuple) or not spec.signals:
        raise FarmError("signals: must be a list of names")
    for name in spec.signals:
        known(name, TASK_SIGNALS if spec.task else SIGNALS, "signal")
    if not isinstance(spec.randomise, Mapping):
        raise FarmError("randomise: must be entries such as joint_pos: [-0.1, 0.1]")
    for name, bounds in spec.randomise.items():
        known(name, RANDOMISED, "randomisation")
        _check_range(name, bounds)
    for name in ("stiffness", "damping"):
        value = getattr(spec, name)
        if value is not None and (not _is_number(value) or value < 0):
            raise FarmError(f"{name}: {value!r} must be a number, at least 0")
    if not _is_number(spec.swing) or spec.swing < 0:
        raise FarmError(f"swing: {spec.swing!r} must be a number, at least 0")
    _check_world(spec)
    if is_checkpoint(spec.policy) and not spec.task:
        raise FarmError(f"policy: {spec.policy} is for a task; say task instead of robot or build")
    if ":" not in spec.policy and not is_checkpoint(spec.policy):
        known(spec.policy, POLICIES, "policy")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _check_range(name: str, bounds: Any) -> None:
    if not isinstance(bounds, tuple) or len(bounds) != 2 or not all(_is_number(one) for one in bounds):
        raise FarmError(f"randomise: {name}: {bounds!r} must be [low, high]")
    if bounds[0] > bounds[1] or (name in FACTORS and bounds[0] < 0) or (name == "mass" and bounds[0] == 0):
        raise FarmError(f"randomise: {name}: [{bounds[0]}, {bounds[1]}] is no range of what it can be")


def _defaults() -> dict[str, Any]:
    found = {}
    for one in fields(Spec):
        found[one.name] = one.default_factory() if one.default_factory is not MISSING else one.default
    return found


def _check_task(spec: Spec) -> None:
    """What can be seen without importing tasks, which need torch."""
    defaults = _defaults()
    given = [name for name in OF_TASKS if getattr(spec, name) != defaults[name]]
    if given:
        raise FarmError(f"{given[0]}: task {spec.task} says this itself; leave it away")


def is_checkpoint(policy: str) -> bool:
    """Whether a policy is a file that training wrote."""
    return policy.endswith(".pt")


def _check_world(spec: Spec) -> None:
    import inspect

    from phalanx.world.world import World

    if not isinstance(spec.world, Mapping):
        raise FarmError("world: must be entries such as dt: 0.005")
    names = [name for name in inspect.signature(World).parameters if name not in ("num_envs", "device")]
    for name in spec.world:
        known(name, names, "argument of world")


def code(name: str) -> Any:
    """A function, by ``"module:function"``.

    Raises:
        FarmError: there is none.
    """
    module, _, function = name.partition(":")
    try:
        return getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise FarmError(f"{name}: {error}; the module must be importable by every worker") from None
