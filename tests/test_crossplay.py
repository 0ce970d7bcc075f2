"""Cross-play: games checked by hand, seats, what results depend on and what not, what is remembered, and the verb."""

import csv
import json
import shutil
from functools import partial

import jax
import numpy as np
import pytest
import toy_agents as toy

from cole import cli, rollout, sealed
from cole.errors import UserError
from cole.evaluate import cache, pairs
from cole.evaluate.crossplay import Setting, as_played, crossplay, gathered, question, with_itself, with_others
from cole.evaluate.players import cook, of_agent, policy_of
from cole.kitchen import game, layouts
from cole.kitchen.game import Events
from cole.policy.policy import NOISE
from cole.report.matrix import read_matrix

ANN, BOB, EVE = (toy.player(number) for number in range(3))
SHORT = Setting(episodes=3, steps=30)
SERVED, TAKEN = Events._fields.index("soup_served"), Events._fields.index("onion_taken")
THREE_COOKS = layouts.parse("XXPXX\nO1 2O\nX 3 X\nXDXSX")


@pytest.fixture(autouse=True)
def _own_caches(monkeypatch, tmp_path):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "120")


def in_toy(players, setting=SHORT, **options):
    """Two pairs at once, so that most tests share a compiled program."""
    return crossplay(players, toy.KITCHEN, setting, **{"at_once": 2 * setting.episodes} | options)


def counted(played, layout=toy.KITCHEN, setting=SHORT) -> list[np.ndarray]:
    """Counts of events [E, S, K] of some pairs only, in this order."""
    found = {(a.name, b.name): counts for (a, b), counts in pairs.play_pairs(layout, played, setting, 2**20)}
    return [found[a.name, b.name] for a, b in played]


def equal(left, right) -> bool:
    return np.array_equal(left.returns, right.returns) and all(map(np.array_equal, left.events, right.events))


# ------------------------------------------------------------------------------------------------ what is played


def by_hand(layout, first, second, setting, episode) -> np.ndarray:
    """Counts of events [S, K] of one game, step by step, its dice thrown as the module says."""
    digest = sealed.sha256(f"{setting.seed} {first.identity} {second.identity}".encode())
    words = np.array([int(digest[:8], 16), int(digest[8:16], 16)], np.uint32)
    key = jax.random.fold_in(jax.random.wrap_key_data(words, impl="threefry2x32"), episode)
    chance = jax.random.uniform(key, (setting.steps, len(layout.start), NOISE))
    state, counts = game.reset(layout), np.zeros((2, len(Events._fields)), int)
    policies, step = [policy_of(player.kind, layout) for player in (first, second)], jax.jit(game.step)
    ready = [jax.jit(policies[0].prepare)(first.params), jax.jit(policies[1].prepare)(second.params)]
    see = [jax.jit(partial(policies[seat].view, layout, seat=seat)) for seat in (0, 1)]
    act = [jax.jit(policy.act) for policy in policies]
    memory = [policy.memory() for policy in policies]
    for t in range(setting.steps):
        acts = [act[seat](ready[seat], see[seat](state), memory[seat], chance[t, seat]) for seat in (0, 1)]
        memory = [one.memory for one in acts]
        state, events = step(layout, state, np.array([one.action for one in acts]))
        counts += np.stack(events, -1)
    return counts


@pytest.mark.parametrize("names", ["network with network", "network with cook", "cook with network"])
def test_a_game_is_the_one_played_by_hand(names):
    pair = tuple(cook("greedy_cook") if name == "cook" else ANN for name in names.split(" with "))
    setting = Setting(episodes=2, seed=5, steps=50)
    [found] = counted([pair], setting=setting)
    for episode in range(2):
        expected = by_hand(toy.KITCHEN, *pair, setting, episode)
        np.testing.assert_array_equal(found[episode], expected)
        assert (expected.sum(0) > 0).sum() >= 4  # something did happen
    assert as_played(found).returns.tolist() == [20 * one[:, SERVED].sum() for one in found]


def test_a_game_is_the_one_rollout_plays():
    policy = policy_of("grid", toy.KITCHEN)
    chance = pairs.throw(toy.KITCHEN, pairs.dice(SHORT, (ANN, BOB))[None], np.int32(0), 3, SHORT.steps)[0]

    @jax.jit
    def moves(chance):
        start = game.reset(toy.KITCHEN)
        played = rollout.play(toy.KITCHEN, policy, ANN.params, policy, BOB.params, 0, start, chance)
        return played.events.moved.sum(0)

    expected = np.mean([moves(one) for one in chance], 0)
    assert expected.all()
    np.testing.assert_allclose(in_toy([ANN, BOB]).events.moved[0, 1], expected)


