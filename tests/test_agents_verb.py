"""`cole agents`: an agent's facts in a table, and agents that others published as tf.js files.

Nothing published is stored here: the tests write such folders themselves, as `model.json` of 2019 describes them.
"""

import json
from pathlib import Path

import jax
import numpy as np
import pytest

from cole import cli
from cole.errors import UserError
from cole.kitchen import game, layouts
from cole.policy import published, store
from cole.policy.policy import NOISE

GOLDEN = Path(__file__).parent / "golden" / "agent-v1"
LAYERS = ("conv1", "conv2", "conv3", "dense1", "dense2", "dense3", "logits", "value")
ROOM = layouts.load("cramped_room")

# What 2019 called our layers.
OF_2019 = dict(
    zip(LAYERS, ("conv_initial", "conv_0", "conv_1", "dense", "dense_1", "dense_2", "pi", "vf"), strict=True)
)


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "")


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    try:
        code = cli.main(arguments)
    except SystemExit as stop:  # tyro's own refusals
        code = stop.code
    out, err = capsys.readouterr()
    return code, out, err


def params() -> store.Arrays:
    return store.load(GOLDEN).params


def named(params: store.Arrays, layers=LAYERS) -> list[tuple[str, np.ndarray]]:
    """Kernel and bias of each layer by the names of 2019, from the first layer to the last."""
    return [(f"a/{OF_2019[layer]}/{part}", params[layer][part[0]]) for layer in layers for part in ("w", "b")]


def backwards(tensors: list) -> list:
    """As 2019 listed them: from the last layer to the first, and whole numbers for a reshaping in between."""
    middle = len(tensors) // 2
    return [*tensors[:middle], ("a/flatten/shape", np.array([-1, 150], np.int32)), *tensors[middle:]][::-1]


def graph(layers=LAYERS, slope: float = 0.2, last: str = "VALID") -> dict:
    """The operations of the network, in no helpful order."""
    paddings = dict(zip(LAYERS, ("SAME", "SAME", last), strict=False))
    nodes = [{"name": "seen", "op": "Placeholder"}]
    before = "seen"
    for layer in layers:
        if layer == "dense1":
            nodes += [{"name": "a/flatten/shape", "op": "Const"}]
            nodes += [{"name": "a/flatten", "op": "Reshape", "input": [before, "a/flatten/shape"]}]
            before = "a/flatten"
        name, op = f"a/{OF_2019[layer]}", "Conv2D" if layer in paddings else "MatMul"
        nodes += [{"name": f"{name}/{part}", "op": "Const", "input": []} for part in "bw"]
        attributes = {"padding": {"s": list(paddings[layer].encode())}} if layer in paddings else {}
        nodes.append({"name": f"{name}/{op}", "op": op, "input": [before, f"{name}/w"], "attr": attributes})
        nodes.append({"name": f"{name}/add", "op": "BiasAdd", "input": [f"{name}/{op}", f"{name}/b:0"]})
        if layer not in ("logits", "value"):
            before = f"{name}/leaky"
            nodes.append({"name": before, "op": "LeakyRelu", "input": [f"{name}/add"], "attr": {"alpha": {"f": slope}}})
    return {"node": [nodes[i] for i in np.random.default_rng(0).permutation(len(nodes))]}


