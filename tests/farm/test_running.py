"""Farms as they run: killed workers and coordinators, stores that fail, and what is read afterwards."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fsspec", reason="fsspec is not installed (pip install 'phalanx[farm]')")

from farm_shards import numbers
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.registry import register_implementation

from phalanx import farm
from phalanx.farm import FarmError, Spec
from phalanx.farm.draws import Draws
from phalanx.farm.fleet import Event, Processes
from phalanx.farm.running import estimate
from phalanx.farm.store import FarmStore
from phalanx.farm.work import Simulation
from phalanx.farm.worker import answer, prepared

ARM: dict[str, Any] = {
    "robot": "arm",
    "stiffness": 100.0,
    "damping": 10.0,
    "episodes": 12,
    "episodes_per_shard": 4,
    "steps": 20,
    "every": 5,
    "policy": "random",
    "policy_every": 8,
    "randomise": {"joint_pos": (-0.2, 0.2), "stiffness": (0.8, 1.2)},
    "signals": ("joint_pos", "root_pose"),
}
MANY = Spec.of({**ARM, "episodes": 240, "signals": ["joint_pos"]})


class Inline:
    """A worker in this process."""

    def __init__(self, job: dict[str, Any], workers: int = 1) -> None:
        self._work = prepared(job)
        self._told = [Event("joined", 0)]
        self.done: list[int] = []

    def submit(self, worker: Any, shard: int) -> None:
        self.done.append(shard)
        said = answer(self._work, shard)
        self._told.append(Event(said.pop("kind"), worker, **said))

    def events(self) -> list[Event]:
        found, self._told = self._told, []
        return found

    def give_up(self, worker: Any) -> None:
        raise AssertionError(worker)

    def now(self) -> float:
        return time.monotonic()

    def stop(self) -> None:
        return None


def _quick(fleets: list[Processes], **more: Any) -> Callable[[dict[str, Any], int], Processes]:
    """Processes that draw numbers instead of simulating."""
    path = os.pathsep.join(sys.path)

    def made(job: dict[str, Any], workers: int) -> Processes:
        arguments = {name: job["arguments"][name] for name in ("spec", "url", "options")} | more
        fleets.append(
            Processes({"work": "farm_shards:numbers", "arguments": arguments}, workers, lambda n: {"PYTHONPATH": path})
        )
        return fleets[0]

    return made


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Digest of :data:`MANY` with the numbers of :mod:`farm_shards`."""
    store = FarmStore(tmp_path_factory.mktemp("farm") / "whole")
    store.begin(MANY, resume=False)
    work = numbers(MANY.describe(), store.url, {})
    for shard in range(MANY.shards):
        store.commit(MANY, shard, work(shard))
    return store.end(MANY, store.commits(MANY))


