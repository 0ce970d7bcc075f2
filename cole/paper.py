"""Whose numbers: the recipes `paper` (its text), `authors` (their code) and `default` (ours, for self-play measured).

Kitchens that are not the paper's take the numbers of the counter circuit, its largest. docs/paper.md says where text
and code differ, docs/results.md what the recipes reach.
"""

from dataclasses import replace

from cole.kitchen.layouts import MAPS
from cole.learning import Batch
from cole.methods import cole, sp
from cole.numbers import (
    GENERATIONS,
    MATCHED,
    OTHER,
    RATE,
    SELF_PLAY_SHAPED,
    SELF_PLAY_STEPS,
    check,
    rival,
)
from cole.oracle import Mixture, RankTest
from cole.ppo import Hyper
from cole.solver import LINEAR, SIGMA, SOFTMAX, Exploration

# A quick run, minutes on two cores: smaller batches, and a value of little weight, with which the policy learns sooner.
QUICK_STEPS = 480_000
QUICK_BATCH = Batch(groups=1, games=15, minibatches=12, epochs=4, both_seats=True)


def self_play(recipe: str, layout: str, size: str = "full") -> tuple[sp.Setting, float]:
    """A recipe's numbers, and the environment steps they are meant for.

    `paper`: the 2019 repository's self-play, on which App. G says it is based, with App. F's gradient norm. `authors`:
    the same with the norm that its code seems to execute, and the view of 2019. `default`: both seats learn, the clip
    is wider, and rate and entropy fall to nothing, each of which helped (docs/studies.md).
    """
    check(recipe, size)
    kitchen = layout if layout in MAPS else OTHER
    first, last, batch, view = rival(recipe, kitchen)
    batch = replace(batch, both_seats=recipe == "default")
    steps, shaped = SELF_PLAY_STEPS[kitchen], SELF_PLAY_SHAPED[kitchen]
    if size == "matched":
        steps, shaped = MATCHED[kitchen], shaped * MATCHED[kitchen] / steps
    if size == "quick":
        steps = shaped = QUICK_STEPS
        if recipe == "default":
            first, last, batch = first._replace(value=0.1), last._replace(value=0.1), QUICK_BATCH
    return sp.Setting(first, last, batch, shaped, rounds=0, view=view), steps


def cole_(recipe: str, layout: str, size: str = "full") -> cole.Setting:
    """A recipe's numbers for COLE 1:3, whose budget is the one that `matched` gives to all.

    `paper`: Section 5 and App. F, and where they are silent the authors' choice or the plainest. `authors`:
    their code as far as we know it, but with a longer warm-up. `default`: the paper's budget, a learner much like our
    self-play's, groups alike, partners that pause every second action, and a quarter of the games from random starts:
    the best of the settings in studies/tuning.py (docs/studies.md).
    """
    check(recipe, size)
    kitchen = layout if layout in MAPS else OTHER
    generations = int(GENERATIONS["authors" if recipe == "authors" else "paper"][kitchen])
    batch, updates = Batch(groups=4, games=30, minibatches=10, epochs=5), 10
    if recipe == "authors":
        first = last = Hyper(rate=RATE["authors"][kitchen], clip=0.05, value=0.5, entropy=0.0, gradient=0.5)
        updates = 20
    elif recipe == "paper":
        first = last = Hyper(rate=RATE["paper"][kitchen], clip=0.05, value=0.5, entropy=0.0, gradient=0.1)
    else:
        first = Hyper(rate=1e-3, clip=0.1, value=0.1, entropy=0.02, gradient=0.5)
        last = first._replace(rate=1e-5, entropy=0.0)
        batch = replace(batch, random_starts=0.25)
    if size == "quick":
        generations, updates = 10, 8
        batch = replace(batch, games=6, minibatches=16, epochs=4)
    each = updates * batch.groups * batch.games * batch.steps
    if size == "matched":
        generations = int(MATCHED[kitchen] / each)
    steps = generations * each
    setting = cole.Setting(first, last, batch, Mixture(), 0.6 * steps, generations, updates)
    if recipe == "paper":
        setting = setting._replace(publish="payoff")
    elif recipe == "authors":
        setting = setting._replace(
            mixture=Mixture(exploration=Exploration(bonus="normalised", reset=True), per_draw=True),
            solving=cole.Solving("authors", SIGMA, SOFTMAX),
            test=RankTest(newest=0.1, tries=3),
            episodes=3,
            publish="payoff",
            view="grid2019",
        )
    else:
        setting = setting._replace(mixture=Mixture(pause=0.5), solving=cole.Solving("shapley", SIGMA, LINEAR))
    if size == "quick":
        setting = setting._replace(capacity=16, earliest=4, episodes=2, founders=cole.Founders(warmup=4))
    return setting