@pytest.mark.slow
def test_the_first_is_in_seat_0():
    forced = layouts.load("forced_coordination")  # seat 0 has the pots, seat 1 the onions and dishes
    chef, supplier = cook("chef"), cook("supplier")
    right, wrong = counted([(chef, supplier), (supplier, chef)], forced, Setting(episodes=2, steps=100))
    assert right[:, :, SERVED].tolist() == [[3, 0], [3, 0]]
    assert right[:, :, TAKEN].tolist() == [[0, 14], [0, 14]]
    assert not wrong[:, :, SERVED].any()


@pytest.mark.slow
def test_with_three_seats_the_second_has_all_but_the_first():
    stay, random = cook("stay"), cook("random")
    one, two = counted([(stay, random), (random, stay)], THREE_COOKS, Setting(episodes=2, steps=40))
    stayed = Events._fields.index("stayed")
    assert one[:, 0, stayed].tolist() == [40, 40]
    assert one[:, 1:, stayed].max() < 20
    assert two[:, 0, stayed].max() < 20
    assert two[:, 1:, stayed].tolist() == [[40, 40], [40, 40]]


@pytest.mark.slow
def test_greedy_networks_play_the_same_game_again_and_again():
    result = in_toy([ANN, BOB], SHORT._replace(greedy=True))
    assert (result.returns == result.returns[..., :1]).all()
    assert not equal(result, in_toy([ANN, BOB]))


def test_agents_with_different_views_play_together():
    old = toy.player(3, view="grid2019")
    one, two = counted([(ANN, old), (old, ANN)])
    assert one.shape == two.shape == (3, 2, len(Events._fields))
    assert one.sum() > 0


# ------------------------------------------------------------------------------------ what results depend on


def test_results_depend_neither_on_who_else_plays_nor_on_how_many_play_at_once():
    everybody = in_toy([ANN, BOB, EVE])
    two = in_toy([EVE, ANN])
    np.testing.assert_array_equal(two.returns, everybody.returns[np.ix_([2, 0], [2, 0])])
    np.testing.assert_array_equal(two.events.moved, everybody.events.moved[np.ix_([2, 0], [2, 0])])
    for at_once in (2, 100):
        assert equal(in_toy([ANN, BOB, EVE], at_once=at_once), everybody)


def test_the_same_seed_plays_the_same_games_and_another_seed_others():
    assert equal(in_toy([ANN, BOB]), in_toy([ANN, BOB]))
    assert not equal(in_toy([ANN, BOB]), in_toy([ANN, BOB], SHORT._replace(seed=1)))


@pytest.mark.slow
def test_more_games_begin_with_the_same_ones():
    pair = [(cook("random"), cook("random"))]
    [few], [many] = (counted(pair, setting=SHORT._replace(episodes=episodes)) for episodes in (3, 8))
    np.testing.assert_array_equal(many[:3], few)
    assert len(np.unique(many[:, 0], axis=0)) == 8


def test_both_orders_of_a_pair_have_dice_of_their_own():
    assert pairs.dice(SHORT, (ANN, BOB)).tolist() != pairs.dice(SHORT, (BOB, ANN)).tolist()


def test_further_agents_of_a_kind_compile_nothing():
    compiled = pairs.program(layouts.to_text(toy.KITCHEN), "grid", "grid", False)
    compiled.clear_cache()
    for number in (2, 3, 4):
        in_toy([toy.player(i) for i in range(number)])
    assert compiled._cache_size() == 1


@pytest.mark.parametrize(
    ("pairs_", "episodes", "at_once", "batch"),
    [
        (100, 100, 1024, (8, 100)),
        (100, 100, 16384, (128, 100)),
        (3, 100, 16384, (4, 100)),
        (1, 100, 1024, (1, 100)),
        (9, 1000, 1024, (1, 1000)),
        (9, 2500, 1024, (1, 834)),
        (9, 5, 1, (1, 1)),
    ],
)
def test_a_batch_is_a_power_of_two_of_pairs_with_all_games_that_fit(pairs_, episodes, at_once, batch):
    assert pairs.batch_of(pairs_, episodes, at_once) == batch


