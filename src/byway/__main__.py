"""`python -m byway` is `byway`."""

from byway.cli import main

if __name__ == "__main__":
    main()
