"""A method in one kitchen, as everything around it sees it: start, advance, publish; for P seeds in one program."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import jax
from jax import Array

ONE_BY_ONE = {"cpu": True, "gpu": False}  # see `of_each`


class Program(NamedTuple):
    """What a run is made of. Nothing here depends on the seeds but what is handed in and out."""

    rounds: int  # of a whole run; between two rounds a run can be stopped and continued
    env_steps: int  # steps of the game in one round, for each seed
    start: Callable[[Array], Any]  # seeds [P] -> state: a pytree of arrays [P, ...], everything that ever changes
    advance: Callable[[Any, int], tuple[Any, dict[str, Array]]]  # (state, round 0, 1, ...) -> state, log [P, U, ...]
    agents: Callable[[Any], Any]  # state -> the parameters [P, ...] of the agents to publish
    strategies: Callable[[Any], Any] | None = None  # state -> the strategies [P, ...] of a round, kept for later study
    steps: Callable[[Any], Array] | None = None  # state -> environment steps [P] of the learners; else by the rounds
    kept_from: int = 0  # the first round whose strategies are kept: where the published agent begins to learn
    changes: tuple[int, ...] = ()  # rounds, after the first, from which on something else is compiled
    all_steps: int | None = None  # environment steps of a seed, all learners together; None: those of the agent
    breakdown: Callable[[int], dict[str, float]] | None = None  # seeds -> what each part of a round takes, in ms


def of_each(function: Callable, in_axes: tuple[Literal[0] | None, ...] | None = None) -> Callable:
    """`function` over axis 0 of all arguments, or of those with a 0 in `in_axes`.

    By `vmap` on an accelerator; on a CPU one after the other, where each has all cores to itself and pays for no branch
    that it does not take. A single one goes without either: half as much to trace.
    """

    def every(*arguments: Any) -> Any:
        axes = in_axes or (0,) * len(arguments)
        many = [argument for argument, axis in zip(arguments, axes, strict=True) if axis == 0]

        def one(each: list) -> Any:
            rest = iter(each)
            return function(*(a if axis is None else next(rest) for a, axis in zip(arguments, axes, strict=True)))

        if len(jax.tree.leaves(many)[0]) == 1:
            return jax.tree.map(lambda x: x[None], one(jax.tree.map(lambda x: x[0], many)))
        if ONE_BY_ONE.get(jax.default_backend(), False):
            return jax.lax.map(one, many)
        return jax.vmap(one)(many)

    return every
