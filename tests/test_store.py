"""Agents on disk: they load for years, damage is named, and nothing in them can run.

tests/golden/agent-v1 was saved by the first version of the format: `network.init(key(1))` for cramped_room with normal
noise of 0.1 added. The numbers in agent-v1.json are those of a network written as loops over the grid in float64, for
the opening and five states of `game.random_state`. Neither is ever made again: a later format must still read it.
"""

import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest
from safetensors.numpy import save as to_safetensors

from cole import sealed
from cole.errors import UserError
from cole.kitchen import layouts
from cole.kitchen.trajectory import PlainState, as_arrays
from cole.policy import store
from cole.policy.policy import NOISE

GOLDEN = Path(__file__).parent / "golden" / "agent-v1"
NUMBERS = json.loads(GOLDEN.with_suffix(".json").read_text())
THREE_COOKS = layouts.parse("XXPXX\nO1 2O\nX 3 X\nXDXSX")


def made(layout: layouts.Layout, view: str = "grid", **facts) -> store.Agent:
    """An agent of random numbers."""
    draw = np.random.default_rng(0).standard_normal
    params = {
        layer: {part: draw(shape).astype(np.float32) for part, shape in parts.items()}
        for layer, parts in store.shapes(layout, view).items()
    }
    return store.Agent(params, store.new_card(layout, view, "noise", **facts))


def same(left: store.Agent, right: store.Agent) -> bool:
    arrays = [jax.tree.leaves(agent.params) for agent in (left, right)]
    equal = all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(*arrays, strict=True))
    return equal and left.card == right.card


@pytest.fixture
def folder(tmp_path) -> Path:
    """A copy of the golden agent to do harm to."""
    return Path(shutil.copytree(GOLDEN, tmp_path / "agent"))


def reseal(folder: Path, **changed: bytes) -> None:
    """Writes files anew (model=..., config=...) so that every SHA-256 is right."""
    model = changed.get("model", (folder / store.MODEL).read_bytes())
    old = sealed.sha256((folder / store.MODEL).read_bytes()).encode()
    config = changed.get("config", (folder / store.CONFIG).read_bytes()).replace(old, sealed.sha256(model).encode())
    files = {store.MODEL: model, store.CONFIG: config, store.PAGE: (folder / store.PAGE).read_bytes()}
    for name, content in (files | {sealed.MANIFEST: sealed.manifest(files)}).items():  # without flushing: faster
        (folder / name).write_bytes(content)