def write(folder: Path, tensors: list, topology: dict | None = None, shards: int = 1) -> Path:
    """A tf.js folder; the shards are cut wherever it happens."""
    folder.mkdir(exist_ok=True)
    content = b"".join(np.ascontiguousarray(array).tobytes() for _, array in tensors)
    cuts = [len(content) * i // shards for i in range(shards + 1)]
    paths = [f"group1-shard{i + 1}of{shards}" for i in range(shards)]
    for path, start, end in zip(paths, cuts, cuts[1:], strict=False):
        (folder / path).write_bytes(content[start:end])
    weights = [{"name": name, "shape": list(array.shape), "dtype": str(array.dtype)} for name, array in tensors]
    model = {"weightsManifest": [{"paths": paths, "weights": weights}]} | (
        {"modelTopology": topology} if topology else {}
    )
    (folder / "model.json").write_text(json.dumps(model))
    return folder


def rewrite(folder: Path, change) -> None:
    model = json.loads((folder / "model.json").read_text())
    change(model)
    (folder / "model.json").write_text(json.dumps(model))


def equal(left: store.Arrays, right: store.Arrays) -> bool:
    return all(np.array_equal(left[layer][part], right[layer][part]) for layer in LAYERS for part in "wb")


def refusal(folder: Path) -> str:
    with pytest.raises(UserError) as caught:
        published.load(folder, ROOM, "grid2019")
    assert str(caught.value).startswith(str(folder)) or str(folder) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("order", [list, backwards])
@pytest.mark.parametrize("topology", [None, graph()])
def test_an_imported_agent_has_the_published_numbers(tmp_path, order, topology, shards):
    folder = write(tmp_path / "theirs", order(named(params())), topology, shards)
    assert equal(published.load(folder, ROOM, "grid2019").params, params())


def test_an_imported_agent_thinks_what_the_published_one_thought(tmp_path):
    folder = write(tmp_path / "theirs", backwards(named(params())), graph())
    store.save(tmp_path / "ours", published.load(folder, ROOM, "grid"))
    ours, theirs = store.load(tmp_path / "ours"), store.load(GOLDEN)
    policy, state = store.policy_of(ours), game.reset(ROOM)

    @jax.jit
    def logits(params):
        seen = policy.view(ROOM, state, 1)
        return policy.act(policy.prepare(params), seen, policy.memory(), np.zeros(NOISE, np.float32)).logits

    np.testing.assert_array_equal(logits(ours.params), logits(theirs.params))
    assert store.identity(ours) == store.identity(theirs)


def test_the_graph_decides_whatever_the_order_and_the_names(tmp_path):
    mixed = [named(params())[i] for i in np.random.default_rng(1).permutation(16)]
    assert equal(published.load(write(tmp_path / "a", mixed, graph()), ROOM, "grid").params, params())
    swapped = json.loads(json.dumps(graph()).replace("dense_1/", "tmp/").replace("dense_2/", "dense_1/"))
    swapped = json.loads(json.dumps(swapped).replace("tmp/", "dense_2/"))
    loaded = published.load(write(tmp_path / "b", mixed, swapped), ROOM, "grid").params
    assert np.array_equal(loaded["dense2"]["w"], params()["dense3"]["w"])


def test_tensors_in_two_groups_are_read_from_their_own_shards(tmp_path):
    folder = write(tmp_path / "theirs", named(params()))
    content = (folder / "group1-shard1of1").read_bytes()
    first = sum(array.nbytes for _, array in named(params())[:6])
    (folder / "a").write_bytes(content[:first])
    (folder / "b").write_bytes(content[first:])

    def split(model):
        weights = model["weightsManifest"][0]["weights"]
        groups = [{"paths": ["a"], "weights": weights[:6]}, {"paths": ["b"], "weights": weights[6:]}]
        model["weightsManifest"] = groups

    rewrite(folder, split)
    assert equal(published.load(folder, ROOM, "grid2019").params, params())


def test_a_value_that_was_not_published_is_zero_and_the_card_says_so(tmp_path):
    folder = write(tmp_path / "theirs", backwards(named(params(), LAYERS[:-1])), graph(LAYERS[:-1]))
    agent = published.load(folder, ROOM, "grid2019")
    assert not agent.params["value"]["w"].any() and not agent.params["value"]["b"].any()
    assert equal(agent.params | {"value": params()["value"]}, params())
    store.save(tmp_path / "ours", agent)
    page = (tmp_path / "ours" / store.PAGE).read_text()
    assert "none was published: its weights are zeros" in page
    assert "license: unknown" in page


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("with_graph", [True, False])
def test_a_network_of_two_dense_layers_gets_a_third_that_changes_nothing(tmp_path, value, with_graph):
    layers = [layer for layer in LAYERS if layer != "dense3" and (value or layer != "value")]
    topology = graph(layers) if with_graph else None
    agent = published.load(write(tmp_path / "theirs", backwards(named(params(), layers)), topology), ROOM, "grid2019")
    for layer in LAYERS[:5]:
        assert np.array_equal(agent.params[layer]["w"], params()[layer]["w"])
    features = np.random.default_rng(0).normal(0, 3, (1000, 64))
    product = features @ agent.params["dense3"]["w"] + agent.params["dense3"]["b"][None]
    for head in ("logits", "value")[: 1 + value]:
        theirs = features @ params()[head]["w"] + params()[head]["b"][None]
        ours = np.where(product > 0, product, 0.2 * product) @ agent.params[head]["w"] + agent.params[head]["b"][None]
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)
    assert "two dense layers" in agent.card.training["dense3"]
    assert ("value" in agent.card.training) == (not value)


