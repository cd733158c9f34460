"""Ports that are taken, and who comes in with and without the token."""

import errno
import http.client
import socket
import threading

import pytest

from phalanx.viewer.gate import FORBIDDEN, Gate, ViewerError, check_port, is_local


@pytest.fixture
def behind():
    """A server on this machine that answers each connection with what it was sent, in capitals; its port."""
    server = socket.create_server(("127.0.0.1", 0))

    def answer():
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                data = connection.recv(65536)
                body = data.split(b"\r\n")[0].upper()
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    threading.Thread(target=answer, daemon=True).start()
    yield server.getsockname()[1]
    server.close()


@pytest.fixture
def gate(behind):
    made = Gate("127.0.0.1", 0, behind)
    yield made
    made.close()


def ask(gate, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", gate.port, timeout=20)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    return response.status, response.read().decode(), response.headers


def test_nobody_comes_in_without_the_token(gate):
    for path in ("/", "/index.html", "/?token=", "/?token=wrong", f"/?tok={gate.token}"):
        status, text, _ = ask(gate, path)
        assert (status, text) == (403, FORBIDDEN)
    status, _, _ = ask(gate, "/", Cookie=f"phalanx_viewer_{gate.port}=wrong")
    assert status == 403
    status, _, _ = ask(gate, "/", Upgrade="websocket", Connection="Upgrade")
    assert status == 403


def test_the_token_is_kept_as_a_cookie_and_leaves_the_address(gate):
    status, _, headers = ask(gate, f"/?token={gate.token}")
    assert status == 303 and headers["Location"] == "/"
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert ask(gate, "/page", Cookie=f"a=b; {cookie.split(';')[0]}")[:2] == (200, "GET /PAGE HTTP/1.1")


def test_tokens_are_long_and_differ(behind):
    gates = [Gate("127.0.0.1", 0, behind) for _ in range(3)]
    assert len({gate.token for gate in gates}) == 3 and min(len(gate.token) for gate in gates) >= 32
    for gate in gates:
        gate.close()


def test_rubbish_ends_the_connection(gate):
    for sent in (b"\r\n\r\n", b"\x00\xff" * 10 + b"\r\n\r\n", b"GET /" + b"x" * 200_000):
        with socket.create_connection(("127.0.0.1", gate.port), timeout=20) as connection:
            try:
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
                answer = connection.recv(65536)
            except OSError as error:  # it hung up while it was still being told
                assert isinstance(error, ConnectionError) or error.errno == errno.ENOTCONN
                continue
            assert answer == b"" or answer.startswith(b"HTTP/1.1 403")


def test_a_port_that_is_taken_is_named():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ViewerError, match=f"port {port} of 127.0.0.1 is taken by another program.*choose another"):
            check_port("127.0.0.1", port)
    check_port("127.0.0.1", port)


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", 70000), ("203.0.113.7", 0)])
def test_addresses_that_are_not_ours_are_refused(host, port):
    with pytest.raises(ViewerError, match="port"):
        check_port(host, port)


def test_what_is_local():
    assert all(map(is_local, ("127.0.0.1", "localhost", "::1", "127.8.8.8")))
    assert not any(map(is_local, ("0.0.0.0", "::", "192.168.1.4", "example.org", "")))
