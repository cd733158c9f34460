"""What scripts import as ``carb.input``: keyboards and gamepads, of which there are none without a window.

Who subscribes hears of what :meth:`Input.press` and :meth:`Input.move` are told, by which a script, or a test, plays
the part of the hand on the keys.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum, auto
from typing import Any


class KeyboardEventType(IntEnum):
    """What happens to a key."""

    KEY_PRESS = 0
    KEY_REPEAT = 1
    KEY_RELEASE = 2
    CHAR = 3


def _keys() -> dict[str, int]:
    letters = [chr(c) for c in range(ord("A"), ord("Z") + 1)]
    numbers = [f"KEY_{n}" for n in range(10)]
    rest = [
        "SPACE",
        "APOSTROPHE",
        "COMMA",
        "MINUS",
        "PERIOD",
        "SLASH",
        "SEMICOLON",
        "EQUAL",
        "LEFT_BRACKET",
        "BACKSLASH",
        "RIGHT_BRACKET",
        "GRAVE_ACCENT",
        "ESCAPE",
        "TAB",
        "ENTER",
        "BACKSPACE",
        "INSERT",
        "DEL",
        "RIGHT",
        "LEFT",
        "DOWN",
        "UP",
        "PAGE_UP",
        "PAGE_DOWN",
        "HOME",
        "END",
        "CAPS_LOCK",
        "SCROLL_LOCK",
        "NUM_LOCK",
        "PRINT_SCREEN",
        "PAUSE",
        "LEFT_SHIFT",
        "LEFT_CONTROL",
        "LEFT_ALT",
        "LEFT_SUPER",
        "RIGHT_SHIFT",
        "RIGHT_CONTROL",
        "RIGHT_ALT",
        "RIGHT_SUPER",
        "MENU",
        "NUMPAD_DEL",
        "NUMPAD_DIVIDE",
        "NUMPAD_MULTIPLY",
        "NUMPAD_SUBTRACT",
        "NUMPAD_ADD",
        "NUMPAD_ENTER",
        "NUMPAD_EQUAL",
    ]
    pads, functions = [f"NUMPAD_{n}" for n in range(10)], [f"F{n}" for n in range(1, 13)]
    return {name: i for i, name in enumerate(["UNKNOWN", *rest, *letters, *numbers, *functions, *pads])}


KeyboardInput = IntEnum("KeyboardInput", _keys())


class GamepadInput(IntEnum):
    """Sticks, triggers and buttons."""

    LEFT_STICK_RIGHT = 0
    LEFT_STICK_LEFT = auto()
    LEFT_STICK_UP = auto()
    LEFT_STICK_DOWN = auto()
    RIGHT_STICK_RIGHT = auto()
    RIGHT_STICK_LEFT = auto()
    RIGHT_STICK_UP = auto()
    RIGHT_STICK_DOWN = auto()
    LEFT_TRIGGER = auto()
    RIGHT_TRIGGER = auto()
    A = auto()
    B = auto()
    X = auto()
    Y = auto()
    LEFT_SHOULDER = auto()
    RIGHT_SHOULDER = auto()
    MENU1 = auto()
    MENU2 = auto()
    LEFT_STICK = auto()
    RIGHT_STICK = auto()
    DPAD_UP = auto()
    DPAD_RIGHT = auto()
    DPAD_DOWN = auto()
    DPAD_LEFT = auto()


class DeviceType(Enum):
    """Kinds of devices."""

    KEYBOARD = "keyboard"
    GAMEPAD = "gamepad"


@dataclass(frozen=True)
class Device:
    """A keyboard or gamepad that nobody touches."""

    kind: DeviceType
    number: int = 0


@dataclass(frozen=True)
class KeyboardEvent:
    """What happens to a key."""

    keyboard: Device
    type: KeyboardEventType
    input: Any
    modifiers: int = 0


@dataclass(frozen=True)
class GamepadEvent:
    """Where a stick, trigger or button is, from 0 to 1."""

    gamepad: Device
    input: GamepadInput
    value: float


class Input:
    """Who listens to keyboards and gamepads."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self._known: dict[int, tuple[Device, Callable[..., Any]]] = {}

    def subscribe_to_keyboard_events(self, keyboard: Device, fn: Callable[[KeyboardEvent], Any]) -> int:
        """Call a function with each event of a keyboard; the number by which to unsubscribe."""
        return self._subscribe(keyboard, fn)

    def subscribe_to_gamepad_events(self, gamepad: Device, fn: Callable[[GamepadEvent], Any]) -> int:
        """Call a function with each event of a gamepad; the number by which to unsubscribe."""
        return self._subscribe(gamepad, fn)

    def unsubscribe_to_keyboard_events(self, keyboard: Device, subscription: int | None) -> None:
        """Call it no more."""
        self._known.pop(-1 if subscription is None else subscription, None)

    unsubscribe_to_gamepad_events = unsubscribe_to_keyboard_events

    def get_keyboard_name(self, keyboard: Device) -> str:
        """``"keyboard 0"``."""
        return f"{keyboard.kind.value} {keyboard.number}"

    get_gamepad_name = get_keyboard_name

    def press(self, key: Any, release: bool = False) -> None:
        """Let a key of the keyboard be pressed, or released."""
        kind = KeyboardEventType.KEY_RELEASE if release else KeyboardEventType.KEY_PRESS
        self._tell(KEYBOARD, KeyboardEvent(KEYBOARD, kind, KeyboardInput[key] if isinstance(key, str) else key))

    def move(self, part: GamepadInput, value: float) -> None:
        """Let a stick, trigger or button of the gamepad be at a value from 0 to 1."""
        self._tell(GAMEPAD, GamepadEvent(GAMEPAD, GamepadInput(part), value))

    def _subscribe(self, device: Device, fn: Callable[..., Any]) -> int:
        number = next(self._numbers)
        self._known[number] = (device, fn)
        return number

    def _tell(self, device: Device, event: Any) -> None:
        for where, function in list(self._known.values()):
            if where == device:
                function(event)


KEYBOARD, GAMEPAD = Device(DeviceType.KEYBOARD), Device(DeviceType.GAMEPAD)
_input = Input()


def acquire_input_interface() -> Input:
    """The one of the process."""
    return _input


__all__ = [
    "GAMEPAD",
    "KEYBOARD",
    "Device",
    "DeviceType",
    "GamepadEvent",
    "GamepadInput",
    "Input",
    "KeyboardEvent",
    "KeyboardEventType",
    "KeyboardInput",
    "acquire_input_interface",
]