def test_an_agent_of_another_kitchen_is_refused(tmp_path):
    ring = layouts.load("coordination_ring")
    wide = params() | {"dense1": {"w": np.zeros((225, 64), np.float32), "b": np.zeros(64, np.float32)}}
    folder = write(tmp_path / "theirs", backwards(named(wide)))
    assert "the tensor 'a/dense/w' of 225x64 has no place in our network" in refusal(folder)
    assert "missing: dense1/w of 150x64" in refusal(folder)
    assert equal(published.load(folder, ring, "grid2019").params, wide)


def swap(tensors: list, i: int, j: int) -> list:
    tensors = list(tensors)
    tensors[i], tensors[j] = tensors[j], tensors[i]
    return tensors


def nan_in(tensors: list, i: int) -> list:
    tensors = list(tensors)
    tensors[i] = (tensors[i][0], np.full_like(tensors[i][1], np.nan))
    return tensors


TENSORS = {
    "one of 3x3 missing": (
        lambda t: t[:4] + t[5:],
        "3x3x25x25 is the shape of conv2/w, conv3/w, but the file has 'a/conv_0/w'",
    ),
    "the first kernel missing": (lambda t: t[1:], "5x5x20x25 is the shape of conv1/w, but the file has none"),
    "a bias missing": (
        lambda t: t[:1] + t[2:],
        "25 is the shape of conv1/b, conv2/b, conv3/b, but the file has 'a/conv_0/b'",
    ),
    "a bias of the value missing": (lambda t: t[:-1], "1 is the shape of value/b, but the file has none"),
    "a second network": (lambda t: t + [(f"b{name[1:]}", x) for name, x in t], "but the file has 'a/"),
    "a layer of no use": (
        lambda t: [*t, ("a/zebra", np.zeros((7, 7), np.float32))],
        "'a/zebra' of 7x7 has no place in our",
    ),
    "a name twice": (lambda t: [*t, t[0]], "the tensor 'a/conv_initial/w' is listed twice"),
    "layers in no order": (lambda t: swap(t, 0, 2), "does not tell which of two layers of one shape comes first"),
    "numbers in names against the order": (
        lambda t: swap(swap(t, 8, 10), 9, 11),
        "by their order 'a/dense_2/w' comes before 'a/dense_1/w', by name after it",
    ),
    "biases against the order": (lambda t: swap(t, 9, 11), "the bias in 'a/dense_2' goes with 'a/dense_1'"),
    "numbers that are none": (lambda t: nan_in(t, 8), "the tensor 'a/dense_1/w' has numbers that are not finite"),
    "double precision": (
        lambda t: [(n, x.astype(np.float64)) for n, x in t],
        "'a/conv_initial/w' is of type 'float64'",
    ),
    "nothing": (lambda t: [], "25 is the shape of conv1/b, conv2/b, conv3/b, but the file has none"),
}


@pytest.mark.parametrize("case", TENSORS)
def test_tensors_that_cannot_be_placed_for_certain_are_refused(tmp_path, case):
    change, says = TENSORS[case]
    assert says in refusal(write(tmp_path / "theirs", change(named(params()))))


