#!/usr/bin/env python3
"""Looks into Hexagon libraries: register spills, float promotions, annotated disassembly, crash addresses. See
--help."""

import sys

from hexagon_inspect.command_line import main

if __name__ == "__main__":
    sys.exit(main())
