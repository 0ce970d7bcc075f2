"""What a user may ask of a run: whatever is impossible is refused in a sentence, before anything is compiled."""

from typing import Any

import jax
import pytest

from cole import cli, numbers, paper, settings
from cole.config.training import LearningOptions, MixtureOptions, PopulationOptions, RunOptions, TrainCole, TrainSP
from cole.kitchen import layouts
from cole.methods import cole
from cole.ppo import Hyper

REFUSED = {
    "--seeds 0": "--seeds must be a whole number from 1 to 1024, not 0",
    "--seeds -3": "--seeds must be a whole number from 1 to 1024, not -3",
    "--seeds 5000": "--seeds must be a whole number from 1 to 1024, not 5000",
    "--seed -1": "--seed must be a whole number from 0 to 4294967295, not -1",
    "--seed 4294967295 --seeds 2": "--seed must be a whole number from 0 to 4294967294, not 4294967295",
    "--every 0": "--every must be a whole number from 1 to 1000000, not 0",
    "--games-after 0": "--games-after must be a whole number from 1 to 10000, not 0",
    "--name a/b": "--name must be a plain folder name, not 'a/b'",
    "--name .hidden": "--name must be a plain folder name, not '.hidden'",
    "--layout kitchen_of_dreams": "kitchen_of_dreams",
    "--games 0": "--games must be a whole number from 1 to 100000, not 0",
    "--minibatches 0": "--minibatches must be a whole number from 1 to 100000, not 0",
    "--minibatches 7": "--minibatches must divide the 24,000 samples of an update; 7 does not",
    "--both-seats False --minibatches 32000": "--minibatches must divide the 12,000 samples of an update",
    "--epochs 0": "--epochs must be a whole number from 1 to 1000, not 0",
    "--steps 100": "--steps must be at least 12,000, which is one update of this setting, not 100",
    "--rate -0.1": "--rate must be a number at least 0 and at most 1, not -0.1",
    "--rate nan": "--rate must be a number at least 0 and at most 1, not nan",
    "--rate 3": "--rate must be a number at least 0 and at most 1, not 3.0",
    "--rate-end inf": "--rate-end must be a number at least 0 and at most 1, not inf",
    "--clip 0": "--clip must be a number above 0 and at most 10, not 0.0",
    "--discount 1.5": "--discount must be a number at least 0 and at most 1, not 1.5",
    "--trace -0.5": "--trace must be a number at least 0 and at most 1, not -0.5",
    "--value -1": "--value must be a number at least 0, not -1.0",
    "--entropy -0.01": "--entropy must be a number at least 0, not -0.01",
    "--entropy-end -0.01": "--entropy-end must be a number at least 0, not -0.01",
    "--gradient 0": "--gradient must be a number above 0, not 0.0",
    "--random-starts 1.2": "--random-starts must be a number at least 0 and at most 1, not 1.2",
    "--shaped-until 0": "--shaped-until must be a number above 0, not 0.0",
}
UNKNOWN = {
    "--recipe ours": ("recipe", "default", "paper", "authors"),
    "--size huge": ("size", "full", "quick", "matched"),
    "--view pixels": ("view", "grid", "grid2019"),
    "--precision double": ("precision", "auto", "single", "half"),
    "--track email": ("track", "wandb", "tensorboard"),
    "--seeds many": ("seeds",),
    "--colour red": ("colour",),
}


@pytest.fixture
def nothing_compiles(monkeypatch):
    """A run that gets as far as its program fails the test."""
    monkeypatch.setattr("cole.settings.sp.program", lambda *_: pytest.fail("the program was built"))


@pytest.mark.parametrize("asked", REFUSED)
def test_an_impossible_value_is_refused_by_name(asked, capsys, tmp_path, nothing_compiles):
    assert cli.main(["train", "sp", "--runs", str(tmp_path), *asked.split()]) == 2
    said = capsys.readouterr().err
    assert REFUSED[asked] in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("asked", UNKNOWN)
