"""Doors to other libraries: the kitchen as an environment of PettingZoo, Gymnasium or JaxMARL, for their learners.

    adapters.pettingzoo_env("cramped_room")                      a ParallelEnv, one agent per seat
    adapters.gymnasium_env("cramped_room", partner=my_policy)    one seat; a fixed partner holds the others
    adapters.jaxmarl_env("cramped_room")                         a MultiAgentEnv, for jit, vmap and scan

All take the options of `Options`. The reward is the team's, the same for every seat; shaping is told beside it. An
episode ends at the horizon by truncation: nothing in the game itself ever ends. The libraries are optional.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from cole.errors import UserError
from cole.kitchen.adapters.turns import Options, Partner, prepare
from cole.kitchen.layouts import Layout

if TYPE_CHECKING:
    from cole.kitchen.adapters.marl import OvercookedKitchen
    from cole.kitchen.adapters.parallel import ParallelKitchen
    from cole.kitchen.adapters.single import SingleSeatKitchen

__all__ = ["Options", "Partner", "gymnasium_env", "jaxmarl_env", "pettingzoo_env"]


def pettingzoo_env(
    layout: str | Path | Layout, *, render_mode: str | None = None, **options: Unpack[Options]
) -> "ParallelKitchen":
    """A PettingZoo ParallelEnv with the agents agent_0, agent_1, ..., one per seat."""
    return _door("parallel").ParallelKitchen(prepare(layout, **options), render_mode)


def gymnasium_env(
    layout: str | Path | Layout,
    *,
    seat: int | None = None,
    partner: Partner | None = None,
    partner_view: Any = None,
    render_mode: str | None = None,
    **options: Unpack[Options],
) -> "SingleSeatKitchen":
    """A Gymnasium Env for one seat (None: drawn anew for each episode); `partner` holds all others.

    A partner is a function (observation, rng) -> action; by default it acts at random. It sees the learner's view,
    or `partner_view`. If it has a method `reset`, that is called before each episode.
    """
    setup = prepare(layout, **options)
    return _door("single").SingleSeatKitchen(setup, seat, partner, partner_view, render_mode)


def jaxmarl_env(layout: str | Path | Layout, **options: Unpack[Options]) -> "OvercookedKitchen":
    """A JaxMARL MultiAgentEnv; shaping is in info["shaped_reward"], by agent, as in JaxMARL's own Overcooked."""
    return _door("marl").OvercookedKitchen(prepare(layout, **options))


def _door(module: str) -> Any:
    """A file of this folder; each imports one library, which may be missing."""
    try:
        return import_module(f"cole.kitchen.adapters.{module}")
    except ImportError as error:
        raise UserError(
            f"{error}; this needs the extra `adapters`: pip install '.[adapters]' in the project's folder"
        ) from None
