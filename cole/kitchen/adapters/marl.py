"""The kitchen as a JaxMARL MultiAgentEnv: pure functions inside, so that its learners can jit, vmap and scan it."""

from functools import partial

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array
from jaxmarl.environments import spaces
from jaxmarl.environments.multi_agent_env import MultiAgentEnv
from jaxmarl.environments.multi_agent_env import State as MarlState

from cole.kitchen import game
from cole.kitchen.adapters import turns
from cole.kitchen.adapters.turns import Setup


@struct.dataclass
class KitchenState(MarlState):
    """JaxMARL's `done` and `step`, and the game."""

    game: game.State


class OvercookedKitchen(MultiAgentEnv):
    """One agent per seat; `step` starts the next episode by itself, as JaxMARL's base class does.

    JaxMARL's CTRolloutManager looks for "overcooked" in the name of the class, to flatten the views and to count the
    shared reward once.
    """

    def __init__(self, setup: Setup) -> None:
        super().__init__(num_agents=len(setup.layout.start))
        self.setup = setup
        self.max_steps = setup.horizon
        self.agents = turns.agents(setup)
        shape, (low, high) = turns.observation_shape(setup), turns.bounds(setup)
        self.obs_shape = shape.shape
        self.observation_spaces = {a: spaces.Box(low, high, shape.shape, shape.dtype) for a in self.agents}
        self.action_spaces = {a: spaces.Discrete(turns.ACTIONS) for a in self.agents}

    @partial(jax.jit, static_argnums=0)
    def reset(self, key: Array) -> tuple[dict[str, Array], KitchenState]:
        state = turns.opening(self.setup, key)
        state = KitchenState(done=jnp.array(False), step=jnp.zeros_like(state.clock), game=state)
        return self.get_obs(state), state

    def step_env(self, key: Array, state: KitchenState, actions: dict[str, Array]) -> tuple:
        """One turn without a new episode; the game is deterministic and leaves the key unused."""
        joint = jnp.stack([jnp.asarray(actions[agent], jnp.int32) for agent in self.agents])
        turn = turns.turn(self.setup, state.game, joint)
        state = KitchenState(done=turn.over, step=state.step + 1, game=turn.state)
        dones = dict.fromkeys([*self.agents, "__all__"], turn.over)
        rewards = dict.fromkeys(self.agents, turn.reward)
        info = {"shaped_reward": {agent: turn.shaped[seat] for seat, agent in enumerate(self.agents)}}
        return self.get_obs(state), state, rewards, dones, info

    def get_obs(self, state: KitchenState) -> dict[str, Array]:
        seen = turns.look(self.setup, state.game)
        return {agent: seen[seat] for seat, agent in enumerate(self.agents)}

    @partial(jax.jit, static_argnums=0)
    def get_avail_actions(self, state: KitchenState) -> dict[str, Array]:
        """Every action is allowed everywhere."""
        return {agent: jnp.ones(turns.ACTIONS, bool) for agent in self.agents}

    @property
    def agent_classes(self) -> dict[str, list[str]]:
        return {"cook": self.agents}

    @property
    def num_actions(self) -> int:
        return turns.ACTIONS