def test_an_unknown_word_is_refused_with_the_known_ones(asked, capsys, tmp_path, nothing_compiles):
    with pytest.raises(SystemExit) as left:
        cli.main(["train", "sp", "--runs", str(tmp_path), *asked.split()])
    assert left.value.code == 2
    said = "".join(capsys.readouterr())
    assert all(word in said for word in UNKNOWN[asked])
    assert not list(tmp_path.iterdir())


COLE_REFUSED = {
    "--ratio 4:0": "--ratio 4:0 never meets the population, which is self-play: use cole train sp",
    "--ratio 1-3": "--ratio must be two whole numbers a:b such as 1:3, not '1-3'",
    "--ratio 3:4": "--ratio must divide the 120 games of a batch, which 3:4 does not",
    "--capacity 1": "--capacity must be a whole number from 2 to 1000, not 1",
    "--capacity 6 --founders 2": "--capacity must be above the 6 strategies that are there from the start, not 6",
    "--earliest 51": "--earliest must be a whole number from 1 to 50, not 51",
    "--episodes 0": "--episodes must be a whole number from 1 to 1000, not 0",
    "--generations 0": "--generations must be a whole number from 1 to 1000000, not 0",
    "--updates 0": "--updates must be a whole number from 1 to 10000, not 0",
    "--k 0": "--k must be a whole number from 1 to 1000000, not 0",
    "--tries 0": "--tries must be a whole number from 1 to 100, not 0",
    "--newest 2": "--newest must be a number at least 0 and at most 1, not 2.0",
    "--pause 0.7 --err 0.7": "--pause and --err are shares of the same actions, so 0.7 + 0.7 must be at most 1",
    "--temperature 0": "--temperature must be a number above 0, not 0.0",
    "--permutations 0": "--permutations must be a whole number from 1 to 1000000, not 0",
    "--explore -1": "--explore must be a number at least 0, not -1.0",
    "--initial nowhere": "nowhere",
    "--initial nowhere --founders 2": "--initial and --founders both say who is there from the start: choose one",
    "--founder-updates 2": "--founder-updates must be at least --founder-snapshots, 3",
    "--alpha 2": "--alpha weighs games only with --weighted True",
    "--recipe authors --sigma one": "--sigma: the solver authors has no use for it",
    "--solver uniform --inversion softmax": "--inversion: the solver uniform has no use for it",
    "--permutations 9": "--permutations: the solver shapley has no use for it",
    "--temperature 1": "--temperature: nothing in the solver shapley is a softmax, see --sigma and --inversion",
    "--k 2 --newest 0.1": "--k: the test of --newest has no use for it",
    "--tries 3 --discard True": "--tries: with --discard a strategy that fails never joins",
    "--fresh-ego True --rate-end 0": "--rate-end and --entropy-end: with --fresh-ego nothing falls",
    "--size matched --generations 3": "--size matched says how many steps there are: leave --generations out",
}


