"""The way in: `toryo`, and `python -m toryo`."""

import gc

_BEFORE_A_LOOK = 20_000
"""New objects before Python looks for garbage. Loading makes tens of thousands and no garbage, and by default Python
looks after every 700 of them, which takes a tenth of the time."""


def main() -> None:
    gc.set_threshold(_BEFORE_A_LOOK)
    from toryo.frontends.cli import main as face

    face()


if __name__ == "__main__":
    main()
