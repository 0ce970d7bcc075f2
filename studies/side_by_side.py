"""Many settings of COLE in one program, from the same first networks: what differs between them is data.

35 learners side by side take about three times as long as 5, and compile once. Agents are left in
RUNS/LAYOUT/STUDY/NAME/agents/NUMBER-OF-SETTING/seed-N, and what is finished is not trained again.
"""

import argparse
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from cole import options, paper, run, runfolder
from cole.evaluate.crossplay import play_all
from cole.evaluate.pairs import Setting
from cole.evaluate.players import Player, kitchen_of
from cole.kitchen import layouts
from cole.methods import cole
from cole.methods.cole import Kitchen, Solving
from cole.oracle import Mixture
from cole.policy import store
from cole.program import Program

NUMBERS = ("own", "pause", "err", "entropy", "c", "random_starts")  # of an arm
APART = 1000  # seeds of one setting and of the next; the first networks are those of the rest


class Arm(NamedTuple):
    """One setting: the default recipe, without its pauses and random starts, but for these."""

    solving: Solving
    own: int = 1  # of four groups
    pause: float = 0.0
    err: float = 0.0
    entropy: float = 0.02  # at the beginning; it falls to 0
    c: float = 1.0  # of SUCG: 0 leaves the choice of partners to phi alone
    random_starts: float = 0.0  # share of the games that begin in a random mid-game state
    founders: int = 0  # learners of self-play, tuned as all share it, who leave the first strategies; 0: one random one


class Job(NamedTuple):
    """All settings of a study in one kitchen."""

    arms: dict[str, Arm]
    layout: str
    seeds: int
    generations: int | None
    size: str
    folder: Path


def setting_of(job: Job) -> cole.Setting:
    """What all arms share."""
    setting = paper.cole_("default", job.layout, job.size)
    generations = job.generations or setting.generations
    shaped = setting.shaped_until * generations / setting.generations
    fewer = {"generations": generations, "shaped_until": shaped, "mixture": Mixture(), "half": options.half("auto")}
    return setting._replace(**fewer, batch=replace(setting.batch, random_starts=0.0))


def program(job: Job, setting: cole.Setting) -> Program:
    """Every arm with every seed: seeds [arms * seeds]."""
    layout, arms = layouts.load(job.layout), list(job.arms.values())
    kitchen, alone = cole.kitchen_for(layout, setting), cole.program(layout, setting)
    solvers = [arm.solving.solver() for arm in arms]
    each = {name: jnp.array([getattr(arm, name) for arm in arms], float) for name in NUMBERS}
    each |= {"which": jnp.arange(len(arms))}
    each |= {"warmup": jnp.array([0 if arm.founders else setting.founders.warmup for arm in arms])}
    rows = jax.tree.map(lambda x: jnp.repeat(x, job.seeds), each)
    distracts, shuffles = any(arm.pause or arm.err for arm in arms), any(arm.random_starts for arm in arms)

    def changed(row: dict[str, jax.Array]) -> Kitchen:
        absent = {"pause": row["pause"], "err": row["err"]} if distracts else {}
        exploration = replace(setting.mixture.exploration, c=row["c"])
        mixture = replace(setting.mixture, exploration=exploration, **absent)
        mine = setting._replace(mixture=mixture, founders=replace(setting.founders, warmup=row["warmup"]))
        mine = mine._replace(hyper=setting.hyper._replace(entropy=row["entropy"]))
        batch = replace(setting.batch, random_starts=row["random_starts"] if shuffles else 0.0)
        solve = partial(jax.lax.switch, row["which"].astype(int), solvers)
        return kitchen._replace(setting=mine, setup=kitchen.setup._replace(batch=batch), solve=solve)

    def start(seeds: jax.Array) -> cole.State:
        """Every arm from its own N_0; arms with as many founders have the same ones."""
        state, first = alone.start(seeds % APART), seeds[: job.seeds] % APART
        for founders in {arm.founders for arm in arms if arm.founders}:
            theirs = np.flatnonzero(np.repeat([arm.founders == founders for arm in arms], job.seeds))
            other = setting._replace(founders=replace(setting.founders, warmup=0, self_play=founders))
            found, which = cole.program(layout, other).start(first), theirs % job.seeds
            state = jax.tree.map(lambda all, some, at=theirs, of=which: all.at[at].set(some[of]), state, found)
        return state

    def generation(state: cole.State, row: dict[str, jax.Array], t: jax.Array) -> Any:
        return cole.generation(changed(row), state, t, row["own"])

    every = jax.jit(jax.vmap(generation, in_axes=(0, 0, None)), donate_argnums=0)
    return alone._replace(
        start=start,
        advance=lambda state, done: every(state, rows, jnp.int32(done)),
        strategies=None,
    )


