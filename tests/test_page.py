"""The page in a real browser: games by keys and by touch, two people, replays, populations, a broken line, axe-core."""

import re
import shutil

import pytest
from web_server import server  # noqa: F401

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
expect = sync_api.expect

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine: apt-get install chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE = 30_000  # ms for anything to appear; the first game of a kitchen is compiled
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
SHORT = "?tick=100&steps=50&countdown=0"
LONG = "?tick=100&steps=400&countdown=0"


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser, server):  # noqa: F811
    """visit("?steps=40#play", **options of the context): a page; whatever it complains about fails the test."""
    contexts, complaints = [], []

    def note(message):
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    def open_page(where="", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{server.address}/{where}")
        return page

    expect.set_options(timeout=PATIENCE)
    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def start(page, partner="stay", kitchen="Cramped room", consent=False) -> None:
    """Fills in the form and starts the game."""
    page.get_by_label(kitchen, exact=True).check()
    page.get_by_label(partner, exact=True).check()
    page.get_by_label("Keep a recording").set_checked(consent)
    page.get_by_role("button", name="Start cooking").click()


def scene(page):
    return page.locator(".stage .kitchen")


def sees(page, words: str) -> None:
    """The scene, in the words that stand for the picture."""
    expect(scene(page)).to_have_attribute("aria-label", re.compile(words))


def cooks(page) -> None:
    """The game has begun."""
    expect(page.locator(".stage .veil[hidden]")).to_be_attached()


def finish(page):
    """The receipt of a game that ends by itself."""
    receipt = page.locator(".receipt")
    expect(receipt).to_contain_text("Time is up")
    return receipt


def findings(page) -> list[str]:
    """What axe-core calls serious or critical, in the light page and in the dark one."""
    violations = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        violations += axe.Axe().run(page).response["violations"]
    grave = [each for each in violations if each["impact"] in ("serious", "critical")]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in grave]


def fits(page) -> bool:
    """Nothing sticks out to the right."""
    return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def small_targets(page) -> list:
    """What a thumb could miss: less than 44 pixels wide or high."""
    return page.evaluate(
        "[...document.querySelectorAll('button, a:not(.skip), select')].filter((each) => each.checkVisibility())"
        ".map((each) => [each.outerHTML, each.getBoundingClientRect()])"
        ".filter(([, box]) => Math.min(box.width, box.height) < 44).map(([html]) => html)"
    )


def test_a_whole_game_by_keys(visit):
    page = visit(SHORT)
    start(page)
    cooks(page)
    page.keyboard.press("ArrowUp")
    sees(page, "cook 1 facing north at column 2, row 2")
    page.keyboard.press("a")
    sees(page, "cook 1 facing west at column 2, row 2")
    page.keyboard.press("Space")
    sees(page, "cook 1 facing west with an onion")
    page.keyboard.down("ArrowRight")  # held: walks until it is let go
    sees(page, "cook 1 facing east with an onion at column 3, row 2")
    page.keyboard.up("ArrowRight")
    receipt = finish(page)
    expect(receipt).to_contain_text("No recording was kept")
    receipt.get_by_role("button", name="Again").click()
    cooks(page)
    sees(page, "cook 1 facing north at column 2, row 3")
    page.get_by_role("button", name="Leave").click()
    page.locator(".receipt").get_by_role("button", name="Another game").click()
    expect(page.get_by_role("button", name="Start cooking")).to_be_visible()


def test_a_game_by_touch(visit):
    page = visit(SHORT, **PHONE)
    assert fits(page)
    start(page)
    cooks(page)
    assert fits(page)
    pad = page.get_by_role("group", name="On-screen pad")
    pad.get_by_role("button", name="Up").tap()
    sees(page, "cook 1 facing north at column 2, row 2")
    pad.get_by_role("button", name="Left").tap()
    sees(page, "cook 1 facing west at column 2, row 2")
    pad.get_by_role("button", name="Use").tap()
    sees(page, "cook 1 facing west with an onion")
    assert small_targets(page) == []
    finish(page)
    expect(pad).to_be_hidden()