def test_results_of_before_still_hold():
    """Else the rules, a cook or the dice have changed: raise EVALUATION or COOKS_VERSION, and write new numbers."""
    greedy, random = cook("greedy_cook"), cook("random")
    one, two = counted([(greedy, random), (random, greedy)], setting=Setting(episodes=4, seed=7, steps=200))
    assert as_played(one).returns.tolist() == [80, 80, 60, 100]
    assert as_played(two).returns.tolist() == [80, 60, 80, 60]
    moved = Events._fields.index("moved")
    assert one[:, :, moved].tolist() == [[37, 37], [39, 51], [53, 36], [36, 48]]


# ------------------------------------------------------------------------------------------------------- figures


def test_means_and_errors_are_those_of_the_returns():
    played = [[(20, 40, 60), (0, 0, 0)], [(0, 20, 40), (20, 20, 80)]]
    table = [[cache.Played(np.float32(r), np.full((2, 16), 6)) for r in row] for row in played]
    result = gathered([ANN, BOB], toy.KITCHEN, SHORT, table, 4)
    assert result.mean.tolist() == [[40, 0], [20, 40]]
    np.testing.assert_allclose(result.error, np.array([[20, 0], [20, 1200**0.5]]) / 3**0.5)
    assert result.events.moved.tolist() == [[[2, 2], [2, 2]], [[2, 2], [2, 2]]]
    assert with_others(result).tolist() == [10, 10]
    assert with_itself(result).tolist() == [40, 40]


def test_a_single_game_has_no_error_and_a_single_player_no_others():
    result = crossplay([cook("stay")], toy.KITCHEN, Setting(1, steps=5))
    assert np.isinf(result.error).all()
    assert np.isnan(with_others(result)).all()
    assert result.mean.shape == (1, 1)


@pytest.mark.parametrize("wrong", [{"episodes": 0}, {"seed": -1}, {"seed": 2**63}, {"steps": 0}])
def test_what_cannot_be_played_is_refused(wrong):
    with pytest.raises(UserError, match=f"{next(iter(wrong))} must be a whole number from"):
        in_toy([ANN], SHORT._replace(**wrong))


# -------------------------------------------------------------------------------------------- what is remembered


def test_nothing_is_played_twice(tmp_path):
    first = in_toy([ANN, BOB], known=tmp_path)
    again = in_toy([BOB, ANN], known=tmp_path)
    assert (first.computed, again.computed) == (4, 0)
    np.testing.assert_array_equal(again.returns, first.returns[::-1, ::-1])
    assert equal(in_toy([ANN, BOB], known=tmp_path), in_toy([ANN, BOB]))


def test_a_newcomer_plays_only_its_own_games(tmp_path):
    in_toy([ANN, BOB], known=tmp_path)
    result = in_toy([ANN, EVE, BOB], known=tmp_path)
    assert result.computed == 5
    assert equal(result, in_toy([ANN, EVE, BOB]))


@pytest.mark.slow
def test_another_seed_number_of_games_or_way_of_acting_is_played_anew(tmp_path):
    stay = cook("stay")
    assert in_toy([stay], known=tmp_path).computed == 1
    for other in ({"seed": 1}, {"episodes": 4}, {"greedy": True}):
        for computed in (1, 0):
            assert in_toy([stay], SHORT._replace(**other), known=tmp_path).computed == computed, other
    assert in_toy([stay], known=tmp_path).computed == 0


def test_all_that_decides_the_games_is_asked(tmp_path):
    settings = [SHORT, *(SHORT._replace(**{name: 1}) for name in ("seed", "episodes", "greedy", "steps"))]
    asked = [question(toy.KITCHEN, ANN, BOB, setting) for setting in settings]
    asked += [question(toy.KITCHEN, BOB, ANN, SHORT), question(THREE_COOKS, ANN, BOB, SHORT)]
    assert len({cache.file_of(tmp_path, one) for one in asked}) == 7


def test_a_new_evaluation_forgets_all(tmp_path, monkeypatch):
    in_toy([cook("stay")], known=tmp_path)
    monkeypatch.setattr("cole.evaluate.crossplay.EVALUATION", 2)
    assert in_toy([cook("stay")], known=tmp_path).computed == 1