GRAPHS = {
    "another slope": (graph(slope=0.01), "has another slope than 0.2"),
    "another padding": (graph(last="SAME"), "padded SAME, SAME, SAME, ours SAME, SAME, VALID"),
    "another activation": (
        json.loads(json.dumps(graph()).replace("LeakyRelu", "Relu")),
        "has a Relu where our network",
    ),
    "a fused activation": (
        {
            "node": [
                *graph()["node"],
                {"name": "f", "op": "_FusedMatMul", "attr": {"fused_ops": {"list": {"s": ["UmVsdQ=="]}}}},
            ]
        },
        "'f' has a Relu where our network has a leaky ReLU",
    ),
    "a circle": (
        {
            "node": [
                *graph()["node"],
                {"name": "a", "op": "Add", "input": ["b"]},
                {"name": "b", "op": "Add", "input": ["a"]},
            ]
        },
        "feed each other in a circle",
    ),
    "a graph of other tensors": (
        json.loads(json.dumps(graph()).replace("a/dense/w", "a/dense/kernel")),
        "the tensor 'a/dense/w' does not occur in the file's own graph",
    ),
    "layers side by side": (
        json.loads(json.dumps(graph()).replace('"a/dense_1/leaky", "a/dense_2/w"', '"a/dense/leaky", "a/dense_2/w"')),
        "does not follow on the layers before it",
    ),
    "nodes that are none": ({"node": [1]}, "1 is not an operation"),
    "nodes without a list": ({"node": {"a": 1}}, "is not a list"),
    "an operation without a name": ({"node": [{"op": "Add"}]}, "is not an operation"),
}


@pytest.mark.parametrize("case", GRAPHS)
def test_a_graph_that_works_otherwise_is_refused(tmp_path, case):
    topology, says = GRAPHS[case]
    assert says in refusal(write(tmp_path / "theirs", named(params()), topology))


def paths(*names):
    return lambda model: model["weightsManifest"][0].update(paths=list(names))


def weight(**fields):
    return lambda model: model["weightsManifest"][0]["weights"][0].update(fields)


MANIFESTS = {
    "no manifest": (lambda model: model.pop("weightsManifest"), "the field 'weightsManifest' is missing"),
    "a manifest of no list": (lambda model: model.update(weightsManifest={}), "weightsManifest: {} is not a list"),
    "a group without weights": (lambda model: model["weightsManifest"][0].pop("weights"), "'weights' is missing"),
    "a group without paths": (lambda model: model["weightsManifest"][0].pop("paths"), "'paths' is missing"),
    "a path upwards": (paths("../secret"), "paths: '../secret' leads out of the folder"),
    "a path upwards and back": (paths("a/../../theirs/group1-shard1of1"), "leads out of the folder"),
    "an absolute path": (paths("/etc/passwd"), "paths: '/etc/passwd' leads out of the folder"),
    "a path of Windows": (paths("..\\secret"), "leads out of the folder"),
    "an address": (paths("file:///etc/passwd"), "leads out of the folder"),
    "a link that leads out": (paths("link"), "paths: 'link' leads out of the folder"),
    "a path with a zero": (paths("a\0b"), "is not the name of a file"),
    "a path that is a number": (paths(1), "paths: 1 is not the name of a file"),
    "a path that is empty": (paths(""), "paths: '' is not the name of a file"),
    "a shard that is missing": (paths("group1-shard1of2"), "there is no file"),
    "a shard that is a folder": (paths("."), "there is no file"),
    "a shard twice": (paths("group1-shard1of1", "group1-shard1of1"), "338112 bytes, its tensors only 169056"),
    "too few bytes": (
        weight(shape=[5, 5, 20, 26]),
        "the shards end, after 169056 bytes, before the tensor 'a/dense_2/b' does",
    ),
    "too many bytes": (weight(shape=[5, 5, 20, 24]), "the shards have 169056 bytes, its tensors only 167056"),
    "a negative size": (weight(shape=[-5, -5, 20, 25]), "'a/conv_initial/w': shape: -5 is not a whole number"),
    "a size beyond reason": (weight(shape=[2**28, 2**28, 2**28]), "before the tensor 'a/conv_initial/w' does"),
    "a shape that is a number": (weight(shape=5), "'a/conv_initial/w': shape: 5 is not a list"),
    "five dimensions": (weight(shape=[1, 5, 5, 20, 25]), "5 dimensions are more than any layer has"),
    "a name that is a number": (weight(name=1), "weights: 1 is not the name of a tensor"),
    "quantized numbers": (weight(quantization={"scale": 1}), "'a/conv_initial/w' is of type 'float32' or quantized"),
    "text": (weight(dtype="string"), "is of type 'string' or quantized"),
    "a type that is a list": (weight(dtype=[]), "is of type [] or quantized"),
}


