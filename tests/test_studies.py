"""Studies: many settings in one program learn as they would alone; claims are judged by what was measured."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_cole import SETTING, SMALL
from toy_runs import run_of

from cole.errors import UserError
from cole.evaluate.pairs import Setting
from cole.kitchen import layouts
from cole.methods import cole
from cole.methods.cole import Solving
from cole.solver import EXPLORATION, SIGMA, SOFTMAX

sys.path.insert(0, str(Path(__file__).parents[1] / "studies"))
import bars
import blocks
import claims
import seeds
import side_by_side
import tuning
from side_by_side import APART, Arm, Job

SHARP = Solving("shapley", SIGMA, SOFTMAX)
EVALUATION = {"format": "cole-evaluation", "teams": [], "games": []}


def test_scores_are_shares_of_the_best_setting():
    clones = [[10.0, 30.0], [40.0, 40.0]]  # the best mean is 40
    experts = [[100.0, 100.0], [50.0, 0.0]]  # the best mean is 100
    np.testing.assert_allclose(tuning.shares(np.array([clones, experts])), [[0.625, 0.875], [0.75, 0.5]])


def test_settings_share_a_recipe_without_pauses_and_random_starts(tmp_path):
    setting = side_by_side.setting_of(Job({}, "cramped_room", 1, 30, "full", tmp_path))
    assert (setting.mixture.pause, setting.batch.random_starts, setting.generations) == (0.0, 0.0, 30)


@pytest.mark.slow
def test_a_setting_learns_beside_others_as_it_does_alone(tmp_path, monkeypatch):
    changed = {"own": 2, "pause": 0.5, "err": 0.25}
    arms = {
        "one": Arm(Solving("uniform"), founders=2),
        "two": Arm(SHARP, **changed, entropy=0.1, c=0.0, random_starts=0.5),
        "three": Arm(Solving("shapley"), founders=2),
    }
    start = replace(SETTING.founders, warmup=1, snapshots=1, updates=2)
    shared = SETTING._replace(founders=start, hyper=SETTING.hyper._replace(entropy=Arm(Solving()).entropy))
    mixture = replace(SETTING.mixture, **changed, exploration=replace(EXPLORATION, c=0.0))
    two = shared._replace(mixture=mixture, hyper=SETTING.hyper._replace(entropy=0.1), solving=SHARP)
    two = two._replace(batch=replace(SETTING.batch, random_starts=0.5))
    three = shared._replace(founders=replace(start, warmup=0, self_play=2), solving=Solving("shapley"))
    monkeypatch.setattr(layouts, "load", lambda name: SMALL)
    beside = side_by_side.program(Job(arms, "small", 2, None, "quick", tmp_path), shared)
    state = beside.start(jnp.array([arm * APART + seed for arm in range(3) for seed in (3, 4)], jnp.uint32))
    alone = {1: cole.program(SMALL, two), 2: cole.program(SMALL, three)}
    own = {i: program.start(jnp.array([3, 4], jnp.uint32)) for i, program in alone.items()}
    for t in range(SETTING.generations):
        state, log = beside.advance(state, t)
        for i, program in alone.items():
            own[i], own_log = program.advance(own[i], t)
            mine = slice(2 * i, 2 * i + 2)
            np.testing.assert_array_equal(log["draws"][mine], own_log["draws"])
            each = zip(*(jax.tree.leaves(x.learner.params) for x in (own[i], state)), strict=True)
            for one, beside_others in each if t < 3 else ():  # what is rounded otherwise grows with every update
                np.testing.assert_allclose(one, beside_others[mine], atol=1e-5)
    every = jax.tree.leaves(state.learner.params)
    assert max(np.abs(leaf[0] - leaf[2]).max() for leaf in every) > 0.01  # and the other one otherwise


def test_claims_are_judged_by_a_test_of_seeds(tmp_path):
    """In the asymmetric kitchen 0:4 beats 1:3 with the proxy and is weaker with itself; a poor seat earns a third."""
    labels, seeds = ["SP", "COLE 0:4", "COLE 1:3"], [0, 1, 2, 3, 4]
    seat0 = [[30.0, 33.0, 36.0, 39.0, 42.0], [50.0, 52.0, 54.0, 56.0, 58.0], [40.0, 41.0, 42.0, 43.0, 44.0]]
    seat1 = [[90.0, 99.0, 108.0, 117.0, 126.0], [80.0, 82.0, None, 84.0, 86.0], [60.0, 61.0, 62.0, 63.0, 64.0]]
    one = {"kitchen": "asymmetric_advantages", "labels": labels, "seeds": seeds, "proxies": [], "best": None}
    one |= {
        "by_seat": [seat0, seat1],
        "itself": [[200.0] * 5, [100.0, 90.0, 80.0, 70.0, 60.0], [150.0, 155.0, 160.0, 165.0, 170.0]],
    }
    (tmp_path / "proxy.json").write_text(json.dumps(EVALUATION | {"figures": {"with_proxy": [one]}}))
    measured = claims.read(tmp_path)
    found = {(row.claim.split(" with ")[0], row.figure.split(",")[0]): row for row in claims.ratios(measured)}
    assert found["0:4 is better than 1:3", "COLE 0:4 68.5"].verdict == "holds"  # of the four seeds that have both seats
    assert found["0:4 earns less", "SP 200.0"].verdict == found["0:4 earns less", "COLE 1:3 160.0"].verdict == "holds"
    seats, none, one = claims.seats(measured)
    assert seats.figure.startswith("SP 0.33 [0.33, 0.33]") and seats.verdict == "holds"
    assert none.figure.startswith("COLE 0:4 0.65") and one.figure.startswith("COLE 1:3 0.68")
    assert none.claim.startswith("COLE does well") and none.verdict == one.verdict == "holds"
    assert [(row.claim[:3], row.verdict) for row in claims.baselines(measured)] == [
        ("0:4", "undecided"),
        ("1:3", "does not hold"),
    ]
    assert not list(claims.table_1(measured))  # nobody met experts


def test_figures_4_and_5_have_the_methods_that_were_evaluated(tmp_path):
    one = {"kitchen": "cramped_room", "labels": ["SP", "COLE 1:3, paper", "COLE 1:3, default"], "seeds": [0, 1]}
    one |= {"proxies": [], "best": None, "by_seat": np.ones((2, 3, 2)).tolist(), "itself": np.ones((3, 2)).tolist()}
    (tmp_path / "proxy.json").write_text(json.dumps(EVALUATION | {"figures": {"with_proxy": [one]}}))
    [(name, figure)] = bars.drawn(tmp_path)  # a figure of one ratio alone would compare nothing
    assert name == "figure5_cramped_room"
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == ["SP", "COLE\n1:3"]


def test_each_seed_that_was_there_has_a_line_of_what_it_earned_in_either_seat(tmp_path):
    one = {"kitchen": "cramped_room", "labels": ["SP", "COLE 1:3, paper"], "seeds": [0, 7], "proxies": [], "best": None}
    one |= {"by_seat": [[[10.0, 20.5], [30.0, None]], [[11.0, 21.0], [31.0, None]]], "itself": [[0.0] * 2] * 2}
    (tmp_path / "proxy.json").write_text(json.dumps(EVALUATION | {"figures": {"with_proxy": [one]}}))
    assert list(seeds.lines(claims.read(tmp_path).proxy)) == [
        ("cramped_room", "SP", 0, "10", "11"),
        ("cramped_room", "SP", 7, "20.5", "21"),
        ("cramped_room", "COLE 1:3", 0, "30", "31"),
    ]


def test_claims_with_experts_are_beside_the_printed_number(tmp_path):
    labels, seeds = ["SP", "COLE 1:3"], [0, 1]
    returns = np.full((2, 2, 2, 2), 250.0)
    returns[0, :, 1], returns[1, :, 0] = 210.0, 240.0  # in either seat: 225 for both
    one = {"kitchen": "cramped_room", "labels": labels, "seeds": seeds, "returns": returns.tolist()}
    one |= {"errors": returns.tolist(), "best": [0, 0], "lacks": [[], []]}
    (tmp_path / "experts.json").write_text(json.dumps(EVALUATION | {"figures": {"experts": [one]}}))
    above, printed = claims.table_1(claims.read(tmp_path))
    assert above.figure.startswith("COLE 1:3 225.0, SP 225.0: 0.50") and above.verdict == "undecided"
    assert printed.claim == "1:3 earns 212.8 with experts" and printed.verdict == "reached"


def test_the_ratios_are_compared_by_what_each_earns_in_its_own_row_of_table_1(tmp_path):
    """Both meet SP alone: 0:4 earns 100 to 115 by seed, 1:3 120 to 135; with each other they do not play."""
    labels, seeds = ["SP", "COLE 0:4", "COLE 1:3"], [0, 1, 2, 3]
    returns = np.full((3, 4, 3, 4), np.nan)
    returns[0, :, 0] = 50.0
    for m, earned in ((1, [100.0, 105.0, 110.0, 115.0]), (2, [120.0, 125.0, 130.0, 135.0])):
        returns[m, :, m], returns[m, :, 0], returns[0, :, m] = 70.0, np.array(earned)[:, None], np.array(earned)[None]
    plain = np.where(np.isnan(returns), None, returns).tolist()
    one = {"kitchen": "cramped_room", "labels": labels, "seeds": seeds, "returns": plain, "errors": plain}
    one |= {"best": [0, 0, 0], "lacks": [[], [], []]}
    (tmp_path / "experts.json").write_text(json.dumps(EVALUATION | {"figures": {"experts": [one]}}))
    [row] = [row for row in claims.table_1(claims.read(tmp_path)) if row.claim.endswith("than 0:4")]
    assert row.figure.startswith("COLE 1:3 127.5, COLE 0:4 107.5: 1.00") and row.verdict == "holds"


def test_a_folder_without_evaluations_is_refused(tmp_path):
    with pytest.raises(UserError, match="no results of an evaluation"):
        claims.read(tmp_path)


class Games(NamedTuple):
    """As much of `behaviour.Behaviour` as the study reads."""

    returns: np.ndarray
    longest: np.ndarray


def ratio(own: int) -> dict:
    return {"mixture": {"own": own}, "batch": {"groups": 4}}


def test_blocks_are_those_of_equal_seeds_in_both_orders_of_the_seats(tmp_path, monkeypatch):
    """0:4 and PBT block each other for 30 and 40 steps, 1:3 and PBT for 1 and 2: two seeds do not decide."""
    run_of(tmp_path / "pbt", "pbt", [10, 11, 12], recipe="paper")
    run_of(tmp_path / "none", "cole", [20, 21], recipe="paper", **ratio(0))
    run_of(tmp_path / "one", "cole", [30, 31], recipe="paper", **ratio(1))
    steps = {(0, 0): 30, (0, 1): 40, (1, 0): 1, (1, 1): 2}  # by ratio and seed

    def observed(layout, pair, setting):
        (cole, other), swapped = (
            sorted(pair, key=lambda one: one.agent.card.method),
            pair[0].agent.card.method != "cole",
        )
        assert (other.agent.card.method, setting.episodes) == ("pbt", 2)
        assert cole.agent.card.seed == other.agent.card.seed
        longest = steps[cole.agent.card.training["mixture"]["own"], cole.agent.card.seed]
        return Games(np.array([100.0, 140.0]) if swapped else np.array([20.0, 60.0]), np.array([longest, 0]))

    monkeypatch.setattr(blocks, "behaviour_of", observed)
    none, one = blocks.found_in(claims.gather([tmp_path]), Setting(2))
    assert (none.cole, none.expert, one.cole) == ("COLE 0:4", "PBT", "COLE 1:3")
    np.testing.assert_array_equal(none.returns, [80.0, 80.0])
    np.testing.assert_array_equal(none.longest, [15.0, 20.0])  # of every second game
    np.testing.assert_array_equal(none.often, [0.5, 0.5])
    assert blocks.row_of(none) == "| toy | COLE 0:4 | PBT | 80.0 | 17.5 ± 2.5 | 2.6 s | 50% |"
    row, never = claims.long_blocks([tmp_path], 2)
    assert row.figure.startswith("COLE 0:4 17.5, COLE 1:3 0.8: 1.00") and row.verdict == "undecided"
    assert (never.claim, never.verdict) == ("1:3 has no block of 3 s with experts", "holds")
    run_of(tmp_path / "ours", "cole", [40, 41], recipe="default", **ratio(1))  # beside which `paper` is still meant
    steps[1, 0] = steps[1, 1] = 3
    row, _ = claims.long_blocks([tmp_path], 2)
    assert row.figure.startswith("COLE 0:4 17.5, COLE 1:3 1.5")


def test_where_a_method_has_several_recipes_the_papers_is_meant():
    labels = ["SP", "COLE 1:3, authors", "COLE 1:3, paper"]
    assert [claims.plain(label, labels) for label in labels] == ["SP", "COLE 1:3, authors", "COLE 1:3"]
    assert claims.plain("SP, paper", ["SP", "SP, paper"]) == "SP, paper"