@pytest.mark.parametrize("asked", COLE_REFUSED)
def test_an_impossible_population_is_refused_by_name(asked, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("cole.settings.cole.program", lambda *_: pytest.fail("the program was built"))
    assert cli.main(["train", "cole", "--runs", str(tmp_path), *asked.split()]) == 2
    said = capsys.readouterr().err
    assert COLE_REFUSED[asked] in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_options_that_something_uses_reach_the_setting():
    def of(options: TrainCole) -> cole.Setting:
        return settings.cole_(options, layouts.load("cramped_room"))

    def asked(**population: Any) -> cole.Setting:
        return of(TrainCole(RunOptions(), population=PopulationOptions(**population)))

    assert of(TrainCole(RunOptions(), mixture=MixtureOptions(weighted=True, alpha=2.0))).mixture.alpha == 2.0
    assert asked(inversion="softmax", temperature=1.0).solving.inversion.temperature == 1.0
    assert asked(sigma="softmax", temperature=2.0).solving.sigma.temperature == 2.0
    assert asked(solver="authors", permutations=9).solving.permutations == 9
    assert asked(tries=3).test.tries == 3 and asked(k=2).test.k == 2


@pytest.mark.parametrize("ratio", ["0:4", "1:3", "2:2", "3:1", "1:1", "2:4"])
def test_every_ratio_keeps_the_games_of_a_batch(ratio):
    setting = settings.cole_(TrainCole(RunOptions(), mixture=MixtureOptions(ratio=ratio)), layouts.load("cramped_room"))
    own, others = map(int, ratio.split(":"))
    assert setting.batch.groups == own + others
    assert setting.mixture.own == own
    assert setting.batch.groups * setting.batch.games * setting.batch.steps == 48_000


@pytest.mark.parametrize(
    ("kitchen", "rate", "generations"),
    [
        ("cramped_room", 2e-3, 80),
        ("asymmetric_advantages", 1e-3, 60),
        ("coordination_ring", 6e-4, 75),
        ("forced_coordination", 8e-4, 70),
        ("counter_circuit", 8e-4, 70),
    ],
)
def test_the_recipe_paper_has_the_numbers_of_the_appendix_in_every_kitchen(kitchen, rate, generations):
    """App. F: a constant rate by kitchen, 10 x 48,000 samples in 10 parts, clip .05, value .5, norm .1, 50 members."""
    setting = settings.cole_(TrainCole(RunOptions(recipe="paper")), layouts.load(kitchen))
    assert setting.hyper == setting.hyper_end
    assert setting.hyper._replace(epochs=0) == Hyper(rate, 0.05, 0.99, 0.98, value=0.5, gradient=0.1, epochs=0)
    assert (setting.generations, setting.updates, setting.capacity, setting.earliest) == (generations, 10, 50, 10)
    batch = setting.batch
    assert (batch.groups * batch.games * batch.steps, batch.minibatches) == (48_000, 10)
    assert setting.mixture.alpha == 1.0


@pytest.mark.parametrize("recipe", numbers.RECIPES)
@pytest.mark.parametrize("size", numbers.SIZES)
def test_the_recipes_of_cole_have_their_sources_numbers(recipe, size):
    ring = layouts.load("coordination_ring")
    setting = settings.cole_(TrainCole(RunOptions(recipe=recipe, size=size)), ring)
    if size == "full":
        assert setting.generations == {"paper": 75, "authors": 60, "default": 75}[recipe]
        assert setting.updates == (20 if recipe == "authors" else 10)
        assert setting.capacity == 50 and setting.earliest == 10
    assert setting.solving.name == ("authors" if recipe == "authors" else "shapley")
    assert setting.mixture.pause == (0.5 if recipe == "default" else 0.0)
    assert setting.batch.random_starts == (0.25 if recipe == "default" else 0.0)
    assert not setting.mixture.weighted
    assert setting.publish == ("last" if recipe == "default" else "payoff")


def test_shaping_keeps_its_share_of_a_shorter_run():
    cramped = layouts.load("cramped_room")
    short = settings.cole_(TrainCole(RunOptions(), LearningOptions(games=5, minibatches=8), generations=8), cramped)
    steps = short.generations * short.updates * short.batch.groups * short.batch.games * short.batch.steps
    assert short.shaped_until == pytest.approx(0.6 * steps)
    short = settings.self_play(TrainSP(RunOptions(), steps=600_000), cramped)
    assert short.shaped_until == pytest.approx(2.5e6 / 10)


def test_a_kitchen_is_known_by_its_map_and_not_by_its_name(tmp_path):
    (tmp_path / "mine.txt").write_text(layouts.MAPS["cramped_room"])
    mine, named = (
        settings.self_play(TrainSP(RunOptions()), layouts.load(one)) for one in (tmp_path / "mine.txt", "cramped_room")
    )
    assert mine == named


THREE = "XXPXX\nO123O\nX   X\nXDXSX\n"


def test_kitchens_with_other_numbers_of_cooks(tmp_path, capsys):
    (tmp_path / "three.txt").write_text(THREE)
    for more, sentence in (
        (["cole"], "COLE pairs two cooks, and this kitchen has 3"),
        (["sp", "--recipe", "authors"], "--view grid2019 exists for two cooks only, and this kitchen has 3: use grid"),
    ):
        runs = ["--layout", str(tmp_path / "three.txt"), "--runs", str(tmp_path / "runs")]
        assert cli.main(["train", *more, *runs]) == 2
        assert sentence in capsys.readouterr().err
        assert not (tmp_path / "runs").exists()
    setting = settings.self_play(TrainSP(RunOptions(), LearningOptions(minibatches=9)), layouts.parse(THREE))
    assert setting.batch.minibatches == 9  # of 36,000 samples


def test_an_unknown_method_is_refused_with_the_known_ones(capsys):
    with pytest.raises(SystemExit):
        cli.main(["train", "magic"])
    said = "".join(capsys.readouterr())
    assert "sp" in said and "cole" in said


@pytest.mark.parametrize("recipe", numbers.RECIPES)
@pytest.mark.parametrize("size", numbers.SIZES)
@pytest.mark.parametrize("name", layouts.MAPS)
def test_every_recipe_is_possible_and_keeps_its_budget(recipe, size, name):
    setting = settings.self_play(TrainSP(RunOptions(layout=name, recipe=recipe, size=size)), layouts.load(name))
    batch = setting.batch
    steps = setting.rounds * setting.updates * batch.groups * batch.games * batch.steps
    full = {"full": numbers.SELF_PLAY_STEPS, "matched": numbers.MATCHED}
    budget = paper.QUICK_STEPS if size == "quick" else full[size][name]
    assert 0.9 * budget < steps <= budget
    assert setting.rounds >= 10


def test_the_recipes_are_those_of_their_sources():
    paper_, authors = (paper.self_play(recipe, "cramped_room")[0] for recipe in ("paper", "authors"))
    assert (paper_.hyper.rate, paper_.hyper.clip, paper_.hyper.discount, paper_.hyper.trace) == (1e-3, 0.05, 0.99, 0.98)
    assert (paper_.hyper.value, paper_.hyper.gradient) == (1.0, 0.1)  # as printed
    assert (authors.hyper.value, authors.hyper.gradient) == (0.5, 0.5)  # as executed
    for one in (paper_.batch, authors.batch):
        assert (one.groups * one.games * one.steps, one.minibatches, one.epochs) == (12_000, 6, 8)
    assert (paper_.view, authors.view) == ("grid", "grid2019")
    assert not paper_.batch.both_seats and not authors.batch.both_seats
    assert paper.self_play("default", "a map of my own")[1] == numbers.SELF_PLAY_STEPS["counter_circuit"]


def test_a_number_of_ones_own_takes_the_place_of_the_recipes():
    def asked(recipe, **learning):
        config = TrainSP(RunOptions(recipe=recipe), LearningOptions(**learning), both_seats=False)
        return settings.self_play(config, layouts.load("cramped_room"))

    constant = asked("paper", rate=5e-4)
    assert constant.hyper.rate == constant.hyper_end.rate == 5e-4
    falling = asked("default", rate=5e-4, entropy_end=0.005)
    assert falling.hyper.rate == 5e-4
    assert falling.hyper_end.rate == paper.self_play("default", "cramped_room")[0].hyper_end.rate
    assert falling.hyper_end.entropy == 0.005
    assert not falling.batch.both_seats
    assert (falling.batch.shaping, asked("default", shaping="team").batch.shaping) == ("own", "team")
    assert not asked("default").half or jax.default_backend() == "gpu"
    assert asked("default", precision="half").half