def test_agents_of_equal_weights_share_their_games_whatever_their_history(tmp_path):
    other = toy.agent(0)
    twin = of_agent(other._replace(card=other.card._replace(method="other", steps=9, training={"a": 1})))
    result = in_toy([ANN, twin, BOB], known=tmp_path)
    assert result.computed == 4
    np.testing.assert_array_equal(result.returns[0], result.returns[1])
    assert in_toy([twin, BOB], known=tmp_path).computed == 0


def test_fresh_plays_all_again_and_remembers_it(tmp_path):
    in_toy([ANN], known=tmp_path)
    assert in_toy([ANN], known=tmp_path, fresh=True).computed == 1
    assert in_toy([ANN], known=tmp_path).computed == 0


def test_without_a_folder_nothing_is_remembered():
    assert in_toy([cook("stay")]).computed == in_toy([cook("stay")]).computed == 1


def other_number(text: str) -> str:
    return text.replace('"returns": [0.0', '"returns": [20.0')


@pytest.mark.parametrize(
    "harm", [other_number, lambda text: text[:-20], lambda text: "[]", lambda text: '{"sha256": 1}']
)
def test_a_damaged_result_is_told_of_and_played_again(tmp_path, harm):
    first = in_toy([cook("stay")], known=tmp_path)
    [file] = tmp_path.glob("*.json")
    whole = file.read_text()
    assert harm(whole) != whole
    file.write_text(harm(whole))
    told = []
    again = in_toy([cook("stay")], known=tmp_path, tell=told.append)
    assert again.computed == 1
    assert len(told) == 1
    assert told[0].startswith(f"{file} is damaged, the pair plays again: ")
    assert equal(first, again)
    assert file.read_text() == whole


def test_a_result_under_the_name_of_another_is_not_believed(tmp_path):
    in_toy([ANN, BOB], known=tmp_path)
    mine, other = sorted(tmp_path.glob("*.json"))[:2]
    shutil.copy(other, mine)
    told = []
    assert in_toy([ANN, BOB], known=tmp_path, tell=told.append).computed == 1
    assert str(mine) in told[0]


def test_results_that_cannot_be_kept_are_results_all_the_same(tmp_path):
    (tmp_path / "file").write_text("")
    told = []
    result = in_toy([ANN, BOB], known=tmp_path / "file", tell=told.append)
    assert result.computed == 4
    assert told[-1].startswith(f"results cannot be kept in {tmp_path / 'file'}: ")
    assert sum("cannot be kept" in sentence for sentence in told) == 1


def test_two_who_keep_the_same_result_at_once_are_not_in_each_others_way(tmp_path, monkeypatch):
    def too_late(path, content):
        path.write_bytes(content)
        raise FileNotFoundError  # as if the other had just renamed our file

    monkeypatch.setattr(sealed, "write_file", too_late)
    told = []
    in_toy([cook("stay")], known=tmp_path, tell=told.append)
    assert (told, in_toy([cook("stay")], known=tmp_path).computed) == ([], 0)


def test_games_are_remembered_while_others_are_still_played(tmp_path):
    def stop(done, games):
        if done == 2 * SHORT.episodes:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_toy([ANN, BOB], known=tmp_path, progress=stop)
    assert in_toy([ANN, BOB], known=tmp_path).computed == 2


def test_progress_counts_the_games_that_are_really_played(tmp_path):
    in_toy([ANN], known=tmp_path)
    seen = []
    in_toy([ANN, BOB], known=tmp_path, progress=lambda *counts: seen.append(counts))
    assert seen == [(0, 9), (3, 9), (6, 9), (9, 9)]


# ------------------------------------------------------------------------------------------------------ the verb


