"""A server by the Python package mcp, over standard input and output, or with "http PORT" behind an address."""

import sys

from mcp.server import MCPServer

server = MCPServer("python-mcp")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


if __name__ == "__main__":
    server.run()
