"""Results of benchmarks as text."""

from __future__ import annotations

from typing import Any

COLUMNS = (
    f"{'scene':<16}{'envs':>7}  {'engine':<16}{'env-steps/s':>14}{'ratio':>7}{'us/step':>10}{'dofs':>6}{'shapes':>7}"
    f"{'contacts':>9}{'touching':>9}{'height':>8}{'at end':>8}{'first':>8}{'kB/env':>8}"
)


def table(results: dict[str, Any]) -> str:
    """The cases, each with its peer under it; then what there is to say about them, and where the time goes."""
    lines, remarks = [_heading(results), "", COLUMNS], []
    for case in results["cases"]:
        runs = [case["phalanx"], *case["peers"]]
        for run in runs:
            lines.append(_row(case, run, case["phalanx"]))
            remarks += [f"{case['scene']}, {case['num_envs']}, {run['engine']}: {note}" for note in run["notes"]]
        remarks += [f"{case['scene']}, {case['num_envs']}: {difference}" for difference in case["differences"]]
    lines += _recordings(results) + _first_steps(results)
    if remarks:
        lines += ["", *remarks]
    lines += _shares(results) + _memory(results)
    return "\n".join(lines)


def _heading(results: dict[str, Any]) -> str:
    machine = results["machine"]
    where = machine.get("gpu") if results["device"] != "cpu" else None
    where = where or f"{results['threads']} threads of {machine['processor']}"
    return (
        f"Phalanx {machine['phalanx']} on {where}, {results['dtype']}. Contacts, those that touch (at most 1 mm apart) "
        "and heights (m) are means over environments and time, but those at the end; ratio: Phalanx to that engine."
    )


def _row(case: dict[str, Any], run: dict[str, Any], ours: dict[str, Any]) -> str:
    rate = run["env_steps_per_second"]
    ratio = "" if run is ours else f"{ours['env_steps_per_second'] / rate:.2f}"
    size = "" if run["bytes_per_env"] is None else f"{run['bytes_per_env'] / 1e3:.1f}"
    return (
        f"{case['scene'] if run is ours else '':<16}{case['num_envs'] if run is ours else '':>7}  {run['engine']:<16}"
        f"{rate:>14,.0f}{ratio:>7}{1e6 * run['num_envs'] / rate:>10.1f}{run['dofs']:>6}{run['shapes']:>7}"
        f"{run['contacts_per_env']:>9.1f}{run['touching_per_env']:>9.1f}{run['height']:>8.3f}{run['height_at_end']:>8.3f}"
        f"{run['first_step_seconds']:>7.1f}s{size:>8}"
    )


def _recordings(results: dict[str, Any]) -> list[str]:
    recorded = [case for case in results["cases"] if case["recording"]]
    lines = [
        f"  {case['scene']:<16}{case['num_envs']:>7}  {case['recording']['slowdown']:+.1%} "
        f"(least times {case['recording']['slowdown_of_least']:+.1%}, processor time "
        f"{case['recording']['cpu_slowdown']:+.1%}) for {case['recording']['steps']} steps, "
        f"{case['recording']['bytes_of_values'] / 1e6:.1f} MB, {case['recording']['bytes_on_disk'] / 1e6:.1f} on disk"
        for case in recorded
    ]
    return ["", "Recording every step takes longer by:", *lines] if lines else []


def _first_steps(results: dict[str, Any]) -> list[str]:
    found = results.get("first_steps", [])
    if not found:
        return []
    lines = ["", "Seconds to the end of the first step of a new process, imports included:"]
    for case in found:
        lines.append(
            f"  {case['scene']:<16}{case['engine']:<16}empty cache {case['cold_seconds']:6.1f}, warm cache "
            f"{case['warm_seconds']:5.1f}"
        )
    return lines


def _memory(results: dict[str, Any], count: int = 5) -> list[str]:
    """Of each scene with most environments, since arrays are padded."""
    largest: dict[str, dict[str, Any]] = {}
    for case in results["cases"]:
        if case["num_envs"] >= largest.setdefault(case["scene"], case)["num_envs"]:
            largest[case["scene"]] = case
    lines = []
    for case in largest.values():
        memory = case["memory"]
        parts = list(memory["largest_components_bytes_per_env"].items())[:count]
        most = ", ".join(f"{name} {size / 1e3:.1f}" for name, size in parts)
        lines.append(f"  {case['scene']}, {case['num_envs']}: {memory['bytes'] / 1e6:.0f} MB; kB/env: {most}")
    return ["", "Memory of all arrays, and the components with most of it:", *lines] if lines else []


def _shares(results: dict[str, Any], count: int = 8) -> list[str]:
    timed = [case for case in results["cases"] if case["phase_seconds_per_step"]]
    largest: dict[str, dict[str, Any]] = {}
    for case in timed:
        kept = largest.setdefault(case["scene"], case)
        if case["num_envs"] > kept["num_envs"]:
            largest[case["scene"]] = case
    lines = []
    for case in largest.values():
        total = sum(case["phase_seconds_per_step"].values())
        spent = sorted(case["phase_seconds_per_step"].items(), key=lambda item: -item[1])
        text = ", ".join(f"{name} {seconds / total:.0%}" for name, seconds in spent[:count])
        systems = sorted(case["system_seconds_per_step"].items(), key=lambda item: -item[1])[:4]
        most = ", ".join(f"{name} {1e6 * seconds:.0f} us" for name, seconds in systems)
        lines.append(f"  {case['scene']}, {case['num_envs']}: {text}; most: {most}")
    return ["", "Where the time of a step goes, each system alone:", *lines] if lines else []
