"""The web server of viewers: viser's, with what it does not check."""

from __future__ import annotations

import contextlib
import importlib.util
import io
from typing import TYPE_CHECKING

from phalanx.viewer.gate import LOCAL, Gate, ViewerError, check_port, is_local

if TYPE_CHECKING:
    from viser import ViserServer

PORT = 8080
"""Where viewers listen unless told otherwise."""


class Server:
    """A viser server that browsers of this machine can reach, or others that know the token.

    Args:
        host: address to listen on.
        port: 0 is any that is free.
        token: for addresses that other machines can reach; made at random by default.
        label: what the panel is called.

    Attributes:
        viser: the server.
        url: what to open.

    Raises:
        ViewerError: viser is missing, or nobody can listen there.
    """

    def __init__(self, host: str, port: int, token: str | None, label: str) -> None:
        if importlib.util.find_spec("viser") is None:
            raise ViewerError("the viewer needs the package viser: pip install 'phalanx[viewer]'")
        if token is not None and is_local(host):
            raise ViewerError(f"token: host={host!r} is reached from this machine only, where none is asked for")
        import viser

        self._gate: Gate | None = None
        local = is_local(host)
        check_port(host, port)
        if local and port == 0:
            port = _free_port(host)
        with contextlib.redirect_stdout(io.StringIO()):  # its banner names an address that need not be ours
            self.viser: ViserServer = viser.ViserServer(
                host if local else LOCAL, port if local else _free_port(LOCAL), label=label, verbose=False
            )
        if local and self.viser.get_port() != port:  # viser takes the next one that is free
            self.viser.stop()
            raise ViewerError(f"port {port} of {host} was taken while the viewer started: choose another port, or 0")
        if local:
            self.url = f"http://{'localhost' if host == '127.0.0.1' else _in_url(host)}:{port}"
            return
        try:
            self._gate = Gate(host, port, self.viser.get_port(), token)
        except ViewerError:
            self.viser.stop()
            raise
        self.url = f"http://{_in_url(_reachable(host))}:{self._gate.port}/?token={self._gate.token}"

    @property
    def port(self) -> int:
        """Where it listens."""
        return self.viser.get_port() if self._gate is None else self._gate.port

    @property
    def token(self) -> str | None:
        """What browsers have to know, if anything."""
        return None if self._gate is None else self._gate.token

    def close(self) -> None:
        """Stop; browsers lose their connection."""
        if self._gate is not None:
            self._gate.close()
        with contextlib.redirect_stdout(io.StringIO()):
            self.viser.stop()


def _free_port(host: str) -> int:
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _reachable(host: str) -> str:
    """A name under which other machines may know this one."""
    import socket

    return socket.gethostname() if host in ("0.0.0.0", "::", "") else host
