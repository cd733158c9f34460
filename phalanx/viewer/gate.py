"""Ports, and who may come in: browsers of this machine, or from elsewhere those that know a token.

viser has no notion of users. Where others can reach the viewer, viser itself listens on this machine only, and a
:class:`Gate` stands before it: it looks at the first request of each connection and passes on those that carry the
token, from the address's ``?token=`` or from the cookie that a first visit leaves.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hmac
import ipaddress
import secrets
import socket
import threading
from urllib.parse import parse_qs, urlsplit

LOCAL = "127.0.0.1"
COOKIE = "phalanx_viewer"
MOST = 65536
"""Bytes of a request's head."""

PATIENCE = 10.0
"""s: in which a request's head must come."""

FORBIDDEN = "This viewer needs its token: open the whole address that the viewer printed, with ?token=..."


class ViewerError(RuntimeError):
    """The viewer cannot start; the message says why and what to do."""


def is_local(host: str) -> bool:
    """Whether only programs of this machine can connect to an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_port(host: str, port: int) -> None:
    """Complain if nobody can listen there.

    Raises:
        ViewerError: another program does, or the address is none of this machine.
    """
    if not 0 <= port <= 65535:
        raise ViewerError(f"port {port}: ports are numbers from 0 (any that is free) to 65535")
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ViewerError(
                f"port {port} of {host} is taken by another program, perhaps another viewer: choose another port, or 0 "
                "for any that is free"
            ) from error
        raise ViewerError(f"cannot listen on port {port} of {host!r}: {error}") from error


class Gate:
    """Passes connections on to a port of this machine if they know the token.

    Args:
        host, port: where it listens; port 0 is any that is free.
        behind: the port that it passes connections on to.
        token: what has to be known; made at random by default.

    Raises:
        ViewerError: it cannot listen there.
    """

    def __init__(self, host: str, port: int, behind: int, token: str | None = None) -> None:
        check_port(host, port)
        self.token = token or secrets.token_urlsafe(24)
        self.host, self.port = host, port
        self._behind = behind
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._failed: OSError | None = None
        self._thread = threading.Thread(target=self._run, name="phalanx-viewer-gate", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._failed is not None:
            raise ViewerError(f"cannot listen on port {port} of {host!r}: {self._failed}") from self._failed

    def close(self) -> None:
        """Stop listening, and end all connections."""
        with contextlib.suppress(RuntimeError):  # it is closed already
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=5.0)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            server = self._loop.run_until_complete(asyncio.start_server(self._visit, self.host, self.port, limit=MOST))
        except OSError as error:
            self._failed = error
            self._ready.set()
            return
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for task in (tasks := asyncio.all_tasks(self._loop)):
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            writer.close()
            return
        answer = self._answer(head.decode("latin-1"))
        if answer is not None:
            with contextlib.suppress(ConnectionError):
                writer.write(answer)
                await writer.drain()
            writer.close()
            return
        try:
            inner_reader, inner_writer = await asyncio.open_connection(LOCAL, self._behind)
        except OSError:  # the viewer is closing
            writer.close()
            return
        inner_writer.write(head)
        await asyncio.gather(_pass_on(reader, inner_writer), _pass_on(inner_reader, writer))

    def _answer(self, head: str) -> bytes | None:
        """What a request is answered, or ``None`` if it is passed on."""
        line, _, rest = head.partition("\r\n")
        parts = line.split(" ")
        headers = {}
        for each in rest.split("\r\n"):
            name, _, value = each.partition(":")
            headers[name.strip().lower()] = value.strip()
        address = urlsplit(parts[1]) if len(parts) == 3 else urlsplit("")
        given = parse_qs(address.query).get("token", [""])[0]
        cookies = dict(each.strip().partition("=")[::2] for each in headers.get("cookie", "").split(";"))
        if given and self._knows(given):
            lasting = f"Set-Cookie: {COOKIE}_{self.port}={self.token}; Path=/; HttpOnly; SameSite=Strict"
            return _response("303 See Other", "", f"Location: {address.path or '/'}", lasting)
        if self._knows(cookies.get(f"{COOKIE}_{self.port}", "")):
            return None
        return _response("403 Forbidden", FORBIDDEN)

    def _knows(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())


def _response(status: str, text: str, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Content-Type: text/plain; charset=utf-8", f"Content-Length: {len(text.encode())}"]
    return "\r\n".join([*lines, "Connection: close", *headers, "", text]).encode()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(MOST):
            writer.write(data)
            await writer.drain()
    writer.close()
