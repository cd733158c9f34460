"""What the threads of a team share of a system's fields, and what each has of its own."""

from __future__ import annotations

import ast

from phalanx.ecs.declare import System
from phalanx.ecs.errors import DeclarationError


def private_arguments(system: System) -> list[str]:
    """Arguments whose field holds something only while a system runs: each thread on the GPU has its own."""
    return [name for name, access in system.field_arguments.items() if access.target.private]


class TeamFields:
    """The fields of a system that a team of threads runs; what rewrites the system starts from them."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.private = set(private_arguments(system))
        self.fields = set(system.field_arguments) - self.private
        self.stored = {name for name in self.fields if system.arguments[name].writes}
        self.sums = 0
        """Registers that sums are kept in."""

    def error(self, node: ast.AST, text: str) -> DeclarationError:
        """A refusal that says where."""
        return DeclarationError(f"system {self.system.name}, line {getattr(node, 'lineno', '?')}: {text}")