class TestKilled:
    def test_three_of_eight_workers(self, tmp_path: Path, undisturbed: str) -> None:
        """At random moments; the dataset is that of an undisturbed run, and nothing else is left."""
        fleets: list[Processes] = []
        chance = random.Random(int.from_bytes(os.urandom(4)))
        moments = sorted(chance.sample(range(1, MANY.shards - 8), 3))

        def kill(done: int, total: int, counts: Any) -> None:
            if moments and done > moments[0]:
                moments.pop(0)
                os.kill(chance.choice(fleets[0].pids), signal.SIGKILL)

        engine = _quick(fleets, seconds=0.02)
        report = farm.run(MANY, tmp_path / "farm", workers=8, engine=engine, progress=kill)
        assert report.digest == undisturbed
        assert not moments and 0 < report.counts.lost <= 3  # who has just handed a shard in loses none
        assert report.shards == MANY.shards == len(os.listdir(tmp_path / "farm" / "shards"))
        assert farm.verify(tmp_path / "farm") == undisturbed

    def test_the_coordinator(self, tmp_path: Path, undisturbed: str) -> None:
        """Its workers end, and another one goes on with what was committed."""
        path = [str(Path(__file__).parent), *sys.path]
        code = f"""import sys; sys.path[:0] = {path!r}
from pathlib import Path
from test_running import MANY, _quick, farm
farm.run(MANY, Path({str(tmp_path / "farm")!r}), workers=2, engine=_quick([], seconds=0.1))"""
        coordinator = subprocess.Popen([sys.executable, "-c", code])
        commits, end = tmp_path / "farm" / "commits", time.monotonic() + 300.0
        while not (commits.exists() and len(list(commits.glob("*.json"))) >= 5):
            assert coordinator.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        with pytest.raises(FarmError, match="another coordinator is writing there"):
            farm.run(MANY, tmp_path / "farm", engine=_quick([]), resume=True)
        coordinator.kill()
        coordinator.wait()
        report = farm.run(MANY, tmp_path / "farm", workers=2, engine=_quick([]), resume=True)
        assert report.kept >= 5 and report.kept + report.shards == MANY.shards
        assert report.digest == undisturbed
        assert farm.run(MANY, tmp_path / "farm", engine=Inline, resume=True).shards == 0

    @pytest.mark.slow
    @pytest.mark.parametrize("engine", ["processes", "ray"])
    def test_simulations(self, tmp_path: Path, engine: Any) -> None:
        """The arm by two workers of which one is killed once, against one worker in this process."""
        if engine == "ray":
            pytest.importorskip("ray", reason="Ray is not installed (pip install 'phalanx[farm]')")
        spec = Spec.of({**ARM, "episodes": 40})
        alone = farm.run(spec, tmp_path / "alone", engine=Inline)
        killed: list[int] = []

        def kill(done: int, total: int, counts: Any) -> None:
            if done == 3 and not killed:
                found = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True).stdout
                wanted = "ray::_Actor" if engine == "ray" else "phalanx.farm.worker"
                pids = [int(line.split()[0]) for line in found.splitlines() if wanted in line]
                mine = [pid for pid in pids if _descends(pid, os.getpid(), found)]
                killed.append(mine[0])
                os.kill(mine[0], signal.SIGKILL)

        report = farm.run(spec, tmp_path / "farm", workers=2, engine=engine, progress=kill)
        assert report.digest == alone.digest
        assert report.counts.lost == 1 and killed


def _descends(pid: int, ancestor: int, listing: str) -> bool:
    parents = {int(line.split()[0]): int(line.split()[1]) for line in listing.splitlines()[1:]}
    while pid in parents and pid != ancestor:
        pid = parents[pid]
    return pid == ancestor


class TestEpisodes:
    def test_an_episode_is_the_same_in_any_shard(self) -> None:
        whole = Simulation(Spec.of({**ARM, "episodes_per_shard": 12}), "cpu").run(0)
        parts = Simulation(Spec.of({**ARM, "episodes_per_shard": 5}), "cpu")
        shards = [parts.run(shard) for shard in (2, 0, 1)]  # the order does not matter either
        for name, values in whole.items():
            found = np.concatenate([shards[n][name] for n in (1, 2, 0)])
            assert np.array_equal(found, values), name
        assert len(np.unique(whole["joint_pos"][:, -1, 0])) == 12
        assert not whole["diverged"].any()

    def test_draws_are_philox_by_seed_and_episode(self) -> None:
        """Against the algorithm as Salmon et al. (2011) give it, for one block of four words."""
        found = Draws(7, range(3, 5)).uniform(2, 40, 4)
        mask = 2**64 - 1
        for row, episode in enumerate((3, 4)):
            x, key = [1, 0, 40, 2], [7, episode]  # NumPy counts before it draws
            for _ in range(10):
                a, b = x[0] * 0xD2E7470EE14C6C93, x[2] * 0xCA5A826395121157
                x = [(b >> 64) ^ x[1] ^ key[0], b & mask, (a >> 64) ^ x[3] ^ key[1], a & mask]
                key = [(key[0] + 0x9E3779B97F4A7C15) & mask, (key[1] + 0xBB67AE8584CAA73B) & mask]
            np.testing.assert_array_equal(found[row], [(word >> 11) * 2.0**-53 for word in x])

    def test_an_estimate_counts_bytes(self) -> None:
        spec = Spec.of(ARM)
        found = estimate(spec, 2, "cpu")
        arrays = Simulation(spec, "cpu").run(0)
        assert found.bytes == sum(a.nbytes for a in arrays.values()) * 3
        assert found.shards == 3 and found.seconds > 0.0

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            ({"robot": "no_such_robot"}, "no_such_robot"),
            ({"stiffness": None}, "have no gains; say stiffness and damping"),
            ({"policy": "no_module:act"}, "no_module:act: No module named 'no_module'"),
            ({"robot": "", "build": "farm_shards:nothing"}, "has no attribute 'nothing'"),
        ],
    )
    def test_what_cannot_be_simulated_is_said_before_anything_starts(
        self, more: dict[str, Any], message: str, tmp_path: Path
    ) -> None:
        with pytest.raises(FarmError, match=message):
            farm.run(Spec.of({**ARM, **more}), tmp_path / "farm", engine=Inline)
        assert not (tmp_path / "farm" / "farm.json").exists()


