"""What scripts import as ``omni.ui``: windows and what is in them, which keep what they are told, and are not drawn.

Nobody sees a window and nobody clicks: scripts that show what they do, such as a count of demonstrations, run as they
stand, and what a label says or a field holds can be read back.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Any, ClassVar

from phalanx.facade.unbuilt import refuse

__all__ = [
    "AbstractValueModel", "Alignment", "Button", "CheckBox", "CollapsableFrame", "Container", "DockPosition",
    "DockPreference", "FloatDrag", "FloatField", "FloatSlider", "Fraction", "Frame", "HStack", "IntDrag", "IntField",
    "IntSlider", "Label", "Line", "Percent", "Pixel", "Placer", "Rectangle", "ScrollBarPolicy", "ScrollingFrame",
    "Separator", "SimpleBoolModel", "SimpleFloatModel", "SimpleIntModel", "SimpleStringModel", "Spacer", "StringField",
    "VGrid", "VStack", "Widget", "Window", "Workspace", "ZStack",
]  # fmt: skip


class Alignment(Enum):
    """Where something lies in the room that it has."""

    UNDEFINED = 0
    LEFT_TOP = auto()
    LEFT_CENTER = auto()
    LEFT_BOTTOM = auto()
    CENTER_TOP = auto()
    CENTER = auto()
    CENTER_BOTTOM = auto()
    RIGHT_TOP = auto()
    RIGHT_CENTER = auto()
    RIGHT_BOTTOM = auto()
    LEFT = auto()
    RIGHT = auto()
    TOP = auto()
    BOTTOM = auto()
    H_CENTER = auto()
    V_CENTER = auto()


class DockPreference(Enum):
    """Where a window would like to be."""

    DISABLED = 0
    MAIN = auto()
    RIGHT = auto()
    LEFT = auto()
    RIGHT_TOP = auto()
    RIGHT_BOTTOM = auto()
    LEFT_BOTTOM = auto()


class DockPosition(Enum):
    """Where a window is put, as seen from another one."""

    RIGHT = 0
    LEFT = auto()
    TOP = auto()
    BOTTOM = auto()
    SAME = auto()


class ScrollBarPolicy(Enum):
    """When there is a bar for scrolling."""

    SCROLLBAR_AS_NEEDED = 0
    SCROLLBAR_ALWAYS_OFF = auto()
    SCROLLBAR_ALWAYS_ON = auto()


class _Length:
    def __init__(self, value: float = 0.0) -> None:
        self.value = float(value)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value:g})"


class Pixel(_Length):
    """A length in pixels."""


class Percent(_Length):
    """A length in percent of the room that there is."""


class Fraction(_Length):
    """A share of the room that is left."""


class AbstractValueModel:
    """A value, and who is told when it changes."""

    _kind: ClassVar[type] = float

    def __init__(self, value: Any = None) -> None:
        self._value = self._kind() if value is None else self._kind(value)
        self._told: dict[int, Callable[[Any], Any]] = {}
        self._count = 0

    def set_value(self, value: Any) -> None:
        """Let it have another value, of its own type, and tell who listens."""
        value = self._kind(value)
        if value != self._value:
            self._value = value
            for fn in list(self._told.values()):
                fn(self)

    def get_value_as_bool(self) -> bool:
        """The value as a truth."""
        return bool(self._value)

    def get_value_as_int(self) -> int:
        """The value as a whole number; 0 of text that is none."""
        return int(self.get_value_as_float())

    def get_value_as_float(self) -> float:
        """The value as a number; 0 of text that is none."""
        try:
            return float(self._value)
        except ValueError:
            return 0.0

    def get_value_as_string(self) -> str:
        """The value as text."""
        return str(self._value)

    as_bool = property(get_value_as_bool, set_value)
    as_int = property(get_value_as_int, set_value)
    as_float = property(get_value_as_float, set_value)
    as_string = property(get_value_as_string, set_value)

    def add_value_changed_fn(self, fn: Callable[[Any], Any]) -> int:
        """Call a function with this model when the value has changed; returns a number to remove it by."""
        self._count += 1
        self._told[self._count] = fn
        return self._count

    def remove_value_changed_fn(self, id: int) -> None:
        """Call a function no more."""
        self._told.pop(id, None)


class SimpleBoolModel(AbstractValueModel):
    """A truth."""

    _kind = bool


class SimpleIntModel(AbstractValueModel):
    """A whole number."""

    _kind = int


class SimpleFloatModel(AbstractValueModel):
    """A number."""


class SimpleStringModel(AbstractValueModel):
    """Text."""

    _kind = str


_open: list[Container] = []
"""Containers whose ``with`` blocks are being run, outermost first."""


class Widget:
    """Something in a window; it belongs to the container whose ``with`` block it is made in.

    All options are attributes, which may be changed.
    """

    def __init__(self, **options: Any) -> None:
        self.visible, self.enabled, self.checked, self.selected = True, True, False, False
        self.width: Any = Fraction(1)
        self.height: Any = Fraction(1)
        self.name = self.tooltip = self.identifier = ""
        self.style: Any = None
        for name, value in options.items():
            setattr(self, name, value)
        if _open:
            _open[-1].add_child(self)

    def set_style(self, style: Any) -> None:
        """Let it look different."""
        self.style = style

    def destroy(self) -> None:
        """It is gone: nothing holds functions of the script's any more."""
        for name in [name for name, value in vars(self).items() if name.endswith("_fn") and callable(value)]:
            setattr(self, name, None)


