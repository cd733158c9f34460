"""Numbers of the kernel language in generated text: floats of the world's type, and scratch arrays."""

from __future__ import annotations

import ast
import math
from typing import Any

from phalanx.ecs.cache.modules import Target
from phalanx.ecs.errors import DeclarationError
from phalanx.ecs.source.walk import walk


def literal(value: float) -> str:
    """A float of the world's type, as source."""
    return f"real({value!r})" if math.isfinite(value) else f"real(float('{value}'))"


def definitions(constants: dict[str, Any], floats: dict[float, str]) -> str:
    """Text that defines the constants of a module by name, and the floats that :class:`Literals` has named."""
    found = [f"{name} = {literal(value)}" for value, name in floats.items()]
    for name, value in sorted(constants.items()):
        found.append(f"{name} = {literal(value) if isinstance(value, float) else repr(value)}")
    return "\n".join(found)


class Literals(ast.NodeTransformer):
    """Give float literals the world's type: each is a name of the module, collected in ``floats``."""

    def __init__(self, floats: dict[float, str]) -> None:
        self.floats = floats

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Bare literals."""
        if isinstance(node.value, float):
            return self._named(node.value, node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Numbers of the module math are literals, too: ``math.inf``."""
        value = getattr(math, node.attr, None) if isinstance(node.value, ast.Name) and node.value.id == "math" else None
        if isinstance(value, float):
            return self._named(value, node)
        self.generic_visit(node)
        return node

    def _named(self, value: float, node: ast.expr) -> ast.expr:
        name = self.floats.setdefault(value, f"_{len(self.floats)}")
        return ast.copy_location(ast.Name(name, ast.Load()), node)


class Scratch(ast.NodeTransformer):
    """Replace ``local(n)``, ``local_int(n)`` and ``block_memory(n)`` by what the back end has for it.

    Args:
        constants: what names in ``n`` stand for.
        target: back end.
    """

    def __init__(self, constants: dict[str, Any], target: Target) -> None:
        self.constants, self.target = constants, target
        self.used = False
        """Whether there has been any of the first two."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Calls of these."""
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name) or node.func.id not in ("local", "local_int", "block_memory"):
            return node
        try:
            count = eval(compile(ast.Expression(node.args[0]), "", "eval"), {"__builtins__": {}}, self.constants)
        except (NameError, TypeError, IndexError):
            count = None
        least = 0 if node.func.id == "block_memory" else 1
        if type(count) is not int or count < least or len(node.args) != 1:
            raise DeclarationError(f"{ast.unparse(node)}: the size must be made of whole literals and constants")
        if node.func.id == "block_memory":
            return ast.copy_location(
                ast.parse(f"cuda.shared.array({count}, real, alignment=16)", mode="eval").body, node
            )
        self.used = True
        kind = "real" if node.func.id == "local" else "np.int32"
        text = f"carray(stack({count}), ({count},), {kind})" if self.target == "cpu" else f"scratch({count}, {kind})"
        return ast.copy_location(ast.parse(text, mode="eval").body, node)


class BlockMemory(ast.NodeTransformer):
    """Index arrays of a block without a sign: Numba looks at each index whether it counts from the end."""

    def __init__(self, statements: list[ast.stmt]) -> None:
        made = [n for s in statements for n in walk(s) if isinstance(n, ast.Assign)]
        made = [n for n in made if ast.unparse(n.value).startswith("cuda.shared.array(")]
        self.names = {ast.unparse(n.targets[0]) for n in made}

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Items of such arrays."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id in self.names:
            node.slice = ast.Call(ast.Name("unsigned", ast.Load()), [node.slice], [])
        return node