@pytest.mark.parametrize("case", MANIFESTS)
def test_a_bad_manifest_is_refused(tmp_path, case):
    change, says = MANIFESTS[case]
    folder = write(tmp_path / "theirs", named(params()))
    (tmp_path / "secret").write_bytes((folder / "group1-shard1of1").read_bytes())
    (folder / "link").symlink_to(tmp_path / "secret")
    rewrite(folder, change)
    assert says in refusal(folder)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b'{"a": 1, "a": 2}', b'{"weightsManifest": NaN}'])
def test_a_model_json_that_is_none_is_refused(tmp_path, content):
    folder = write(tmp_path / "theirs", named(params()))
    (folder / "model.json").write_bytes(content)
    assert str(folder / "model.json") in refusal(folder)


def test_a_folder_without_model_json_is_refused(tmp_path):
    assert refusal(tmp_path) == f"there is no file {tmp_path / 'model.json'}"


def test_the_table_has_the_facts(capsys):
    code, out, err = run(capsys, "agents", "show", str(GOLDEN))
    assert (code, err) == (0, "")
    for words in ("cramped_room, 5 x 4, 2 seats, 1 pot, 1 room", "grid", "conv1 5x5x20x25", "random", "noise", "0.1"):
        assert words in out
    assert store.identity(store.load(GOLDEN)) in "".join(out.split())


def test_importing_writes_an_agent_and_shows_it(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "theirs", backwards(named(params(), LAYERS[:-1])), graph(LAYERS[:-1]))
    code, out, err = run(capsys, "agents", "import", "theirs", "--layout", "cramped_room")
    assert (code, err) == (0, "")
    assert "imported into agents/theirs" in out
    agent = store.load(tmp_path / "agents" / "theirs")
    assert (agent.card.view, agent.card.method, agent.card.seed, agent.card.steps) == (
        "grid2019",
        "imported",
        None,
        None,
    )
    assert agent.card.training["tensors"]["conv2/w"] == "a/conv_0/w"
    code, _, err = run(capsys, "agents", "import", "theirs", "--layout", "cramped_room")
    assert (code, err) == (2, "cole: agents/theirs exists already: choose another one with --out\n")
    options = ("--layout", "cramped_room", "--view", "grid", "--out", "elsewhere/mine")
    assert run(capsys, "agents", "import", "theirs", *options)[0] == 0
    assert store.load("elsewhere/mine").card.view == "grid"


def test_a_published_agent_for_a_map_of_ones_own_is_called_after_the_file(capsys, tmp_path):
    (tmp_path / "mine.txt").write_text("XXPXX\nO1 2O\nX   X\nXDXSX\n")
    folder = write(tmp_path / "theirs", named(params()))
    options = ("--layout", str(tmp_path / "mine.txt"), "--out", str(tmp_path / "ours"))
    assert run(capsys, "agents", "import", str(folder), *options)[0] == 0
    assert store.load(tmp_path / "ours").card.layout == "mine"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "/nowhere"], "there is no agent folder /nowhere"),
        (["import", "/nowhere", "--layout", "cramped_room"], "there is no file /nowhere/model.json"),
        (["import", "/nowhere", "--layout", "nowhere"], "no kitchen or map file called nowhere"),
        (["import", "/nowhere", "--layout", "cramped_room", "--view", "features"], "features"),
        (["import", "/nowhere"], "--layout"),
        (["import", "/nowhere", "--layout", "cramped_room", "--out", "/"], "/ exists already"),
        (["list", "/nowhere"], "there is no folder /nowhere"),
        (["pack", "/nowhere"], "/nowhere"),
    ],
)
def test_a_mistake_is_named_and_exits_with_2(capsys, arguments, says):
    code, _, err = run(capsys, "agents", *arguments)
    assert code == 2
    assert says in err
    assert "Traceback" not in err