class Container(Widget):
    """Something that holds widgets: those that are made in its ``with`` block."""

    def __init__(self, **options: Any) -> None:
        self.children: list[Widget] = []
        super().__init__(**options)

    def __enter__(self) -> Any:
        _open.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        _open.remove(self)

    def add_child(self, widget: Widget) -> None:
        """Let it hold a widget, too."""
        self.children.append(widget)

    def clear(self) -> None:
        """Let it hold nothing."""
        for child in self.children:
            child.destroy()
        self.children.clear()

    def destroy(self) -> None:
        """See :meth:`Widget.destroy`."""
        self.clear()
        super().destroy()


class Frame(Container):
    """A container of one widget: another one takes its place.

    Args:
        build_fn: fills it when it is drawn, which is never here, or when :meth:`rebuild` is called.
        options: see :class:`Widget`.
    """

    def __init__(self, build_fn: Callable[[], Any] | None = None, **options: Any) -> None:
        self._build_fn = build_fn
        super().__init__(**options)

    def add_child(self, widget: Widget) -> None:
        """See :class:`Frame`."""
        self.clear()
        super().add_child(widget)

    def set_build_fn(self, fn: Callable[[], Any] | None) -> None:
        """Have another function fill it."""
        self._build_fn = fn

    def rebuild(self) -> None:
        """Fill it anew, at once."""
        self.clear()
        if self._build_fn is not None:
            with self:
                self._build_fn()

    def destroy(self) -> None:
        """See :meth:`Widget.destroy`."""
        self._build_fn = None
        super().destroy()


class ScrollingFrame(Frame):
    """A frame of which a part is seen."""


class CollapsableFrame(Frame):
    """A frame with a title that can be folded."""

    def __init__(self, title: str = "", **options: Any) -> None:
        self.title, self.collapsed = title, False
        super().__init__(**options)


class HStack(Container):
    """Widgets from left to right."""


class VStack(Container):
    """Widgets from top to bottom."""


class ZStack(Container):
    """Widgets on each other."""


class VGrid(Container):
    """Widgets in rows."""


class Placer(Container):
    """A widget with an offset."""


class Label(Widget):
    """Text."""

    def __init__(self, text: str = "", **options: Any) -> None:
        self.text = text
        super().__init__(**options)


class Button(Widget):
    """Something to click on, which nobody does but scripts."""

    clicked_fn: Callable[[], Any] | None

    def __init__(self, text: str = "", clicked_fn: Callable[[], Any] | None = None, **options: Any) -> None:
        self.text, self.clicked_fn = text, clicked_fn
        super().__init__(**options)

    def set_clicked_fn(self, fn: Callable[[], Any] | None) -> None:
        """What is called when it is clicked."""
        self.clicked_fn = fn

    def has_clicked_fn(self) -> bool:
        """Whether anything is."""
        return self.clicked_fn is not None

    def call_clicked_fn(self) -> None:
        """Click it."""
        if self.clicked_fn is not None:
            self.clicked_fn()


