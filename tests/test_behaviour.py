"""Behaviour: deeds, idle and blocked time and blocks of games worked by hand, and the same counts as a cross-play's."""

import jax
import numpy as np
import pytest
import toy_agents as toy

from cole.evaluate import pairs
from cole.evaluate.behaviour import GAP, STEP, Block, behaviour_of, blocks, observe, play, summary
from cole.evaluate.crossplay import as_played
from cole.evaluate.pairs import Setting
from cole.evaluate.players import cook
from cole.kitchen import layouts
from cole.kitchen.game import Events
from cole.kitchen.layouts import EAST, INTERACT, NORTH, SOUTH, STAY, WEST
from cole.kitchen.trajectory import Trajectory, replay

CORRIDOR = layouts.parse("XPODSX\nX1  2X\nXXXXXX")  # the cooks stand at both ends of four cells
STEPS = 20
MEET = (1, EAST, WEST)  # both come one cell nearer: now they stand side by side
PUSH = (EAST, WEST)  # each into the other


def acted(*parts: tuple[int, int, int], steps: int = STEPS) -> np.ndarray:
    """Actions [T, 2]: so many steps of what seat 0 and seat 1 do, part by part; then both stay."""
    said = [joint for times, *joint in parts for _ in range(times)]
    return np.array(said + [[STAY, STAY]] * (steps - len(said)), np.int8)


def observed(*parts, layout=CORRIDOR, steps: int = STEPS):
    """The behaviour of one game, without its leading axis."""
    return jax.tree.map(lambda field: field[0].tolist(), observe(layout, acted(*parts, steps=steps)[None]))


def block_list(actions: np.ndarray) -> list[Block]:
    states, events = replay(Trajectory(CORRIDOR, actions))
    return blocks(states.cell[:-1], events.blocked)


# ------------------------------------------------------------------------------------------------------- blocks


def test_walking_into_each_other_for_twelve_steps_is_one_block_of_twelve():
    done = observed(MEET, (12, *PUSH))
    assert (done.blocks, done.longest, done.start, done.hindered) == (1, 12, 1, 12)
    assert done.blocked == done.held_up == [12, 12]
    assert done.idle == done.stayed == [7, 7]
    assert block_list(acted(MEET, (12, *PUSH))) == [Block(1, 12, (12, 12))]


def test_a_wall_is_no_block():
    done = observed((5, WEST, EAST))
    assert (done.blocks, done.longest, done.start, done.hindered) == (0, 0, -1, 0)
    assert done.blocked == done.held_up == [0, 0]


def test_standing_still_is_no_block():
    done = observed(MEET)
    assert (done.blocks, done.longest, done.start) == (0, 0, -1)
    assert block_list(acted(MEET)) == []


def test_only_who_wants_to_walk_is_blocked():
    done = observed(MEET, (6, EAST, STAY))
    assert (done.blocks, done.longest, done.start) == (1, 6, 1)
    assert done.blocked == done.held_up == [6, 0]


def test_who_wants_the_same_free_cell_is_blocked():
    done = observed((1, EAST, STAY), (3, *PUSH))
    assert (done.blocks, done.longest, done.start) == (1, 3, 1)
    assert done.blocked == [3, 3]


@pytest.mark.parametrize("pause", [(STAY, STAY), (NORTH, INTERACT), (INTERACT, SOUTH)])
def test_a_short_pause_in_which_nobody_walks_does_not_end_a_block(pause):
    apart = observed(MEET, (3, *PUSH), (GAP, *pause), (2, *PUSH))
    assert (apart.blocks, apart.longest, apart.start, apart.hindered) == (1, 5 + GAP, 1, 5)


def test_a_longer_pause_does():
    done = observed(MEET, (2, *PUSH), (GAP + 1, STAY, STAY), (3, *PUSH))
    assert (done.blocks, done.longest, done.start, done.held_up) == (2, 3, 3 + GAP + 1, [3, 3])
    assert [block.length for block in block_list(acted(MEET, (2, *PUSH), (GAP + 1, STAY, STAY), (3, *PUSH)))] == [2, 3]


def test_stepping_aside_and_straight_back_does_not_end_a_block():
    done = observed(MEET, (2, *PUSH), (1, STAY, EAST), (1, STAY, WEST), (2, EAST, STAY))
    assert (done.blocks, done.longest, done.start) == (1, 6, 1)
    assert (done.blocked, done.held_up) == ([4, 2], [4, 2])


def test_giving_way_ends_a_block_even_if_the_next_begins_at_once():
    done = observed(MEET, (2, *PUSH), (1, EAST, EAST), (3, *PUSH))
    assert (done.blocks, done.longest, done.start, done.blocked, done.held_up) == (2, 3, 4, [5, 5], [3, 3])


def test_of_equally_long_blocks_the_earliest_is_told():
    done = observed(MEET, (2, *PUSH), (1, EAST, EAST), (2, *PUSH))
    assert (done.blocks, done.longest, done.start) == (2, 2, 1)


def test_the_papers_eleven_seconds_with_short_gaps_are_one_block():
    """73 steps of 150 ms: now and then both turn or interact in vain, and nobody gives way."""
    rounds = [part for _ in range(10) for part in ((5, EAST, STAY), (2, NORTH, INTERACT))]
    [block] = block_list(acted(MEET, *rounds, (3, EAST, STAY), steps=100))
    assert block == Block(1, 73, (53, 0))
    assert block.length * STEP == pytest.approx(10.95)


