"""A server by the Python package fastmcp, over standard input and output."""

from fastmcp import FastMCP

server = FastMCP("python-fastmcp")


@server.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


if __name__ == "__main__":
    server.run(show_banner=False)
