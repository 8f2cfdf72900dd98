"""`python -m toryo`."""

from toryo.frontends.cli import main

if __name__ == "__main__":
    main()