def test_two_people_in_one_game_that_both_let_be_recorded(visit):
    host = visit(SHORT)
    start(host, partner="Invite somebody", consent=True)
    link = host.get_by_label("Invitation link").input_value()
    guest = visit(link.split("/", 3)[3])
    guest.get_by_label("Keep a recording").check()
    guest.get_by_role("button", name="Join the game").click()
    cooks(host)
    cooks(guest)
    host.keyboard.press("ArrowUp")
    sees(guest, "cook 1 facing north at column 2, row 2")
    guest.keyboard.press("ArrowDown")
    sees(host, "cook 2 facing south at column 4, row 3")
    guest.keyboard.press("p")
    expect(host.locator(".veil")).to_contain_text("Your partner paused")
    guest.get_by_role("button", name="Go on").click()
    cooks(host)
    expect(finish(guest)).to_contain_text("A recording was kept")
    finish(host).get_by_role("link", name="Watch the recording").click()
    expect(host.locator(".player")).to_be_visible()


def test_a_recording_is_watched_step_by_step_and_deleted(visit):
    page = visit("?tick=100&steps=20&countdown=0")
    start(page, partner="greedy cook", consent=True)
    cooks(page)
    finish(page).get_by_role("link", name="Watch the recording").click()
    player = page.locator(".player")
    player.get_by_role("button", name="Pause").click()
    slider = player.get_by_role("slider", name="Step")
    slider.focus()
    page.keyboard.press("End")
    expect(player.locator(".where")).to_have_text("step 20 of 20")
    page.keyboard.press("Shift+ArrowLeft")
    expect(player.locator(".where")).to_have_text("step 10 of 20")
    player.get_by_role("button", name="One step on").click()
    expect(player.locator(".where")).to_have_text("step 11 of 20")
    with page.expect_download() as download:
        player.get_by_role("link", name="Download JSON").click()
    recording = download.value.path()
    page.get_by_label("Open a recording").set_input_files(recording)
    expect(page.locator(".where")).to_contain_text("of 20")
    rows = page.locator(".games li")
    expect(rows.first).to_contain_text("greedy cook")
    count = rows.count()
    rows.first.get_by_role("button", name="Delete").click()
    rows.first.get_by_role("button", name="Delete").click()
    expect(rows).to_have_count(count - 1)


def test_any_two_cook_while_one_watches(visit):
    page = visit("#watch")
    page.locator(".pair").get_by_label("Cook 1").select_option("chef")
    page.locator(".pair").get_by_label("Cook 2").select_option("supplier")
    page.get_by_role("button", name="Let them cook").click()
    expect(page.locator(".player h2")).to_have_text("chef and supplier")
    expect(page.locator(".where")).to_have_text(re.compile("step [1-9][0-9]* of 400"))
    with page.expect_download() as download:
        page.locator(".player").get_by_role("button", name="Download HTML").click()
    assert download.value.suggested_filename.endswith(".html")


def test_the_population_is_read_by_keyboard_and_a_cell_plays_its_pair(visit):
    page = visit("#population")
    payoff = page.get_by_role("grid", name="Payoff")
    first = payoff.get_by_role("gridcell").first
    first.focus()
    reading = page.locator(".figure", has=payoff).locator(".reading")
    before = reading.inner_text()
    page.keyboard.press("ArrowRight")
    expect(reading).not_to_have_text(before)
    expect(reading).to_contain_text("points")
    generation = page.get_by_role("slider", name="Generation")
    generation.focus()
    page.keyboard.press("Home")
    expect(page.locator(".generation output")).to_contain_text("generation 1 of")
    expect(page.locator(".graph .edge")).to_have_count(0)
    page.keyboard.press("End")
    expect(page.locator(".graph .edge").first).to_be_attached()
    payoff.get_by_role("gridcell").nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".player")).to_be_visible()
    assert "#watch/pair/" in page.url


def test_the_line_breaks_and_the_same_game_goes_on(visit, server):  # noqa: F811
    lines = []

    def between(line):
        lines.append((line, line.connect_to_server()))

    page = visit("#watch")
    page.route_web_socket("**/ws", between)
    page.goto(f"{server.address}/{LONG}")
    start(page)
    cooks(page)
    page.keyboard.press("ArrowUp")
    sees(page, "cook 1 facing north at column 2, row 2")
    side, far = lines[-1]
    far.close()
    side.close(code=4001, reason="cut")
    expect(page.locator(".status")).to_contain_text("Connection lost")
    expect(page.locator(".status")).to_have_text("")
    page.keyboard.press("ArrowRight")
    sees(page, "cook 1 facing east at column 3, row 2")
    assert len(lines) >= 2
    page.reload()
    sees(page, "cook 1 facing east at column 3, row 2")
    page.get_by_role("button", name="Leave").click()
    expect(page.locator(".receipt")).to_contain_text("The game was left")


