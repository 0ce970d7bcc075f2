// One stop of the tab key for a whole grid or circle of things; arrow keys walk inside it.

/** `items` in rows of `columns`; `onfocus(index)` when one is reached, `onchoose(index)` on Enter, space or a click. */
export function roving(container, items, columns, onfocus, onchoose = null) {
  let current = 0;

  function go(index) {
    items[current].setAttribute("tabindex", "-1");
    current = Math.min(items.length - 1, Math.max(0, index));
    items[current].setAttribute("tabindex", "0");
    items[current].focus({ preventScroll: false });
  }

  function key(event) {
    const column = current % columns;
    const moves = {
      ArrowRight: columns > 1 && column === columns - 1 ? 0 : 1,
      ArrowLeft: columns > 1 && column === 0 ? 0 : -1,
      ArrowDown: columns > 1 ? columns : 1,
      ArrowUp: columns > 1 ? -columns : -1,
      Home: -column,
      End: columns - 1 - column,
    };
    if ((event.key === "Enter" || event.key === " ") && onchoose) onchoose(current);
    else if (!(event.key in moves)) return;
    else if (current + moves[event.key] in items) go(current + moves[event.key]);
    event.preventDefault();
  }

  const place = new Map(items.map((item, index) => [item, index]));
  const indexOf = (event) => place.get(event.target.closest("[data-item]"));
  items.forEach((item, index) => {
    item.setAttribute("data-item", "");
    item.setAttribute("tabindex", index ? "-1" : "0");
  });
  container.addEventListener("keydown", key);
  container.addEventListener("focusin", (event) => {
    const index = indexOf(event);
    if (index === undefined) return;
    items[current].setAttribute("tabindex", "-1");
    current = index;
    items[current].setAttribute("tabindex", "0");
    onfocus(index);
  });
  container.addEventListener("pointerover", (event) => {
    const index = indexOf(event);
    if (index !== undefined) onfocus(index);
  });
  if (onchoose) {
    container.addEventListener("click", (event) => {
      const index = indexOf(event);
      if (index !== undefined) onchoose(index);
    });
  }
}
