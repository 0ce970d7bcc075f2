"""The kitchen as a Gymnasium Env: one seat learns, a fixed partner holds the others."""

from typing import Any

import gymnasium
import jax
import numpy as np
from gymnasium import spaces

from cole.errors import UserError
from cole.kitchen.adapters import turns
from cole.kitchen.adapters.turns import Partner, Setup, View
from cole.kitchen.game import State


def random_partner(observation: np.ndarray, rng: np.random.Generator) -> int:
    """Any action, whatever it sees."""
    return int(rng.integers(turns.ACTIONS))


class SingleSeatKitchen(gymnasium.Env):
    """Info holds the seat, its shaped reward and events of the step, and the score so far."""

    _state: State  # from the first reset on

    metadata = {"render_modes": list(turns.RENDER_MODES), "render_fps": turns.FRAMES_PER_SECOND}

    def __init__(
        self,
        setup: Setup,
        seat: int | None = None,
        partner: Partner | None = None,
        partner_view: str | View | None = None,
        render_mode: str | None = None,
    ) -> None:
        seats = len(setup.layout.start)
        if seat is not None and seat not in range(seats):
            raise UserError(f"seat is {seat}, but the seats of this kitchen are 0 to {seats - 1}")
        self.setup, self.fixed_seat = setup, seat
        self.partner = random_partner if partner is None else partner
        self.partner_setup = turns.with_view(setup, partner_view)
        self.render_mode = turns.check_render_mode(render_mode)
        shape, (low, high) = turns.observation_shape(setup), turns.bounds(setup)
        self.observation_space = spaces.Box(low, high, shape.shape, shape.dtype)
        self.action_space = spaces.Discrete(turns.ACTIONS)
        self._begun = False
        self._going_on = False

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """A new episode; the seed decides seat, start and what the partner draws. `options` has no meaning here."""
        super().reset(seed=seed)
        self.seat = int(self.np_random.integers(len(self.setup.layout.start)))
        if self.fixed_seat is not None:
            self.seat = self.fixed_seat
        self._state = turns.opening(self.setup, jax.random.key(int(self.np_random.integers(2**31))))
        self._score, self._begun, self._going_on = 0.0, True, True
        if hasattr(self.partner, "reset"):
            self.partner.reset()
        return self._observation(), {"seat": self.seat}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        """The learner's action and the partner's in one turn; truncated at the horizon."""
        turns.check_going_on(self._going_on)
        joint = np.array(self._joint(turns.check_action(f"seat {self.seat}", action)), np.int32)
        turn = turns.turn(self.setup, self._state, joint)
        self._state, turn = turn.state, jax.device_get(turn._replace(state=None))
        self._score += float(turn.score)
        self._going_on = not turn.over
        info = {"seat": self.seat, **turns.info(turn, self.seat, self._score)}
        return self._observation(), float(turn.reward), False, bool(turn.over), info

    def render(self) -> Any:
        """Text or an image of the present state, by the render mode; None without one."""
        turns.check_going_on(self._begun)
        return turns.picture(self.setup, self._state, self._score, self.render_mode)

    def _joint(self, action: int) -> list[int]:
        """The actions of all seats, the partner's asked seat by seat."""
        seats = range(len(self.setup.layout.start))
        same = self.partner_setup is self.setup
        seen = self._seen if same else np.array(turns.look(self.partner_setup, self._state))
        asked = (s for s in seats if s != self.seat)
        chosen = {s: turns.check_action("the partner", self.partner(seen[s], self.np_random)) for s in asked}
        return [chosen.get(s, action) for s in seats]

    def _observation(self) -> np.ndarray:
        self._seen = np.array(turns.look(self.setup, self._state))
        return self._seen[self.seat]
