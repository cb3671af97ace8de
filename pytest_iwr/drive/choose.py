"""Chooses an option of a native list by the keyboard, as the page sees it: once."""

from pytest_iwr.drive.locate import Aimed, StepFailed
from pytest_iwr.drive.windows import Windows


def choose(windows: Windows, aimed: Aimed, wanted: str) -> str:
    """Choose the option that shows `wanted`; give what the list shows then.

    Raises StepFailed `target_missing` and `input_lost`.
    """
    listed = aimed.view.ask("options")
    texts = [option["text"] for option in listed["options"]]
    index = _matching(wanted, texts)
    if index is None:
        known = ", ".join(repr(text) for text in texts[:10])
        text = f"{aimed.words} has no option {wanted!r}. It has {known}"
        raise StepFailed("target_missing", text)
    aimed.view.ask("focusOn")
    keyboard = windows.page.keyboard
    step = 1 if index > listed["index"] else -1
    between = range(listed["index"] + step, index + step, step)
    moves = sum(not listed["options"][i]["disabled"] for i in between)
    if index == listed["index"]:
        moves = 0
    if listed["isMenu"]:  # its list opened, the page hears of one change only
        keyboard.press("Alt+ArrowDown")
    for _ in range(moves):
        keyboard.press("ArrowDown" if step > 0 else "ArrowUp")
    if listed["isMenu"]:
        keyboard.press("Enter")
    state = aimed.view.ask("state")
    if state["value"] != texts[index]:
        # Where the arrow keys open a menu of the system, the first letters choose.
        keyboard.type(texts[index])
        state = aimed.view.ask("state")
    if state["connected"] and state["value"] != texts[index]:
        text = f"{aimed.words} shows {state['value']!r}, not {texts[index]!r}"
        raise StepFailed("input_lost", text)
    return str(state["value"])


def _matching(wanted: str, texts: list[str]) -> int | None:
    """Give the option that is meant: equal, equal but for case, or the only part."""
    for fold in (str, str.casefold):
        hits = [i for i, text in enumerate(texts) if fold(text) == fold(wanted)]
        if hits:
            return hits[0]
    hits = [i for i, text in enumerate(texts) if wanted.casefold() in text.casefold()]
    return hits[0] if len(hits) == 1 else None
