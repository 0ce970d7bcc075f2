"""Makes docs/page: pictures of every screen of `cole play`, light and dark, on a desktop and on a phone.

Run it from the repository root, with Debian's chromium and playwright installed: python docs/make_screenshots.py
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

DOCS = Path(__file__).parent
PICTURES = DOCS / "page"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"]
DESKTOP = {"viewport": {"width": 1200, "height": 860}}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 1.5}
COMMON, RARE = 176, 80  # colours of a picture: the most common exactly, and some for edges
GAP, GROUND = 24, "#8d979d"  # between phones, and behind them


@contextmanager
def page_at_work() -> Iterator[str]:
    """The address of a server with nothing recorded and a cross-play table of fifty."""
    with tempfile.TemporaryDirectory() as games:
        table = str(DOCS / "figures" / "population50.csv")
        options = ["--no-open", "--port", "0", "--games", games, "--crossplay", table]
        command = [sys.executable, "-u", "-m", "cole.cli", "play", *options]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout
        found = next(filter(None, (re.search(r"http://\S+", line) for line in server.stdout)))
        try:
            yield found[0].rstrip("/")
        finally:
            server.terminate()
            server.wait()


def visit(browser: Browser, address: str, scheme: str, device: dict) -> Page:
    """A page in a browser of its own."""
    page = browser.new_context(color_scheme=scheme, **device).new_page()
    page.goto(address)
    return page


def start(page: Page, kitchen: str, partner: str) -> None:
    page.get_by_label(kitchen, exact=True).check()
    page.get_by_label(re.compile(f"^{partner}")).first.check()
    page.get_by_role("button", name="Start cooking").click()


def begun(page: Page) -> None:
    page.locator(".stage .veil[hidden]").wait_for(state="attached")


def shot(page: Page, settle: int = 400, **options) -> Image.Image:
    page.wait_for_timeout(settle)
    return Image.open(BytesIO(page.screenshot(**options))).convert("RGB")


def save(name: str, *pictures: Image.Image) -> None:
    """One picture, or several side by side; few colours, small file."""
    height = max(each.height for each in pictures)
    sheet = Image.new("RGB", (sum(each.width for each in pictures) + GAP * (len(pictures) - 1), height), GROUND)
    left = 0
    for each in pictures:
        sheet.paste(each, (left, 0))
        left += each.width + GAP
    counted = sorted(sheet.getcolors(sheet.width * sheet.height) or [], reverse=True)
    common = [band for _, colour in counted[:COMMON] for band in colour]
    rare = sheet.quantize(RARE, method=Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette(common + rare)
    flat = sheet.quantize(palette=palette, dither=Image.Dither.NONE)
    flat.save(PICTURES / f"{name}.png", optimize=True)
    print(f"{name}.png", (PICTURES / f"{name}.png").stat().st_size)


def cook(page: Page) -> None:
    """In the cramped room, seat 1: the first onion into the pot, then out of the way."""
    for key in ("ArrowUp", "ArrowLeft", "Space", "ArrowRight", "ArrowUp", "Space", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
        page.wait_for_timeout(320)


def desktop(browser: Browser, address: str) -> None:
    page = visit(browser, address, "light", DESKTOP)
    page.get_by_role("button", name="Start cooking").wait_for()
    save("play-light", shot(page))
    start(page, "Cramped room", "Human proxy")
    begun(page)
    page.get_by_role("button", name="Thoughts").click()
    page.mouse.move(0, 0)
    cook(page)
    save("game-light", shot(page))

    page = visit(browser, f"{address}/?tick=100&steps=150", "dark", DESKTOP)
    page.get_by_label("Keep a recording").check()
    start(page, "Counter circuit", "greedy cook")
    page.locator(".receipt").wait_for()
    save("end-dark", shot(page))
    page.get_by_role("link", name="Watch the recording").click()
    page.locator(".player").wait_for()
    page.locator(".pair select").first.select_option("asymmetric_advantages")
    page.get_by_role("button", name="Let them cook").click()
    page.locator(".player .head", has_text="Asymmetric").wait_for()
    page.get_by_label("Speed of the film").select_option("8")
    save("watch-dark", shot(page, 3000))

    page = visit(browser, f"{address}/#population", "light", DESKTOP)
    page.locator(".graph").first.wait_for()
    page.locator(".cell").nth(8).hover()
    save("population-light", shot(page, full_page=True))
    page = visit(browser, f"{address}/#population", "dark", DESKTOP)
    page.locator("#population select").select_option(label="figures/population50.csv")
    page.locator(".heat .cell:nth-child(51)").first.wait_for()
    page.get_by_role("img", name=re.compile("^38 prefers")).hover()
    save("population50-dark", shot(page, full_page=True))


def phones(browser: Browser, address: str) -> None:
    page = visit(browser, address, "light", PHONE)
    page.get_by_role("button", name="Start cooking").wait_for()
    screens = [shot(page)]
    start(page, "Coordination ring", "Human proxy")
    begun(page)
    screens.append(shot(page, 4000))
    page = visit(browser, address, "light", PHONE)
    start(page, "Counter circuit", "Invite")
    link = page.get_by_label("Invitation link")
    link.wait_for()
    screens.append(shot(page))
    guest = visit(browser, link.input_value(), "light", PHONE)
    guest.get_by_role("button", name="Join the game").wait_for()
    save("phone-light", *screens, shot(guest))

    page = visit(browser, f"{address}/?tick=100&steps=60&countdown=0", "dark", PHONE)
    start(page, "Cramped room", "greedy cook")
    page.locator(".receipt").wait_for()
    screens = [shot(page)]
    page.goto(f"{address}/#watch")
    page.get_by_role("button", name="Let them cook").click()
    page.locator(".player").wait_for()
    screens.append(shot(page, 3000))
    page.goto(f"{address}/#population")
    page.locator(".graph").first.wait_for()
    page.mouse.move(0, 0)
    screens.append(shot(page))
    page.evaluate("document.querySelectorAll('.figure')[2].scrollIntoView()")
    save("phone-dark", *screens, shot(page))


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with page_at_work() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        desktop(browser, address)
        phones(browser, address)
        browser.close()


if __name__ == "__main__":
    main()