def by_the_rule(cell: np.ndarray, blocked: np.ndarray) -> list[tuple[int, int]]:
    """Start and length of every block, step by step as the module says."""
    spans: list[list[int]] = []
    for step in np.flatnonzero(blocked.any(1)).tolist():
        last = spans[-1][1] if spans else -STEPS * 10
        if step - last - 1 <= GAP and (cell[step] == cell[last]).all():
            spans[-1][1] = step
        else:
            spans.append([step, step])
    return [(first, last - first + 1) for first, last in spans]


def test_blocks_of_random_games_follow_the_rule():
    actions = np.random.default_rng(0).choice([EAST, WEST, STAY, NORTH], (30, STEPS * 3, 2), p=[0.4, 0.4, 0.1, 0.1])
    done = observe(CORRIDOR, actions)
    assert done.blocks.min() >= 1 and done.blocks.max() >= 4  # there is something to see
    for game, joint in enumerate(actions):
        states, events = replay(Trajectory(CORRIDOR, joint))
        expected = by_the_rule(states.cell[:-1], events.blocked)
        assert [block[:2] for block in blocks(states.cell[:-1], events.blocked)] == expected
        assert done.blocks[game] == len(expected)
        longest = max(expected, key=lambda block: block[1])
        assert (done.start[game], done.longest[game]) == longest
        assert done.hindered[game] == events.blocked.any(1).sum()


# ------------------------------------------------------------------------------------------- deeds and idle time


def test_a_soup_by_two_cooks_is_credited_to_who_did_what():
    """Seat 0 pots three onions and makes room; seat 1 fetches a dish, waits for the soup, plates and serves it."""
    zero = [WEST, INTERACT, NORTH, INTERACT] * 3 + [EAST] + [STAY] * 27
    one = [SOUTH, WEST, SOUTH, INTERACT] + [STAY] * 9 + [NORTH] + [STAY] * 21 + [INTERACT, SOUTH, EAST, SOUTH, INTERACT]
    done = observed(*((1, *joint) for joint in zip(zero, one, strict=True)), layout=toy.KITCHEN, steps=40)
    assert (done.steps, done.returns) == (40, 20)
    assert (done.potted, done.dishes, done.plated, done.served) == ([3, 0], [0, 1], [0, 1], [0, 1])
    assert done.idle == done.stayed == [27, 30]
    assert done.blocks == 0


def test_idle_is_whatever_changes_nothing_and_a_turn_does_change_something():
    done = observed((5, WEST, SOUTH), (3, STAY, INTERACT), (1, NORTH, NORTH))  # walls, and nothing to interact with
    assert done.stayed == [STEPS - 6, STEPS - 9]
    assert done.idle == [STEPS - 2, STEPS - 2]  # all but the first WEST or SOUTH and the NORTH: those turned them


def test_the_summary_has_means_by_seat_shares_of_the_steps_and_the_worst_block():
    games = [acted(), acted(MEET, (12, *PUSH)), acted(MEET, (6, EAST, STAY))]
    mean = summary(observe(CORRIDOR, np.stack(games)))
    np.testing.assert_allclose(mean.blocked, [18 / 60, 12 / 60])
    np.testing.assert_allclose(mean.idle, [(20 + 7 + 13) / 60, (20 + 7 + 19) / 60])
    assert (mean.games, mean.longest, mean.worst) == (3, 18 / 3, 12)
    assert mean.returns == 0 and mean.potted.tolist() == [0, 0]


def test_games_and_counts_are_those_of_a_cross_play():
    setting, pair = Setting(episodes=3, steps=1500), (cook("random"), cook("random"))
    [(_, counts)] = pairs.play_pairs(toy.KITCHEN, [pair], setting, 3)
    done, by_name = behaviour_of(toy.KITCHEN, pair, setting), Events._make(np.moveaxis(counts, -1, 0))
    for ours, theirs in (
        (done.potted, by_name.onion_in_pot),
        (done.dishes, by_name.dish_taken),
        (done.plated, by_name.soup_taken),
        (done.served, by_name.soup_served),
        (done.stayed, by_name.stayed),
        (done.blocked, by_name.blocked),
    ):
        np.testing.assert_array_equal(ours, theirs)
        assert np.sum(theirs) > 0
    np.testing.assert_array_equal(done.returns, as_played(counts).returns)
    assert (done.idle + done.blocked + by_name.moved <= setting.steps).all()
    assert (done.idle >= done.stayed).all()


def test_games_do_not_depend_on_how_many_are_played_at_once():
    setting, pair = Setting(episodes=3, steps=30), (cook("random"), cook("stay"))
    together = play(toy.KITCHEN, pair, setting)
    assert together.shape == (3, 30, 2)
    np.testing.assert_array_equal(play(toy.KITCHEN, pair, setting, at_once=2), together)
    np.testing.assert_array_equal(pairs.record(toy.KITCHEN, pair, setting, episode=2), together[2])


def test_further_agents_of_a_kind_compile_nothing(compiled):
    setting = Setting(episodes=2, steps=10)
    behaviour_of(toy.KITCHEN, (toy.player(0), toy.player(1)), setting)
    before = len(compiled)
    behaviour_of(toy.KITCHEN, (toy.player(2), toy.player(3)), setting)
    assert len(compiled) == before