def refusal(folder: Path) -> str:
    with pytest.raises(UserError) as caught:
        store.load(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", layouts.MAPS)
def test_an_agent_loaded_is_the_agent_saved(tmp_path, name):
    facts = {"seed": 7, "steps": 1_000_000, "training": {"learning rate": 1e-3, "partners": [None, True, "självspel"]}}
    agent = made(layouts.load(name), "grid2019", **facts)
    store.save(tmp_path / "agent", agent)
    loaded = store.load(tmp_path / "agent")
    assert same(loaded, agent)
    assert loaded.card.layout == name
    assert store.identity(loaded) == store.identity(agent)


def test_an_agent_for_a_kitchen_of_ones_own_brings_its_map(tmp_path):
    agent = made(THREE_COOKS, name="mine")
    store.save(tmp_path / "agent", agent)
    loaded = store.load(tmp_path / "agent")
    assert (loaded.card.layout, loaded.card.seed, loaded.card.steps) == ("mine", None, None)
    assert layouts.to_text(store.layout_of(loaded)) == layouts.to_text(THREE_COOKS)


def test_numbers_rounded_to_half_take_half_the_room_and_stay_what_they_are(tmp_path):
    agent = made(layouts.load("cramped_room"))
    store.save(tmp_path / "whole", agent)
    store.save(tmp_path / "half", agent, half=True)
    sizes = [(tmp_path / name / store.MODEL).stat().st_size for name in ("whole", "half")]
    assert sizes[1] < 0.52 * sizes[0]
    loaded = store.load(tmp_path / "half")
    jax.tree.map(lambda x, y: np.testing.assert_array_equal(x.astype(np.float16), y), agent.params, loaded.params)
    assert {x.dtype for x in jax.tree.leaves(loaded.params)} == {np.dtype(np.float32)}
    store.save(tmp_path / "again", loaded, half=True)
    assert store.identity(store.load(tmp_path / "again")) == store.identity(loaded)


def test_numbers_too_large_for_half_are_refused(tmp_path):
    agent = made(layouts.load("cramped_room"))
    agent.params["conv1"]["b"][0] = 1e5
    store.save(tmp_path / "whole", agent)
    with pytest.raises(UserError, match="'conv1/b' has numbers that are not finite"):
        store.save(tmp_path / "half", agent, half=True)


def test_arrays_of_jax_are_saved_like_those_of_numpy(tmp_path):
    agent = made(layouts.load("cramped_room"))
    store.save(tmp_path / "agent", agent._replace(params=jax.tree.map(jax.numpy.asarray, agent.params)))
    assert same(store.load(tmp_path / "agent"), agent)


def test_the_golden_agent_acts_as_ever(tell):
    agent = store.load(GOLDEN)
    assert store.identity(agent) == NUMBERS["identity"]
    layout, policy = store.layout_of(agent), store.policy_of(agent)
    states = [as_arrays(PlainState(**case["state"])) for case in NUMBERS["cases"]]
    seats = np.array([case["seat"] for case in NUMBERS["cases"]])

    @jax.jit
    def thoughts(params, states, seats):
        ready = policy.prepare(params)

        def one(state, seat):
            return policy.act(ready, policy.view(layout, state, seat), policy.memory(), np.full(NOISE, 0.5, np.float32))

        return jax.vmap(one)(states, seats)

    act = thoughts(agent.params, jax.tree.map(lambda *leaves: np.stack(leaves), *states), seats)
    logits = np.array([case["logits"] for case in NUMBERS["cases"]])
    np.testing.assert_allclose(act.logits, logits, atol=1e-4)
    np.testing.assert_allclose(act.value, [case["value"] for case in NUMBERS["cases"]], atol=1e-4)
    tell(f"golden agent: logits in {len(states)} states within {np.abs(act.logits - logits).max():.0e}")


def test_a_greedy_policy_takes_the_best_action():
    agent = store.load(GOLDEN)
    layout, policy = store.layout_of(agent), store.policy_of(agent, greedy=True)
    case = NUMBERS["cases"][1]
    seen = policy.view(layout, as_arrays(PlainState(**case["state"])), case["seat"])
    act = jax.jit(policy.act)(jax.jit(policy.prepare)(agent.params), seen, policy.memory(), np.full(NOISE, 0.5))
    assert int(act.action) == int(np.argmax(case["logits"]))


def test_the_code_in_the_card_runs(tmp_path, capsys):
    store.save(tmp_path / "agent", made(layouts.load("cramped_room")))
    page = (tmp_path / "agent" / store.PAGE).read_text()
    code = page.split("```python\n")[1].split("```")[0].replace("PATH/OF/THIS/FOLDER", str(tmp_path / "agent"))
    exec(compile(code, "README.md", "exec"), {})
    assert len(capsys.readouterr().out.replace("\n", " ").split("[")) == 2


def test_the_card_tells_people_what_the_agent_is(tmp_path):
    store.save(tmp_path / "agent", made(layouts.load("cramped_room"), seed=3, steps=12_000, training={"epochs": 8}))
    page = (tmp_path / "agent" / store.PAGE).read_text()
    assert page.startswith("---\nlicense: mit\nlibrary_name: cole\n")
    for words in ("tags:\n- overcooked", "XXPXX\nO  2O\nX1  X\nXDXSX", "seed: 3", "12,000", '"epochs": 8', "`grid`"):
        assert words in page


def test_an_identity_is_of_behaviour_and_not_of_history():
    agent = store.load(GOLDEN)
    assert store.identity(agent._replace(card=agent.card._replace(seed=9, method="other"))) == store.identity(agent)
    params = jax.tree.map(np.copy, agent.params)
    params["logits"]["b"][0] += 1e-6
    others = [agent._replace(params=params), agent._replace(card=agent.card._replace(view="grid2019"))]
    mirrored = "\n".join(row[::-1] for row in agent.card.map.split("\n"))
    others.append(agent._replace(card=agent.card._replace(layout="mirrored", map=mirrored)))
    assert len({store.identity(other) for other in [agent, *others]}) == 4


def test_loading_needs_nothing_of_training():
    banned = {"cole.trainer", "cole.ppo", "cole.rollout", "cole.methods", "cole.run", "optax", "rich", "matplotlib"}
    code = f"import sys, cole.policy.store; print(sorted({banned} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def damaged(folder: Path, name: str, content: bytes) -> str:
    """What is said of the folder while one of its files has this content."""
    file = folder / name
    whole = file.read_bytes()
    assert content != whole
    file.write_bytes(content)
    message = refusal(folder)
    file.write_bytes(whole)
    return message


def test_every_flipped_byte_is_seen(folder, tell):
    random = np.random.default_rng(0)
    names = [*store.FILES, sealed.MANIFEST]
    for flip in range(500):
        name = names[flip % 4]
        content = bytearray((folder / name).read_bytes())
        content[random.integers(len(content))] ^= random.integers(1, 256)
        message = damaged(folder, name, bytes(content))
        assert str(folder / name) in message or sealed.MANIFEST in message
    store.load(folder)
    tell("500 of 500 byte flips refused, each by the name of the file or its manifest")


def test_every_cut_is_seen(folder, tell):
    random = np.random.default_rng(1)
    names = [*store.FILES, sealed.MANIFEST]
    for cut in range(100):
        name = names[cut % 4]
        content = (folder / name).read_bytes()
        message = damaged(folder, name, content[: random.integers(len(content))])
        assert str(folder / name) in message or sealed.MANIFEST in message
    tell("100 of 100 truncations refused, each by the name of the file or its manifest")


@pytest.mark.parametrize("name", [*store.FILES, sealed.MANIFEST])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    assert refusal(folder) == f"{folder / name} cannot be read: No such file or directory"


def test_a_missing_folder_is_named(tmp_path):
    assert refusal(tmp_path / "nobody") == f"there is no agent folder {tmp_path / 'nobody'}"
    (tmp_path / "file").write_bytes(b"")
    assert refusal(tmp_path / "file") == f"there is no agent folder {tmp_path / 'file'}"
    assert refusal(Path("a\0b")).startswith("there is no agent folder")


def tensors(**changed) -> bytes:
    """A model file of the golden agent with some tensors changed, or left out where None."""
    named = {f"{layer}/{p}": x for layer, parts in store.load(GOLDEN).params.items() for p, x in parts.items()}
    return to_safetensors({name: x for name, x in (named | changed).items() if x is not None})


def header(text: bytes, size: int | None = None) -> bytes:
    return struct.pack("<Q", len(text) if size is None else size) + text


def one(value: float) -> dict:
    bias = np.zeros(6, np.float32)
    bias[3] = value
    return {"logits/b": bias}


MODELS = {
    "empty": (lambda: b"", "is not a safetensors file"),
    "a zip": (lambda: b"PK\x03\x04" + bytes(100), "is not a safetensors file"),
    "a NumPy file": (lambda: b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'}", "is not a safetensors file"),
    "a header that is too large": (lambda: header(b"{}", 2**40), "is not a safetensors file"),
    "a header larger than the file": (lambda: header(b"{}", 3), "is not a safetensors file"),
    "a header of no text": (lambda: header(b"\xff\xfe{}"), "is not a safetensors file"),
    "a header of no JSON": (lambda: header(b"{'conv1'}"), "is not a safetensors file"),
    "a header nested without end": (lambda: header(b"[" * 100_000), "is not a safetensors file"),
    "offsets beyond the end": (
        lambda: header(b'{"conv1/w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'),
        "is not a safetensors file",
    ),
    "a shape that is not that of its bytes": (
        lambda: header(b'{"conv1/w":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}') + bytes(8),
        "is not a safetensors file",
    ),
    "a tensor too few": (lambda: tensors(**{"conv2/b": None}), "the tensor 'conv2/b' is missing"),
    "a tensor too many": (lambda: tensors(zebra=np.zeros(3, np.float32)), "'zebra' is not a tensor of this network"),
    "a wrong shape": (
        lambda: tensors(**{"dense1/w": np.zeros((225, 64), np.float32)}),
        "the tensor 'dense1/w' is 225x64, not 150x64",
    ),
    "a wrong type": (lambda: tensors(**{"value/b": np.zeros(1, np.float64)}), "the tensor 'value/b' is of type F64"),
    "NaN": (lambda: tensors(**one(np.nan)), "the tensor 'logits/b' has numbers that are not finite"),
    "infinity": (lambda: tensors(**one(-np.inf)), "the tensor 'logits/b' has numbers that are not finite"),
}


@pytest.mark.parametrize("case", MODELS)
def test_a_model_that_is_none_is_refused_though_every_hash_is_right(folder, case):
    model, says = MODELS[case]
    reseal(folder, model=model())
    assert refusal(folder).startswith(f"{folder / store.MODEL}")
    assert says in refusal(folder)


@pytest.mark.parametrize("start", [b"", b"\x80\x02"])
def test_a_pickle_that_would_run_something_does_not(folder, tmp_path, start):
    spoor = tmp_path / "spoor"
    bomb = start + f"cos\nsystem\n(S'touch {spoor}'\ntR.".encode()
    reseal(folder, model=bomb)
    assert refusal(folder).startswith(f"{folder / store.MODEL} is not a safetensors file")
    reseal(folder, model=(GOLDEN / store.MODEL).read_bytes(), config=bomb)
    assert refusal(folder).startswith(f"{folder / store.CONFIG} is not JSON")
    assert not spoor.exists()


def without(name: str):
    return lambda fields: fields.pop(name)


def with_(*path_and_value):
    """fields[a][b] = value."""

    def change(fields):
        *path, last, value = path_and_value
        for name in path:
            fields = fields[name]
        fields[last] = value

    return change


CONFIGS = {
    "another format": (with_("format", "cole-trajectory"), "the format is 'cole-trajectory', not 'cole-agent'"),
    "a newer version": (with_("version", 2), "made by a newer version of cole (format 2; this one reads up to 1)"),
    "a version that is no number": (with_("version", "1"), "version: '1' is not a whole number"),
    "a version that is true": (with_("version", True), "version: True is not a whole number"),
    "no version": (without("version"), "the field 'version' is missing"),
    "no view": (without("view"), "the field 'view' is missing"),
    "no hash": (without("sha256"), "the field 'sha256' is missing"),
    "a field of no meaning": (with_("zebra", 1), "'zebra' is not a field"),
    "an unknown view": (with_("view", "infrared"), "view: 'infrared' is unknown; the views are grid, grid2019"),
    "a view no network has": (with_("view", "grid26"), "view: 'grid26' is unknown"),
    "a view that is a number": (with_("view", 1), "view: 1 is not a line"),
    "a seed that is a fraction": (with_("seed", 1.0), "seed: 1.0 is not a whole number"),
    "a negative number of steps": (with_("steps", -1), "steps: -1 is not a whole number"),
    "a method with a line break": (with_("method", "sp\nrm"), r"method: 'sp\nrm' is not a line"),
    "a method that clears the screen": (with_("method", "\x1b[2J"), r"method: '\x1b[2J' is not a line"),
    "no method": (with_("method", ""), "method: '' is not a line"),
    "a training that is a list": (with_("training", []), "training: [] is not an object"),
    "a network that is a list": (with_("network", []), "network: [] is not an object"),
    "a layer too few": (lambda fields: fields["network"].pop("dense3"), "network: 'dense3' is None, not [64, 64]"),
    "a layer too many": (with_("network", "zebra", [1]), "network: 'zebra' is [1], not None"),
    "a layer of another size": (
        with_("network", "conv1", [3, 3, 20, 25]),
        "network: 'conv1' is [3, 3, 20, 25], not [5",
    ),
    "a layer of true": (with_("network", "value", [64, True]), "network: 'value' is [64, True], not [64, 1]"),
    "a layout that is a name": (with_("layout", "cramped_room"), "layout: 'cramped_room' is not an object"),
    "a map that is text": (with_("layout", "map", "XX"), "layout: map: 'XX' is not a list"),
    "a map without rows": (with_("layout", "map", []), "layout: map: it has no rows"),
    "a row that is a number": (with_("layout", "map", [1]), "layout: map, row 1: 1 is not a line"),
    "a map nobody can cook in": (with_("layout", "map", ["XXX", "X1X", "XXX"]), "layout: map: the kitchen has no pot"),
    "a map without end": (with_("layout", "map", ["X" * 100] * 100), "10099 symbols are more than an agent's kitchen"),
    "the map of another kitchen": (
        with_("layout", "map", layouts.to_text(layouts.load("coordination_ring")).split("\n")),
        "layout: the map is not that of cramped_room",
    ),
    "a name of another kitchen": (
        with_("layout", "name", "coordination_ring"),
        "the map is not that of coordination_ring",
    ),
    "a hash of another model": (with_("sha256", "0" * 64), "its SHA-256 is another"),
}


@pytest.mark.parametrize("case", CONFIGS)
def test_a_config_that_is_wrong_is_refused_though_every_hash_is_right(folder, case):
    change, says = CONFIGS[case]
    fields = json.loads((folder / store.CONFIG).read_bytes())
    change(fields)
    reseal(folder, config=json.dumps(fields).encode())
    message = refusal(folder)
    assert says in message
    assert str(folder / store.CONFIG) in message or str(folder / store.MODEL) in message


def test_a_view_for_two_seats_is_refused_in_a_kitchen_of_three(tmp_path):
    agent = made(THREE_COOKS, name="mine")
    with pytest.raises(UserError, match=r"config\.json: the view grid2019 exists for two seats only"):
        store.save(tmp_path / "agent", agent._replace(card=agent.card._replace(view="grid2019")))


TEXTS = {
    "empty": b"",
    "cut": b'{"format":',
    "no object": b"[]",
    "no text": b'{"format": "\xff"}',
    "a field twice": b'{"format": "cole-agent", "format": "cole-agent"}',
    "NaN": b'{"format": NaN}',
    "minus infinity": b'{"format": -Infinity}',
    "a number beyond floats": b'{"format": 1e999}',
    "half a surrogate": rb'{"format": "\ud800"}',
    "nested without end": b"[" * 100_000,
    "digits without end": b'{"format": ' + b"1" * 5000 + b"}",
}


@pytest.mark.parametrize("case", TEXTS)
def test_a_config_that_is_not_strict_json_is_refused(folder, case):
    reseal(folder, config=TEXTS[case])
    assert refusal(folder).startswith(f"{folder / store.CONFIG}")


def test_no_mutation_with_right_hashes_causes_anything_but_a_sentence(folder, tell):
    random = np.random.default_rng(2)
    refused = 0
    for name, size in ((store.MODEL, 1000), (store.CONFIG, 500)):
        whole = (GOLDEN / name).read_bytes()
        for _ in range(100):
            content = bytearray(whole)
            for at in random.integers(min(size, len(whole)), size=random.integers(1, 4)):
                content[at] = random.choice([*b'"{}[],:0159-eE', 0, 255])
            reseal(folder, **{"model" if name == store.MODEL else "config": bytes(content)})
            try:
                store.load(folder)
            except UserError:
                refused += 1
            reseal(folder, model=(GOLDEN / store.MODEL).read_bytes(), config=(GOLDEN / store.CONFIG).read_bytes())
    assert refused > 150
    tell(f"200 mutations of an agent under right hashes: {refused} refused, the others harmless, no traceback")


def test_what_could_not_be_loaded_is_not_saved(tmp_path):
    agent = made(layouts.load("cramped_room"))
    wrong = jax.tree.map(np.copy, agent.params)
    wrong["conv1"]["b"][0] = np.nan
    cases = [
        (agent._replace(params=wrong), "the tensor 'conv1/b' has numbers that are not finite"),
        (agent._replace(params=jax.tree.map(np.float64, agent.params)), "is of type float64, not float32"),
        (agent._replace(params={}), "the tensor 'conv1/b' is missing"),
        (agent._replace(card=agent.card._replace(view="infrared")), "view: 'infrared' is unknown"),
        (agent._replace(card=agent.card._replace(method="")), "method: '' is not a line"),
        (agent._replace(card=agent.card._replace(training={"x": float("nan")})), "cannot be written"),
        (agent._replace(card=agent.card._replace(training={"x": np.float32(1)})), "cannot be written"),
    ]
    for bad, says in cases:
        with pytest.raises(UserError) as caught:
            store.save(tmp_path / "agent", bad)
        assert says in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_saving_replaces_an_agent_and_nothing_else(tmp_path):
    agent = made(layouts.load("cramped_room"))
    store.save(tmp_path / "agent", agent)
    store.save(tmp_path / "agent", agent)
    (tmp_path / "agent" / "notes.txt").write_text("precious")
    with pytest.raises(UserError, match="agent exists and is more than an agent"):
        store.save(tmp_path / "agent", agent)
    assert (tmp_path / "agent" / "notes.txt").read_text() == "precious"
    with pytest.raises(UserError, match="cannot be written"):
        store.save("/proc/nowhere/agent", agent)
