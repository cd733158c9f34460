"""Files from a server: with what they refer to, going on where it stopped, checked, and sentences where it fails."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("pxr", reason="USD is not installed: extra isaac")

from phalanx.assets import fetching
from phalanx.assets.building import build, is_stand_in
from phalanx.assets.catalogue import chosen
from phalanx.assets.fetching import FetchError, fetch

LAYER = """#usda 1.0
(
    defaultPrim = "Robot"
    subLayers = [@./parts/base.usda@]
)
def Xform "Robot" (prepend references = [@parts/leg.usda@, @https://elsewhere.example/a.usd@])
{
    def Xform "Head" (prepend payload = @../Shared/head.usda@) {}
}
"""
EMPTY = '#usda 1.0\n(\n    defaultPrim = "A"\n)\ndef Xform "A" {}\n'
FILES = {
    "Isaac/Robots/R/robot.usda": LAYER,
    "Isaac/Robots/R/parts/base.usda": EMPTY,
    "Isaac/Robots/R/parts/leg.usda": EMPTY,
    "Isaac/Robots/Shared/head.usda": EMPTY,
}
ROBOT = "Isaac/Robots/R/robot.usda"


class Server(BaseHTTPRequestHandler):
    """Serves ``files`` below /root/, and keeps what it was asked for."""

    def __init__(self, files: dict[str, str], asked: list[tuple[str, str]], ways: set[str], *args) -> None:
        self.files, self.asked, self.ways = files, asked, ways
        super().__init__(*args)

    def do_GET(self) -> None:
        name, wanted = self.path.removeprefix("/root/"), self.headers.get("Range", "")
        self.asked.append((name, wanted))
        if name not in self.files:
            self.send_error(500 if "broken" in self.ways else 404)
            return
        whole = self.files[name].encode()
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(whole) - start))
        tag = hashlib.md5(whole).hexdigest() if "wrong" not in self.ways else "0" * 32
        self.send_header("ETag", f'"{tag}"')
        self.end_headers()
        end = len(whole) // 2 if "short" in self.ways else len(whole)
        self.wfile.write(whole[start:end])

    def log_message(self, *_) -> None:
        """Print nothing."""


@pytest.fixture
def served(monkeypatch) -> Iterator[tuple[list[tuple[str, str]], set[str]]]:
    asked, ways = [], set()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Server, FILES, asked, ways))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv(fetching.SERVER_VARIABLE, f"http://127.0.0.1:{server.server_port}/root")
    yield asked, ways
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_file_comes_with_what_it_refers_to(served, tmp_path):
    told = []
    found = fetch(ROBOT, tmp_path, lambda *how: told.append(how))
    assert sorted(found.files) == sorted(FILES) and not found.missing
    assert found.size == sum(len(text) for text in FILES.values())
    assert all((tmp_path / name).read_text() == text for name, text in FILES.items())
    assert (ROBOT, len(LAYER), len(LAYER)) in told
    again = fetch(ROBOT, tmp_path)
    assert again.size == 0 and sorted(again.files) == sorted(FILES) and len(served[0]) == len(FILES)


def test_it_goes_on_where_it_stopped(served, tmp_path):
    served[1].add("short")
    with pytest.raises(FetchError, match=r"the connection ended after \d+ of \d+ bytes; fetch it again"):
        fetch(ROBOT, tmp_path)
    assert not (tmp_path / ROBOT).exists()
    served[1].clear()
    fetch(ROBOT, tmp_path)
    assert (ROBOT, f"bytes={len(LAYER) // 2}-") in served[0] and (tmp_path / ROBOT).read_text() == LAYER


def test_what_came_is_not_put_through_a_link(served, tmp_path):
    """The name of an unfinished file is known beforehand: somebody may have put a link there."""
    victim, part = tmp_path / "victim", tmp_path / f"{ROBOT}.part"
    victim.write_text("precious")
    part.parent.mkdir(parents=True)
    for plant in (part.symlink_to, part.hardlink_to):
        plant(victim)
        with pytest.raises(FetchError, match=r"\.part: this is .*; remove it, and fetch it again"):
            fetch(ROBOT, tmp_path)
        assert victim.read_text() == "precious"
        part.unlink()


def test_what_is_not_what_the_server_says_is_not_kept(served, tmp_path):
    served[1].add("wrong")
    with pytest.raises(FetchError, match="not what the server says"):
        fetch(ROBOT, tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_what_has_changed_since_is_told(served, tmp_path):
    fetch(ROBOT, tmp_path)
    (tmp_path / ROBOT).write_text(LAYER + "\n")
    with pytest.raises(FetchError, match="has changed since; delete it"):
        fetch(ROBOT, tmp_path)


def test_it_takes_the_place_of_a_stand_in(served, tmp_path, monkeypatch):
    (one,) = chosen(["cartpole"])
    (path,) = build(one, tmp_path)
    monkeypatch.setitem(FILES, one.files[0], EMPTY)
    fetch(one.files[0], tmp_path)
    assert path.read_text() == EMPTY and not is_stand_in(path)


def test_what_is_missing_is_told(served, tmp_path, monkeypatch):
    with pytest.raises(FetchError, match=r"Isaac/none.usd: the server has no such file"):
        fetch("Isaac/none.usd", tmp_path)
    monkeypatch.delitem(FILES, "Isaac/Robots/Shared/head.usda")
    assert fetch(ROBOT, tmp_path).missing == ["Isaac/Robots/Shared/head.usda"]
    served[1].add("broken")
    with pytest.raises(FetchError, match="the server answers 500"):
        fetch("Isaac/none.usd", tmp_path)


@pytest.mark.parametrize(
    ("server", "message"),
    [
        ("http://127.0.0.1:1/root", r"127\.0\.0\.1:1 cannot be reached .*phalanx assets build"),
        ("file:///etc", "only servers by http"),
    ],
)
def test_a_server_that_cannot_be_asked_is_told(server, message, tmp_path: Path, monkeypatch):
    monkeypatch.setenv(fetching.SERVER_VARIABLE, server)
    with pytest.raises(FetchError, match=message):
        fetch(ROBOT, tmp_path)