class TestReading:
    def test_one_lazy_dataset(self, tmp_path: Path) -> None:
        pytest.importorskip("dask", reason="dask is not installed (pip install 'phalanx[farm]')")
        spec = Spec.of(ARM)
        farm.run(spec, tmp_path / "farm", engine=Inline)
        found = farm.open_dataset(tmp_path / "farm")
        assert dict(found.sizes)["episode"] == 12
        assert found.joint_pos.chunks[0] == (4, 4, 4)
        np.testing.assert_allclose(found.time, [0.025, 0.05, 0.075, 0.1])
        simulation = Simulation(spec, "cpu")
        for shard in range(3):
            some = found.sel(episode=list(spec.episodes_of(shard))).compute()
            for name, values in simulation.run(shard).items():
                np.testing.assert_array_equal(some[name], values)
        assert float(found.joint_pos.mean()) == pytest.approx(float(found.joint_pos.compute().mean()), rel=1e-6)

    def test_what_is_not_complete(self, tmp_path: Path) -> None:
        pytest.importorskip("dask", reason="dask is not installed (pip install 'phalanx[farm]')")
        store = FarmStore(tmp_path / "farm")
        with pytest.raises(FarmError, match="there is no farm"):
            farm.open_dataset(store.url)
        store.begin(MANY, resume=False)
        with pytest.raises(FarmError, match="0 of 60 shards are done"):
            farm.open_dataset(store.url)
        store.commit(MANY, 7, numbers(MANY.describe(), store.url, {})(7))
        assert list(farm.open_dataset(store.url, partial=True).episode) == [28, 29, 30, 31]

    def test_what_was_changed(self, tmp_path: Path) -> None:
        spec = Spec.of({**ARM, "episodes": 8})
        store = FarmStore(tmp_path / "farm")
        store.begin(spec, resume=False)
        work = numbers(spec.describe(), store.url, {})
        for shard in range(2):
            store.commit(spec, shard, work(shard))
        digest = store.end(spec, store.commits(spec))
        assert farm.verify(store.url) == digest
        place = store.commits(spec)[1]["place"]
        import zarr

        found: Any = zarr.open_array(store.zarr("shards", place, "joint_pos"), mode="r+")
        found[0, 0, 0] += 1e-12
        with pytest.raises(FarmError, match=r"shard 1 \(000001-.*\) is not what was written"):
            farm.verify(store.url)


class Full(MemoryFileSystem):
    """A disk with room for small files."""

    protocol = "full"

    def pipe_file(self, path: str, value: bytes, *more: Any, **options: Any) -> Any:
        if len(value) > 2000:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().pipe_file(path, value, *more, **options)