def run(capsys, *arguments) -> tuple[int, str, str]:
    try:
        code = cli.main([str(argument) for argument in arguments])
    except SystemExit as stop:  # tyro's own refusals
        code = stop.code
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.slow
def test_agents_from_all_places_meet_and_the_analysis_reads_what_they_earned(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy.txt").write_text(layouts.to_text(toy.KITCHEN))
    toy.run_of(tmp_path / "runs" / "toy" / "sp" / "first", [0, 1])
    toy.saved(tmp_path / "ann", 2)
    who = ("runs/toy/sp/first", "ann", "stay")
    code, out, err = run(capsys, "crossplay", *who, "--episodes", 2)
    assert (code, err) == (0, "")
    for words in ("sp/first/seed-0", "with others", "with itself", "in toy: row in seat 0", "16 played, 0 known"):
        assert words in out
    found = json.loads((tmp_path / "crossplay-toy" / "crossplay.json").read_text())
    names = ["sp/first/seed-0", "sp/first/seed-1", "ann", "stay"]
    assert [player["name"] for player in found["players"]] == names
    assert found["players"][2]["identity"] == toy.player(2).identity
    assert (found["format"], found["episodes"], found["seed"], found["steps"]) == ("cole-crossplay", 2, 0, 400)
    assert found["layout"] == {"name": "toy", "map": layouts.to_text(toy.KITCHEN).split("\n")}
    assert np.shape(found["returns"]) == (4, 4, 2)
    assert np.shape(found["events"]["soup_served"]) == (4, 4, 2)

    matrix = read_matrix(tmp_path / "crossplay-toy" / "payoff.csv")
    assert matrix.names == names
    np.testing.assert_allclose(matrix.payoffs, found["mean"])
    code, out, err = run(capsys, "analyze", "crossplay-toy/payoff.csv", "--no-figures")
    assert (code, err) == (0, "")
    with (tmp_path / "payoff-analysis" / "strategies.csv").open() as file:
        assert [row["strategy"] for row in csv.DictReader(file)] == names

    code, out, _ = run(capsys, "crossplay", *who, "--episodes", 2, "--layout", "toy.txt")
    assert (code, "0 played, 16 known" in out) == (0, True)
    assert json.loads((tmp_path / "crossplay-toy" / "crossplay.json").read_text())["mean"] == found["mean"]


def test_the_verb_has_help(capsys):
    code, out, _ = run(capsys, "crossplay", "--help")
    assert (code, "--episodes" in out) == (0, True)


def test_many_players_are_listed_without_their_matrix(capsys, tmp_path):
    for number in range(13):
        toy.saved(tmp_path / "many" / f"agent-{number}")
    code, out, _ = run(capsys, "crossplay", tmp_path / "many", "--episodes", 1, "--out", tmp_path / "out")
    assert (code, "169 pairs of 1 games: 1 played, 168 known" in out) == (0, True)
    assert "row in seat 0" not in out
    assert "13 agent-12" in " ".join(out.split())


def test_brackets_in_the_name_of_a_kitchen_are_letters(capsys, tmp_path):
    (tmp_path / "toy[b].txt").write_text(layouts.to_text(toy.KITCHEN))
    arguments = ("--layout", tmp_path / "toy[b].txt", "--episodes", 1, "--out", tmp_path / "out")
    code, out, _ = run(capsys, "crossplay", "stay", *arguments)
    assert code == 0 and "in toy[b]: row in seat 0" in " ".join(out.split())


def test_a_folder_with_other_things_in_it_is_left_alone(capsys, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "payoff.csv").write_text("dear to me")
    arguments = ("crossplay", "stay", "--layout", "cramped_room", "--episodes", 1, "--out", tmp_path / "out")
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert f"{tmp_path / 'out'} exists and is no result of a cross-play, so it is left alone" in err
    assert (tmp_path / "out" / "payoff.csv").read_text() == "dear to me"
    (tmp_path / "out" / "payoff.csv").unlink()
    assert run(capsys, *arguments)[0] == 0
    (tmp_path / "out" / "notes.txt").write_text("mine")
    assert run(capsys, *arguments)[0] == 0
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "name some players: folders of agents or runs, agents of the zoo, or greedy_cook, supplier"),
        (["nobody"], "there is no player 'nobody'"),
        (["stay"], "say which layout to cook in"),
        (["stay", "--layout", "nowhere"], "no kitchen or map file called nowhere"),
        (["stay", "--layout", "cramped_room", "--episodes", "0"], "episodes must be a whole number from 1"),
        (["stay", "--layout", "cramped_room", "--seed", "-1"], "seed must be a whole number from 0"),
        (["stay", "--layout", "cramped_room", "--batch", "0"], "batch must be a whole number from 1"),
        (["stay", "--layout", "cramped_room", "--episodes", "1", "--out", "/dev/null/x"], "/dev/null"),
    ],
)
def test_a_mistake_is_named_and_exits_with_2(capsys, arguments, says):
    code, _, err = run(capsys, "crossplay", *arguments)
    assert code == 2
    assert says in err
    assert "Traceback" not in err
