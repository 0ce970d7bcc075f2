"""Steps per second of the kitchen beside JaxMARL's Overcooked: one JSON line per figure.

Both programs do the same work in one compiled call: play `--steps` ticks of N parallel games with random actions drawn
beforehand, build the observation of both seats after every tick, and return every game's sum of all numbers it
observed and of all rewards, sparse and shaped, so that the compiler cannot drop any of it.

    python bench/kitchen.py --layout cramped_room --games 1 128 2048 32768
"""

import argparse
import json
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array
from timing import measure

from cole.kitchen import game, layouts, views

JAXMARL_NAMES = {
    "cramped_room": "cramped_room",
    "asymmetric_advantages": "asymm_advantages",
    "coordination_ring": "coord_ring",
    "forced_coordination": "forced_coord",
    "counter_circuit": "counter_circuit",
}


Program = Callable[[Array], tuple[Array, Array]]


def checksum(observations: list[Array]) -> Array:
    """[N]: a number for each game that depends on every entry of what both seats observed."""
    return sum(jnp.sum(view, axis=(1, 2, 3), dtype=jnp.uint32) for view in observations)


def cole_program(name: str, games: int, steps: int) -> Program:
    """key -> checksums and returns of all games, for our kitchen."""
    layout = layouts.load(name)
    observe = jax.vmap(lambda state: [views.grid(layout, state, seat) for seat in range(2)])
    step = jax.vmap(lambda state, actions: game.step(layout, state, actions))

    def tick(carry, actions):
        state, seen, returns = carry
        state, events = step(state, actions)
        rewards = game.reward(game.SPARSE, events) + game.reward(game.SHAPED, events)
        return (state, seen + checksum(observe(state)), returns + jnp.sum(rewards, axis=1)), None

    def program(key):
        actions = jax.random.randint(key, (steps, games, 2), 0, layouts.ACTIONS)
        start = jax.tree.map(lambda x: jnp.broadcast_to(x, (games, *x.shape)), game.reset(layout))
        nothing = (jnp.zeros(games, jnp.uint32), jnp.zeros(games))
        (_, *sums), _ = jax.lax.scan(tick, (start, *nothing), actions)
        return tuple(sums)

    return jax.jit(program)


def jaxmarl_program(name: str, games: int, steps: int, reset: bool) -> Program:
    """The same for JaxMARL's: through its public `step`, which resets by itself, or the bare `step_env`."""
    from jaxmarl.environments.overcooked import Overcooked, overcooked_layouts

    env = Overcooked(layout=overcooked_layouts[JAXMARL_NAMES[name]], max_steps=steps)
    step = jax.vmap(env.step if reset else env.step_env, in_axes=(0, 0, 0))

    def tick(carry, now):
        state, seen, returns = carry
        keys, actions = now
        observation, state, reward, _, info = step(keys, state, {a: actions[:, i] for i, a in enumerate(env.agents)})
        rewards = sum(reward[a] + info["shaped_reward"][a] for a in env.agents)
        return (state, seen + checksum(list(observation.values())), returns + rewards), None

    def program(key):
        keys = jax.random.split(key, (3, games))
        actions = jax.random.randint(keys[0, 0], (steps, games, 2), 0, layouts.ACTIONS)
        _, start = jax.vmap(env.reset)(keys[1])
        # step_env never looks at its key and step only when it resets, so one set of keys serves all ticks.
        per_tick = jnp.broadcast_to(keys[2], (steps, *keys[2].shape))
        nothing = (jnp.zeros(games, jnp.uint32), jnp.zeros(games))
        (_, *sums), _ = jax.lax.scan(tick, (start, *nothing), (per_tick, actions))
        return tuple(sums)

    return jax.jit(program)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layout", nargs="+", default=["cramped_room"], choices=list(layouts.MAPS))
    parser.add_argument("--games", nargs="+", type=int, default=[1, 128, 2048, 32768])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--budget", type=float, default=20.0, help="stop repeating after so many seconds per figure")
    parser.add_argument("--no-peer", action="store_true", help="measure ours alone")
    args = parser.parse_args()
    device = jax.devices()[0]
    about = {"device": device.device_kind, "jax": jax.__version__, "steps": args.steps}
    for name in args.layout:
        for games in args.games:
            programs = {"cole": cole_program(name, games, args.steps)}
            if not args.no_peer:
                programs["jaxmarl step_env"] = jaxmarl_program(name, games, args.steps, reset=False)
                programs["jaxmarl step"] = jaxmarl_program(name, games, args.steps, reset=True)
            rates = {}
            for who, program in programs.items():
                first, median, least, calls = measure(program, args.repeats, args.budget)
                rates[who] = games * args.steps / median
                figures = {"steps_per_s": round(rates[who]), "us_per_tick": round(1e6 * median / args.steps, 2)}
                spread = {"best_s": round(least, 5), "median_s": round(median, 5), "first_call_s": round(first, 2)}
                line = {"bench": "kitchen", "layout": name, "games": games, "program": who, **figures, **spread}
                print(json.dumps({**line, "calls": calls, **about}), flush=True)
            ratios = {f"times {who}": round(rates["cole"] / rate, 2) for who, rate in rates.items() if who != "cole"}
            if ratios:
                print(
                    json.dumps({"bench": "kitchen ratio", "layout": name, "games": games, **ratios, **about}),
                    flush=True,
                )


if __name__ == "__main__":
    main()