def train(job: Job) -> None:
    """Carries the study out, as far as that is not done, and writes its agents."""
    setting = setting_of(job)
    seeds = [arm * APART + seed for arm in range(len(job.arms)) for seed in range(job.seeds)]
    config = {"layout": job.layout, "size": job.size, "generations": setting.generations}
    config |= {"arms": {name: repr(arm) for name, arm in job.arms.items()}}
    how = {"resume": True, "every": None, "publish": partial(publish, job, setting, seeds)}
    for report in run.carry_out(program(job, setting), job.folder, config, seeds, **how):
        by_arm = report.log["return"][:, -1].reshape(len(job.arms), -1).mean(axis=1)
        words = " ".join(f"{mean:.0f}" for mean in by_arm)
        print(f"{job.layout} {report.round}: {words}, {report.seconds:.2f} s", file=sys.stderr, flush=True)


def publish(job: Job, setting: cole.Setting, seeds: list[int], params: Any, steps: list[int]) -> None:
    """The agents of all arms on disk."""
    layout, params = layouts.load(job.layout), jax.device_get(params)
    for i, seed in enumerate(seeds):
        training = {"setting": list(job.arms)[seed // APART]}
        facts = {"seed": seed % APART, "steps": steps[i], "name": job.layout, "training": training}
        mine = jax.tree.map(lambda x, i=i: x[i], params)
        agent = store.Agent(mine, store.new_card(layout, setting.view, "cole", **facts))
        store.save(agents_of(job, seed // APART) / f"seed-{seed % APART}", agent)


def agents_of(job: Job, arm: int) -> Path:
    """Where the agents of an arm are."""
    return job.folder / runfolder.AGENTS / str(arm)


def scores(agents: list[Player], judges: list[Player], episodes: int) -> np.ndarray:
    """[agents, judges]: mean return over both seats."""
    layout, _ = kitchen_of(agents)
    both = [pair for agent in agents for judge in judges for pair in ((agent, judge), (judge, agent))]
    found, _ = play_all(both, layout, Setting(episodes))
    mean = {ids: played.returns.mean() for ids, played in found.items()}
    each = [[(a.identity, b.identity) for b in judges] for a in agents]
    return np.array([[(mean[a, b] + mean[b, a]) / 2 for a, b in row] for row in each])


def options_of(words: str | None, seeds: int, episodes: int) -> argparse.ArgumentParser:
    """The command line that studies share; which kitchens is their own question."""
    parser = argparse.ArgumentParser(description=words, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--size", default="full", choices=("full", "quick"))
    parser.add_argument("--generations", type=int, help="by default the paper's")
    parser.add_argument("--episodes", type=int, default=episodes, help="games of each pair in each seat")
    parser.add_argument("--train-only", action="store_true", help="leave the table for later")
    return parser


def job_of(asked: argparse.Namespace, study: str, layout: str, arms: dict[str, Arm]) -> Job:
    """A study in one kitchen, as it was asked for."""
    name = f"{asked.size}-{asked.generations or 'all'}"
    return Job(arms, layout, asked.seeds, asked.generations, asked.size, asked.runs / layout / study / name)
