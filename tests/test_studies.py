"""Studies that train many settings in one program: each learns as it would alone."""

import sys
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_cole import SETTING, SMALL

from cole.kitchen import layouts
from cole.methods import cole
from cole.methods.cole import Solving

sys.path.insert(0, str(Path(__file__).parents[1] / "studies"))
import side_by_side
import tuning
from side_by_side import APART, Arm, Job


def test_scores_are_shares_of_the_best_setting():
    clones = [[10.0, 30.0], [40.0, 40.0]]  # the best mean is 40
    experts = [[100.0, 100.0], [50.0, 0.0]]  # the best mean is 100
    np.testing.assert_allclose(tuning.shares(np.array([clones, experts])), [[0.625, 0.875], [0.75, 0.5]])


@pytest.mark.slow
def test_a_setting_learns_beside_others_as_it_does_alone(tmp_path, monkeypatch):
    arms = {"one": Arm(Solving("uniform")), "two": Arm(Solving("shapley"), own=2, pause=0.5, err=0.25, entropy=0.1)}
    monkeypatch.setattr(layouts, "load", lambda name: SMALL)
    beside = side_by_side.program(Job(arms, "small", 1, None, "quick", tmp_path), SETTING)
    state = beside.start(jnp.array([3, APART + 3], jnp.uint32))
    mixture = replace(SETTING.mixture, own=2, pause=0.5, err=0.25)
    setting = SETTING._replace(mixture=mixture, hyper=SETTING.hyper._replace(entropy=0.1), solving=Solving("shapley"))
    alone = cole.program(SMALL, setting)
    own = alone.start(jnp.array([3], jnp.uint32))
    for t in range(3):
        state, log = beside.advance(state, t)
        own, own_log = alone.advance(own, t)
        np.testing.assert_array_equal(log["draws"][1], own_log["draws"][0])
    leaves = list(zip(jax.tree.leaves(own.learner.params), jax.tree.leaves(state.learner.params), strict=True))
    for mine, theirs in leaves:
        np.testing.assert_allclose(mine[0], theirs[1], atol=1e-3)
    assert max(np.abs(theirs[0] - theirs[1]).max() for _, theirs in leaves) > 0.01  # and the other one otherwise
