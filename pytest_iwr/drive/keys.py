"""Keys: what people write → what the browser calls them; which ones arrived."""

_OTHERS = {
    "esc": "Escape",
    "return": "Enter",
    "ctrl": "Control",
    "cmd": "Meta",
    "command": "Meta",
    "option": "Alt",
    "del": "Delete",
    "ins": "Insert",
    "spacebar": "Space",
    "up": "ArrowUp",
    "down": "ArrowDown",
    "left": "ArrowLeft",
    "right": "ArrowRight",
    "pgup": "PageUp",
    "pgdn": "PageDown",
    "plus": "+",
    "minus": "-",
}
_NAMES = (
    "Enter",
    "Escape",
    "Tab",
    "Backspace",
    "Delete",
    "Insert",
    "Space",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "ArrowUp",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "Control",
    "Shift",
    "Alt",
    "Meta",
    "CapsLock",
    "ContextMenu",
    *(f"F{number}" for number in range(1, 13)),
)
KNOWN = {name.lower(): name for name in _NAMES} | _OTHERS


def chord(key: str) -> str:
    """Give a chord by the names that the browser uses: `ctrl+c` → `Control+c`."""
    parts = [key] if len(key) == 1 else key.replace("++", "+\0").split("+")
    names = (part.replace("\0", "+").strip() or " " for part in parts)
    return "+".join(KNOWN.get(name.lower(), name) for name in names)


def first_lost(text: str, log: list[dict[str, str]]) -> str | None:
    """Give the first character that neither a key-down nor an input event carried."""
    got = [
        "\n" if event["key"] == "Enter" else event["key"]
        for event in log
        if event["type"] == "keydown"
        or (event["type"] == "beforeinput" and event["key"])
    ]
    stream = iter(got)
    for char in text:
        if not any(char in key for key in stream):
            return char
    return None