def test_a_hidden_tab_pauses(visit):
    page = visit(LONG)
    start(page)
    cooks(page)
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {get: () => true, configurable: true});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    expect(page.locator(".veil")).to_contain_text("Paused")
    left = page.get_by_role("timer").inner_text()
    page.wait_for_timeout(400)
    assert page.get_by_role("timer").inner_text() == left
    page.keyboard.press("p")
    cooks(page)


def test_a_gamepad_walks(visit):
    page = visit(LONG)
    start(page)
    cooks(page)
    page.evaluate(
        "navigator.getGamepads = () => [{connected: true, axes: [0, -1], buttons: []}];"
        "dispatchEvent(new Event('gamepadconnected'))"
    )
    sees(page, "cook 1 facing north at column 2, row 2")


def test_a_tap_is_one_step_and_a_held_key_walks_until_it_is_let_go(visit):
    """Also when the picture of a step arrives that was taken before the key was pressed."""
    page = visit("#watch")
    sent = page.evaluate("""async () => {
        const {hands, NORTH, INTERACT} = await import("/page/hands.js");
        const sent = [];
        const hand = hands((action) => sent.push(action));
        const pause = (ms) => new Promise((done) => setTimeout(done, ms));
        hand.press(NORTH); hand.tick(20); hand.release(NORTH);
        await pause(40);
        const tap = sent.splice(0);
        hand.press(NORTH); hand.tick(20); await pause(40); hand.tick(20); await pause(40); hand.release(NORTH);
        const held = sent.splice(0);
        hand.press(INTERACT); hand.tick(20); await pause(40);
        return [tap, held, sent];
    }""")
    assert sent == [[0], [0, 0, 0, 4], [5]]


def test_another_kitchen_keeps_the_partner(visit):
    page = visit()
    page.get_by_label("chef", exact=True).check()
    page.get_by_label("Forced coordination", exact=True).check()
    expect(page.get_by_label("chef", exact=True)).to_be_checked()
    page.get_by_role("button", name="Start cooking").click()  # at once: waits for the partners of that kitchen
    expect(page.locator(".ticket .who")).to_have_text("chef")


def test_agents_of_the_zoo_have_names_for_people_and_say_what_they_earn(visit):
    page = visit()
    for name in ("COLE 1:3, our settings", "COLE 0:4", "Best response", "PPO with clones", "Self-play, random starts"):
        card = page.get_by_label(re.compile(f"^{name}\\s*\\d+ with itself, \\d+ with clones$"))
        expect(card).to_have_count(1)


def test_what_an_agent_is_called_goes_by_its_card_and_a_folder_says_which_variant(visit):
    page = visit()
    ask = "([name, method]) => import('/page/words.js').then((words) => words.familyName({ name, method }))"
    for name, method, said in (
        ("op/seed-0", "cole", "COLE"),
        ("cole/sp/seed-0", "cole", "COLE"),
        ("cole-1to3-default/seed-2", "cole", "COLE 1:3, our settings"),
        ("sp-random-starts/seed-0", "sp", "Self-play, random starts"),
        ("my_agent/seed-0", "mine", "my agent"),
    ):
        assert page.evaluate(ask, [name, method]) == said


def test_what_the_server_refuses_is_said_in_place(visit):
    page = visit("#join/nobody-sent-this")
    page.get_by_role("button", name="Join the game").click()
    expect(page.get_by_role("alert")).to_have_text(re.compile(r"^[A-Z].*\.$"))


def test_no_serious_finding_of_axe_core(visit):
    page = visit("?tick=100&steps=10&countdown=0")
    expect(page.get_by_role("button", name="Start cooking")).to_be_visible()
    assert findings(page) == []
    start(page)
    finish(page)
    assert findings(page) == []
    page.get_by_role("link", name="Watch").click()
    page.locator(".pair").get_by_label("Cook 1").select_option("chef")
    page.locator(".pair").get_by_label("Cook 2").select_option("supplier")
    page.get_by_role("button", name="Let them cook").click()
    expect(page.locator(".player")).to_be_visible()
    assert findings(page) == []
    page.get_by_role("link", name="Population").click()
    expect(page.locator(".graph").first).to_be_visible()
    assert findings(page) == []


def test_no_serious_finding_of_axe_core_in_a_running_game(visit):
    page = visit(LONG, **PHONE)
    start(page)
    cooks(page)
    page.get_by_role("button", name="Thoughts").click()
    expect(page.get_by_role("heading", name="What your partner thinks")).to_be_visible()
    assert findings(page) == []
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".veil")).to_contain_text("Paused")
    assert findings(page) == []