class TestStores:
    def test_a_full_disk(self) -> None:
        register_implementation("full", Full, clobber=True)
        spec = Spec.of({**ARM, "episodes_per_shard": 400, "episodes": 400, "steps": 50})
        with pytest.raises(
            FarmError, match="full://farm: shard 0 cannot be written: the disk is full; make room, then"
        ):
            farm.run(spec, "full://farm", engine=Inline)

    def test_too_little_room_is_said_before(self, tmp_path: Path) -> None:
        spec = Spec.of({**ARM, "episodes": 10**9, "steps": 10**6})
        with pytest.raises(FarmError, match=r"the dataset may take .* GB and .* GB are free"):
            farm.run(spec, tmp_path / "farm", engine=Inline)

    def test_s3(self) -> None:
        """Written, read and resumed by way of S3's protocol."""
        pytest.importorskip("s3fs", reason="s3fs is not installed (pip install s3fs)")
        server = pytest.importorskip("moto.server", reason="moto is not installed (pip install 'moto[s3,server]')")
        found = server.ThreadedMotoServer(port=0, verbose=False)
        found.start()
        try:
            host, port = found.get_host_and_port()
            options: Any = {"endpoint_url": f"http://{host}:{port}", "key": "a", "secret": "b"}
            import s3fs

            s3fs.S3FileSystem(**options).mkdir("bucket")
            spec, url = Spec.of(ARM), "s3://bucket/arm"
            digest = farm.run(spec, url, engine=Inline, options=options).digest
            assert farm.verify(url, options=options) == digest
            assert farm.run(spec, url, engine=Inline, options=options, resume=True).kept == 3
            with pytest.raises(FarmError, match="go on with resume"):
                farm.run(spec, url, engine=Inline, options=options)
        finally:
            found.stop()

    def test_one_that_cannot_be_reached(self) -> None:
        pytest.importorskip("s3fs", reason="s3fs is not installed (pip install s3fs)")
        options = {"endpoint_url": "http://127.0.0.1:9", "key": "a", "secret": "b"}
        with pytest.raises(FarmError, match=r"s3://bucket/arm: farm.json cannot be read: .*onnect"):
            farm.run(Spec.of(ARM), "s3://bucket/arm", engine=Inline, options=options)

    def test_mistakes(self, tmp_path: Path) -> None:
        spec = Spec.of({**ARM, "episodes": 4})
        (tmp_path / "file").write_text("")
        with pytest.raises(FarmError, match="the folder cannot be made"):
            farm.run(spec, tmp_path / "file" / "farm", engine=Inline)
        with pytest.raises(FarmError, match="cannot be opened: Protocol not known: nowhere"):
            farm.run(spec, "nowhere://farm", engine=Inline)
        with pytest.raises(FarmError, match="there is something that is no farm"):
            farm.run(spec, tmp_path, engine=Inline)
        wrong: dict[str, Any] = {"workers": 0, "gpus": -1, "cores": 1.5}
        for name, value in wrong.items():
            with pytest.raises(FarmError, match=f"{name}: {value}"):
                farm.run(spec, tmp_path / "farm", engine=Inline, **{name: value})
        farm.run(spec, tmp_path / "farm", engine=Inline)
        with pytest.raises(FarmError, match="there is a farm already; go on with resume"):
            farm.run(spec, tmp_path / "farm", engine=Inline)
        with pytest.raises(FarmError, match="a farm of another spec; it differs in steps"):
            farm.run(Spec.of({**ARM, "episodes": 4, "steps": 40}), tmp_path / "farm", engine=Inline, resume=True)

    @pytest.mark.parametrize("which", ["farm.json", "commits/000001.json"])
    def test_another_version(self, tmp_path: Path, which: str) -> None:
        store = FarmStore(tmp_path / "farm")
        store.begin(MANY, resume=False)
        for shard in range(2):
            store.commit(MANY, shard, numbers(MANY.describe(), store.url, {})(shard))
        path = tmp_path / "farm" / which
        path.write_text(json.dumps(json.loads(path.read_text()) | {"phalanx_farm": 2}))
        said = "the farm has format 2" if which == "farm.json" else "shard 000001 has format 2"
        with pytest.raises(FarmError, match=said):
            farm.run(MANY, tmp_path / "farm", engine=Inline, resume=True)


class TestFailures:
    @pytest.mark.parametrize(
        ("more", "message"),
        [
            ({"fails": 3}, "Shard 3 was tried 5 times; the last time: ValueError: no luck"),
            pytest.param(
                {"dies": 3}, "Shard 3 was tried 5 times; the last time: it ended with code 7", marks=pytest.mark.slow
            ),
        ],
    )
    def test_a_shard_that_cannot_be_done(self, tmp_path: Path, more: dict[str, int], message: str) -> None:
        fleets: list[Processes] = []
        with pytest.raises(FarmError, match=message):
            farm.run(MANY, tmp_path / "farm", workers=2, engine=_quick(fleets, **more))
        assert fleets[0].pids == []

    @pytest.mark.slow
    def test_workers_that_do_not_start(self, tmp_path: Path) -> None:
        def made(job: dict[str, Any], workers: int) -> Processes:
            return Processes({"work": "no_module:work", "arguments": {}}, workers, lambda n: {})

        with pytest.raises(FarmError, match="No module named 'no_module'"):
            farm.run(MANY, tmp_path / "farm", engine=made)
