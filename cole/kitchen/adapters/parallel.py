"""The kitchen as a PettingZoo ParallelEnv: all seats act at once."""

from typing import Any

import jax
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from cole.errors import UserError
from cole.kitchen.adapters import turns
from cole.kitchen.adapters.turns import Setup
from cole.kitchen.game import State


class ParallelKitchen(ParallelEnv):
    """One agent per seat. An agent's info holds its shaped reward, its events of the step, and the score so far."""

    _state: State  # from the first reset on

    metadata = {
        "name": "cole_overcooked_v0",
        "render_modes": list(turns.RENDER_MODES),
        "render_fps": turns.FRAMES_PER_SECOND,
        "is_parallelizable": True,
    }

    def __init__(self, setup: Setup, render_mode: str | None = None) -> None:
        self.setup = setup
        self.render_mode = turns.check_render_mode(render_mode)
        self.possible_agents = turns.agents(setup)
        self.agents: list[str] = []
        shape, (low, high) = turns.observation_shape(setup), turns.bounds(setup)
        self.observation_spaces = {a: spaces.Box(low, high, shape.shape, shape.dtype) for a in self.possible_agents}
        self.action_spaces = {a: spaces.Discrete(turns.ACTIONS) for a in self.possible_agents}
        self._rng, _ = seeding.np_random()
        self._begun = False

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict | None = None) -> tuple[dict, dict]:
        """A new episode. The seed matters only for random starts; `options` has no meaning here."""
        if seed is not None:
            self._rng, _ = seeding.np_random(seed)
        self._state = turns.opening(self.setup, jax.random.key(int(self._rng.integers(2**31))))
        self._score, self._begun = 0.0, True
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> tuple[dict, dict, dict, dict, dict]:
        """One turn of everybody; at the horizon all agents are truncated and leave."""
        turns.check_going_on(bool(self.agents))
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise UserError(f"there is no action for {', '.join(missing)}")
        joint = np.array([turns.check_action(agent, actions[agent]) for agent in self.agents], np.int32)
        turn = turns.turn(self.setup, self._state, joint)
        self._state, turn = turn.state, jax.device_get(turn._replace(state=None))
        self._score += float(turn.score)
        agents, over = self.agents, bool(turn.over)
        infos = {agent: turns.info(turn, seat, self._score) for seat, agent in enumerate(agents)}
        observations = self._observations()
        self.agents = [] if over else agents
        every = dict.fromkeys
        return observations, every(agents, float(turn.reward)), every(agents, False), every(agents, over), infos

    def render(self) -> Any:
        """Text or an image of the present state, by the render mode; None without one."""
        turns.check_going_on(self._begun)
        return turns.picture(self.setup, self._state, self._score, self.render_mode)

    def _observations(self) -> dict[str, np.ndarray]:
        seen = np.array(turns.look(self.setup, self._state))  # a copy that may be written to
        return {agent: seen[seat] for seat, agent in enumerate(self.agents)}
