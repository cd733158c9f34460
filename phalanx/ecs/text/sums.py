"""Sums over the iterations of a spread loop: kept in registers of each thread, joined after the loop."""

from __future__ import annotations

import ast
import copy

from phalanx.ecs.source.walk import walk
from phalanx.ecs.text.statements import assigned_to, field_of, is_lane_loop, names_in, statements_of
from phalanx.ecs.text.team_fields import TeamFields


class Sums(ast.NodeTransformer):
    """Turn sums over a spread loop into registers; ``found`` has their names, by the item that they are added to.

    Args:
        team: who runs the loop.
        loop: the loop, of which nothing has been rewritten yet.
        own: names that the loop assigns.
    """

    def __init__(self, team: TeamFields, loop: ast.For, own: set[str]) -> None:
        self.team, self.found = team, dict[str, str]()
        self.lane = {name for n in walk(loop) if is_lane_loop(n) for name in names_in(n.target, ast.Store)}
        self.own = own - self.lane
        self.kept = {field_of(t) for n in walk(loop) if isinstance(n, ast.Assign) for t in assigned_to(n)}
        """Fields that iterations assign to; private ones are then no sums, but each iteration's own."""
        self.differs = _differing(loop)

    def rewrite(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The loop's body."""
        statements = [self.visit(statement) for statement in statements]
        for node in (n for s in statements for n in walk(s)):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and self._text(node) in self.found:
                raise self.team.error(
                    node, f"{ast.unparse(node)} is summed up by a spread loop, and known only after it, not within"
                )
        return statements

    def before(self) -> list[ast.stmt]:
        """What comes before the loop."""
        zeros = ((name, "signed(0)" if self._is_whole(item) else "real(0)") for item, name in self.found.items())
        return [s for name, zero in zeros for s in statements_of(f"{name} = {zero}")]

    def _is_whole(self, item: str) -> bool:
        """Whether the numbers of an item's field are whole."""
        return self.team.system.arguments[item.split("[")[0]].target.dtype == "int32"

    def _text(self, item: ast.expr) -> str:
        """An item as source, with the lane as it is called outside of the loop over lanes."""
        named = copy.deepcopy(item)
        for index in walk(named):
            if isinstance(index, ast.Name) and index.id in self.lane:
                index.id = "_low"
        return ast.unparse(named)

    def _is_common(self, target: ast.Subscript) -> bool:
        """Whether all iterations mean the same item."""
        used = names_in(target.slice, ast.Load)
        if used & self.differs:
            return False
        if used & self.own:
            raise self.team.error(target, f"{ast.unparse(target)}: which item it is must be known before the loop")
        return True

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """Refuse what all iterations store to."""
        for item in assigned_to(node):
            if isinstance(item, ast.Subscript) and field_of(item) in self.team.fields and self._is_common(item):
                raise self.team.error(node, f"all iterations of a spread loop store to {ast.unparse(item)}")
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        """Add to a register what all iterations add to the same item."""
        target = node.target
        field = field_of(target)
        if field not in self.team.fields and (field not in self.team.private or field in self.kept):
            return node
        assert isinstance(target, ast.Subscript)
        if not self._is_common(target):
            return node
        if not isinstance(node.op, ast.Add | ast.Sub):
            raise self.team.error(node, "a spread loop can join sums only: += or -=")
        text = self._text(target)
        if text not in self.found:
            self.found[text] = f"_sum{self.team.sums}"
            self.team.sums += 1
        register = ast.Name(self.found[text], ast.Store())
        return ast.copy_location(ast.AugAssign(register, node.op, node.value), node)


def _differing(loop: ast.For) -> set[str]:
    """Names whose value differs from iteration to iteration."""
    differs = names_in(loop.target, ast.Store)
    while True:
        before = len(differs)
        for node in walk(loop):
            if isinstance(node, ast.Assign | ast.AugAssign):
                source: ast.AST = node.value
                stored = {name for target in assigned_to(node) for name in names_in(target, ast.Store)}
            elif isinstance(node, ast.For) and node is not loop:
                source, stored = node.iter, names_in(node.target, ast.Store)
            else:
                continue
            if names_in(source, ast.Load) & differs:
                differs |= stored
        if len(differs) == before:
            return differs