class Spacer(Widget):
    """Room."""


class Line(Widget):
    """A line."""


class Separator(Widget):
    """A line between widgets."""


class Rectangle(Widget):
    """A rectangle."""


class _Field(Widget):
    """Something that shows a value and lets it be changed: that of its ``model``, its own by default."""

    _model: ClassVar[type[AbstractValueModel]] = SimpleFloatModel

    def __init__(self, model: AbstractValueModel | None = None, **options: Any) -> None:
        self.model = self._model() if model is None else model
        super().__init__(**options)


class CheckBox(_Field):
    """A truth."""

    _model = SimpleBoolModel


class StringField(_Field):
    """Text."""

    _model = SimpleStringModel


class IntField(_Field):
    """A whole number."""

    _model = SimpleIntModel


class IntDrag(IntField):
    """A whole number that is dragged."""


class IntSlider(IntField):
    """A whole number on a scale."""


class FloatField(_Field):
    """A number."""


class FloatDrag(FloatField):
    """A number that is dragged."""


class FloatSlider(FloatField):
    """A number on a scale."""


class Window:
    """A window by its title; ``frame`` is what is in it.

    Another one with the same title takes its place in :class:`Workspace`. All options are attributes.
    """

    def __init__(self, title: str, dock_preference: DockPreference = DockPreference.DISABLED, **options: Any) -> None:
        self.title, self.dock_preference, self.docked, self.focused = title, dock_preference, False, False
        self._visible, self._visibility_fn = True, options.pop("visibility_changed_fn", None)
        self.width: Any = 0.0
        self.height: Any = 0.0
        opened, _open[:] = list(_open), []  # a window lies in no container
        self.frame = Frame()
        _open[:] = opened
        for name, value in options.items():
            setattr(self, name, value)
        Workspace._windows[title] = self

    @property
    def visible(self) -> bool:
        """Whether it would be seen."""
        return self._visible

    @visible.setter
    def visible(self, value: bool) -> None:
        changed, self._visible = bool(value) != self._visible, bool(value)
        if changed and self._visibility_fn is not None:
            self._visibility_fn(self._visible)

    def set_visibility_changed_fn(self, fn: Callable[[bool], Any] | None) -> None:
        """What is called with ``visible`` when that changes."""
        self._visibility_fn = fn

    def dock_in(self, window: Any, position: DockPosition, ratio: float = 0.5) -> None:
        """Put it into another window, or beside it."""
        self.docked = True

    def deferred_dock_in(self, title: str, active_window: Any = None) -> None:
        """Put it into a window that may yet be made."""
        self.docked = True

    def undock(self) -> None:
        """Take it out again."""
        self.docked = False

    def focus(self) -> None:
        """Bring it to the front."""
        for one in Workspace._windows.values():
            one.focused = one is self

    def destroy(self) -> None:
        """It is gone, and what is in it."""
        self.frame.destroy()
        self._visibility_fn = None
        if Workspace._windows.get(self.title) is self:
            del Workspace._windows[self.title]


class Workspace:
    """The windows of the process. Those of the application, such as ``"Property"``, are not there."""

    _windows: ClassVar[dict[str, Window]] = {}

    @staticmethod
    def get_window(title: str) -> Window | None:
        """The window with a title; ``None`` if there is none."""
        return Workspace._windows.get(title)

    @staticmethod
    def get_windows() -> list[Window]:
        """All windows, in the order in which they were made."""
        return list(Workspace._windows.values())

    @staticmethod
    def show_window(title: str, show: bool = True) -> bool:
        """Show or hide a window; whether there is one."""
        found = Workspace.get_window(title)
        if found is not None:
            found.visible = show
        return found is not None


def __getattr__(name: str) -> Any:
    raise refuse("omni.ui", name)
