"""What scripts import as ``omni.timeline``: it plays, pauses and stops the simulation, and tells who wants to know."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from phalanx.facade import simulation
from phalanx.facade import stage as stages
from phalanx.facade.carb.events import IEventStream
from phalanx.facade.once import tell_once


class TimelineEventType(IntEnum):
    """What happens to the timeline."""

    PLAY = 0
    PAUSE = 1
    STOP = 2
    CURRENT_TIME_CHANGED = 3
    CURRENT_TIME_TICKED = 4
    CURRENT_TIME_TICKED_PERMANENT = 5
    LOOP_MODE_CHANGED = 6
    START_TIME_CHANGED = 7
    END_TIME_CHANGED = 8
    TIME_CODES_PER_SECOND_CHANGED = 9
    AUTO_UPDATE_CHANGED = 10
    PREROLLING_CHANGED = 11


_TYPES = {
    "play": TimelineEventType.PLAY,
    "pause": TimelineEventType.PAUSE,
    "stop": TimelineEventType.STOP,
}


class Timeline:
    """Stopped, playing or paused: the simulation of the process.

    While there is an ``isaaclab.sim.SimulationContext``, it is that one which plays. Changes hold at once.
    """

    def __init__(self) -> None:
        self._stream = IEventStream("omni.timeline")
        self._time, self._end, self._start, self._looping = 0.0, 1.0, 0.0, True
        self._simulation = simulation.get()
        self._listeners = [
            self._simulation.timeline.subscribe(self._tell, order=-10),
            self._simulation.frame.subscribe(self._tick, order=-10),
        ]

    def _tell(self, what: str) -> None:
        if what == "stop":
            self._time = 0.0
        self._stream.push(_TYPES[what], payload={"currentTime": self._time})

    def _tick(self, dt: float) -> None:
        if self._simulation.state == simulation.PLAYING and self._simulation.plays_physics:
            self._time += dt
            if self._stream:
                payload = {"currentTime": self._time, "dt": dt}
                self._stream.push(TimelineEventType.CURRENT_TIME_TICKED, payload=payload)
                self._stream.push(TimelineEventType.CURRENT_TIME_CHANGED, payload=payload)

    # -- playing ---------------------------------------------------------------------------------------------

    def play(self, start_timecode: float = 0, end_timecode: float = 0, looping: bool = True) -> None:
        """Play from now on. The world is made of the stage if it was stopped."""
        simulation.current().play()

    def pause(self) -> None:
        """Pause, if it plays."""
        simulation.current().pause()

    def stop(self) -> None:
        """Stop: the world is gone, the stage as it was."""
        simulation.current().stop()

    def is_playing(self) -> bool:
        """Whether it plays."""
        return simulation.current().state == simulation.PLAYING

    def is_stopped(self) -> bool:
        """Whether it is stopped; when it pauses, it is not."""
        return simulation.current().state == simulation.STOPPED

    def commit(self) -> None:
        """Nothing: changes of the state hold at once."""

    commit_silently = commit

    def forward_one_frame(self) -> None:
        """Let a frame pass, then pause."""
        self.play()
        self._simulation.advance()
        self.pause()

    # -- events ----------------------------------------------------------------------------------------------

    def get_timeline_event_stream(self) -> IEventStream:
        """Events of :class:`TimelineEventType`."""
        return self._stream

    # -- time ------------------------------------------------------------------------------------------------

    def get_current_time(self) -> float:
        """Seconds that frames have let pass while it played, since it was stopped.

        While there is an ``isaaclab.sim.SimulationContext``, the seconds that it has simulated.
        """
        found = simulation.current()
        return self._time if found is self._simulation else found.time

    def set_current_time(self, time_in_seconds: float) -> None:
        """Set what :meth:`get_current_time` tells."""
        self._time = float(time_in_seconds)
        self._stream.push(TimelineEventType.CURRENT_TIME_CHANGED, payload={"currentTime": self._time})

    def get_time_codes_per_second(self) -> float:
        """Of the stage."""
        return float(stages.get_stage().GetTimeCodesPerSecond())

    get_time_codes_per_seconds = get_time_codes_per_second

    def set_time_codes_per_second(self, time_codes_per_second: float) -> None:
        """Set those of the stage."""
        stages.get_stage().SetTimeCodesPerSecond(float(time_codes_per_second))

    def set_target_framerate(self, target_framerate: float) -> None:
        """Let frames be so far apart: as many a second; 0: no time passes."""
        self._simulation.rendering_dt = 1.0 / target_framerate if target_framerate else 0.0

    def get_target_framerate(self) -> float:
        """Frames a second."""
        dt = self._simulation.rendering_dt
        return 1.0 / dt if dt else 0.0

    def get_start_time(self) -> float:
        """Where animations begin, s."""
        return self._start

    def set_start_time(self, start_time: float) -> None:
        """Set where animations begin. There are none."""
        self._start = float(start_time)

    def get_end_time(self) -> float:
        """Where animations end, s; the simulation goes on."""
        return self._end

    def set_end_time(self, end_time: float) -> None:
        """Set where animations end. There are none."""
        self._end = float(end_time)

    def is_looping(self) -> bool:
        """Whether animations begin anew at their end."""
        return self._looping

    def set_looping(self, looping: bool) -> None:
        """Set whether animations begin anew. There are none."""
        self._looping = bool(looping)

    def set_auto_update(self, auto_update: bool) -> None:
        """Frames always let time pass."""
        if not auto_update:
            tell_once("omni.timeline: set_auto_update(False) has no effect: frames of a playing timeline take time")

    def is_auto_updating(self) -> bool:
        """Whether frames let time pass; they do."""
        return True


_timelines: dict[str, Timeline] = {}


def get_timeline_interface(timeline_name: str = "") -> Timeline:
    """The timeline of the process; there is one, whatever it is called."""
    if "" not in _timelines:
        _timelines[""] = Timeline()
    return _timelines[""]


acquire_timeline_interface = get_timeline_interface


def __getattr__(name: str) -> Any:
    if name == "ITimeline":
        return Timeline
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Timeline", "TimelineEventType", "acquire_timeline_interface", "get_timeline_interface"]
