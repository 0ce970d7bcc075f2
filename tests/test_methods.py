"""What every method must do, whatever it does: learn, stop and go on, come out the same, hand out an agent."""

from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest
from conftest import compilations

from cole import run
from cole.config.training import LearningOptions, PopulationOptions, RunOptions
from cole.evaluate import players
from cole.kitchen import game
from cole.menu import METHODS
from cole.policy import store
from cole.policy.policy import NOISE
from cole.verbs import train

SMALL = "XPXX\nO12X\nXDSX\n"
TWINS = "XXPXX\nO1 2O\nXDSDX\n"  # Other-Play mirrors it
NOISES = np.linspace(0.1, 0.9, NOISE, dtype=np.float32)
# As little as each method can do: two rounds of every stage.
TINY = {
    "sp": {"steps": 2 * 400},
    "cole": {
        "generations": 2,
        "updates": 1,
        "population": PopulationOptions(capacity=3, earliest=1, episodes=1, warmup=0),
    },
    "pbt": {"steps": 2 * 1200, "selection": 1},
    "ppo_bc": {"partner": ("bc/seed-0",), "steps": 2 * 1600},
    "best_response": {"partner": ("stay",), "steps": 2 * 2000},
    "op": {"steps": 2 * 400},
    "e3t": {"steps": 2 * 400},
    "hsp": {"pairs": 1},
}
STAGES = {"steps": 2 * 2000, "ego_steps": 2 * 2000, "learners": 2}


def asked_of(name: str, folder: Path, seeds: int = 1):
    """The smallest run of a method."""
    (folder / "small.txt").write_text(TWINS if name == "op" else SMALL)
    method = METHODS[name]
    given = dict(TINY.get(name, {}))
    fields = method.options.__dataclass_fields__
    if "stages" in fields:
        given["stages"] = fields["stages"].default_factory()
        given["stages"] = type(given["stages"])(**STAGES)
    layout = "cramped_room" if name == "ppo_bc" else str(folder / "small.txt")  # where there are clones
    run_options = RunOptions(layout=layout, size="quick", seeds=seeds, runs=folder / "runs", games_after=1)
    learning = LearningOptions(games=1, minibatches=1, epochs=1)
    return method.options(run=run_options, learning=learning, **given)


class Finished(NamedTuple):
    """A method's whole run, and the same run stopped after each round and taken up again."""

    job: train.Job
    asked: Any
    whole: list[run.Report]
    compiled: list[int]  # programs, in each round of it
    agents: dict[str, Any]  # params, steps
    parts: list[run.Report]
    again: dict[str, Any]


# What is much like another (FCP, best response, self-play) or long: `make test-slow` has them.
LONG = ("mep", "trajedi", "hsp", "ppo_bc", "op", "pbt", "e3t")


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in METHODS]
)
def finished(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    asked = asked_of(request.param, folder)
    job = train.prepared(asked)

    def carried(where: Path, program=job.program, stop=lambda: False, resume=False):
        published = {}
        reports = run.carry_out(
            program,
            where,
            job.deciding,
            job.seeds,
            resume=resume,
            publish=lambda params, steps: published.update(params=jax.device_get(params), steps=steps),
            stop=stop,
            tell=lambda sentence: None,
        )
        return list(reports), published

    counts = []

    def advance(state, done):
        before = len(names)
        result = jax.block_until_ready(job.program.advance(state, done))
        counts.append(len(names) - before)
        return result

    with compilations() as names:
        whole, agents = carried(folder / "whole", job.program._replace(advance=advance))
    parts = []
    for _ in whole:
        reports, again = carried(folder / "parts", stop=lambda: True, resume=True)
        parts += reports
    return Finished(job, asked, whole, counts, agents, parts, again)


def test_it_is_the_same_run_when_stopped_after_every_round(finished):
    assert len(finished.whole) == finished.job.program.rounds == len(finished.parts)
    for one, other in zip(finished.whole, finished.parts, strict=True):
        assert one.lines == other.lines
    jax.tree.map(np.testing.assert_array_equal, finished.agents["params"], finished.again["params"])
    assert finished.agents["steps"] == finished.again["steps"]


def test_its_log_says_what_it_earned_in_every_update(finished):
    for report in finished.whole:
        for line in report.lines:
            assert np.isfinite(np.array(line["return"], float)).all() and len(line["return"]) == 1


def test_its_learners_change(finished):
    program, seeds = finished.job.program, np.array(finished.job.seeds, np.uint32)
    start = jax.device_get(program.agents(program.start(seeds)))
    same = jax.tree.map(lambda a, b: bool(np.array_equal(a, b)), start, finished.agents["params"])
    assert not any(jax.tree.leaves({layer: parts["w"] for layer, parts in same.items()}))


def test_its_agent_loads_and_acts(finished, tmp_path):
    job = finished.job._replace(folder=tmp_path)
    train.publish(job, finished.asked.run, finished.agents["params"], finished.agents["steps"], np.zeros((1, 1)))
    [player] = players.find([tmp_path])
    card = player.agent.card
    assert card.method == job.method and card.training["steps_of_all"] >= card.steps > 0
    policy, state = store.policy_of(player.agent), game.reset(job.layout)
    act = policy.act(policy.prepare(player.params), policy.view(job.layout, state, 0), policy.memory(), NOISES)
    assert 0 <= int(act.action) < 6 and np.isfinite(act.logits).all()


def test_no_round_compiles_anew(finished, compiled):
    """Once every stage has had its round, the same again compiles nothing."""
    program = finished.job.program
    state = program.start(np.array(finished.job.seeds, np.uint32))
    compiled.clear()
    for done in range(program.rounds):
        state, _ = program.advance(state, done)
    jax.block_until_ready(state)
    assert not compiled


def test_it_says_from_which_rounds_on_something_else_is_compiled(finished):
    """So that an accelerator can rehearse them."""
    program = finished.job.program
    assert [round for round, new in enumerate(finished.compiled) if new] == [0, *program.changes]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "cole" else pytest.mark.slow) for name in METHODS]
)
def test_two_seeds_learn_side_by_side_what_they_learn_one_after_the_other(name, tmp_path, request):
    asked = asked_of(name, tmp_path, seeds=2)

    def agents() -> Any:
        job = train.prepared(asked)
        state = job.program.start(np.array(job.seeds, np.uint32))
        for done in range(job.program.rounds):
            state, _ = job.program.advance(state, done)
        return jax.device_get(job.program.agents(state))

    here = agents()
    request.getfixturevalue("as_on_a_gpu")
    for ours, theirs in zip(jax.tree.leaves(here), jax.tree.leaves(agents()), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-3)  # other products add otherwise, which Adam magnifies


def test_the_menu_has_a_page_for_every_method(capsys):
    for name, method in METHODS.items():
        with pytest.raises(SystemExit) as ended:
            train.main([name, "--help"])
        assert ended.value.code == 0
        assert (method.options.__doc__ or "").split(":")[0] in capsys.readouterr().out
