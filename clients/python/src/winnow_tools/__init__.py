"""A client of Winnow's selector: which of these tools fit this query?"""

from __future__ import annotations

import hashlib
import http.client
import json
import ssl
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

__all__ = ["Explanation", "FoundTool", "Selection", "Selector", "SelectorError"]

SearchType = Literal["auto", "keyword", "regex", "hybrid", "semantic"]

_SEARCH_PATH = "/v1/tool-discovery/search"
_MAX_KNOWN_CATALOGUES = 1_000


class SelectorError(Exception):
    """A search that was not answered.

    ``code`` is the selector's own, such as ``invalid_request`` or ``overloaded``; ``unreachable`` when there was no whole response in time,
    and ``invalid_response`` when it was not one of a selector. ``status`` is the HTTP status, or None when there was none.
    """

    def __init__(self, code: str, message: str, status: int | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status


@dataclass(frozen=True, slots=True)
class FoundTool:
    """One selected tool."""

    name: str
    score: float
    """0 to 1; compares within one selection only."""
    summary: str
    """The first sentence of its description."""
    matched_on: tuple[str, ...]
    """``name``, ``description``, ``parameters``, ``regex``, ``exact_name``, ``meaning``; empty when the tool is there only to be kept."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where one tool stands in a search, found or not."""

    name: str
    rank: int | None
    """From 1, among all tools that match; None when it does not match."""
    score: float
    """0 to 1: a share of the best tool's."""
    meaning: float | None
    """What meaning has added, where the best keyword score counts 1; None where it was not looked at."""
    matched: tuple[str, ...]
    """Words of the query that find this tool, each searched by itself."""
    missing: tuple[str, ...]
    """Words that do not."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What a search selected, most relevant first."""

    names: tuple[str, ...]
    no_match: bool
    """Nothing matched: the names, if any, are there only to be kept."""
    tools: tuple[FoundTool, ...]
    """One for each name, in the same order; empty unless the search asked for scores."""
    metadata: Mapping[str, Any]
    """How the selection came about; empty unless the search asked for it."""
    explanations: tuple[Explanation, ...] = ()
    """One for each name of ``explain`` that is in the catalogue."""


class Selector:
    """A client of the selector at an address. Safe for threads: each keeps a connection of its own.

    ``timeout`` is in seconds, for each step of an exchange. ``context`` is for an address that begins with ``https``.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8788",
        *,
        token: str | None = None,
        timeout: float = 3.0,
        context: ssl.SSLContext | None = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url must be an http or https address; this is {url!r}")
        self._parts = parts
        self._path = parts.path.rstrip("/").removesuffix(_SEARCH_PATH) + _SEARCH_PATH
        self._headers = {"content-type": "application/json", "accept": "application/json"}
        if token:
            self._headers["authorization"] = f"Bearer {token}"
        self._timeout = timeout
        self._context = context
        self._local = threading.local()
        self._connections: set[http.client.HTTPConnection] = set()
        self._known: dict[str, None] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Selector:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections of all threads."""
        with self._lock:
            connections, self._connections = self._connections, set()
        for connection in connections:
            connection.close()

    def search(
        self,
        query: str,
        tools: Sequence[Mapping[str, Any]] | None = None,
        *,
        top_k: int = 10,
        search_type: SearchType = "auto",
        always_keep: Sequence[str] = (),
        catalog_id: str | None = None,
        scores: bool = False,
        metadata: bool = False,
        explain: Sequence[str] = (),
        query_vector: Sequence[float] | None = None,
    ) -> Selection:
        """Which of the tools fit a query.

        ``catalog_id`` names tools that the selector has, such as ``registry``; without it, the tools name themselves. ``explain`` names tools, found
        or not, of which to say where they stand. ``query_vector`` is what the query means, by the model that the ``vector`` of each tool comes from.

        :raises SelectorError: when the search was not answered.
        :raises ValueError: when there are neither tools nor a ``catalog_id``.
        """
        if tools is None and catalog_id is None:
            raise ValueError("pass tools, or the catalog_id of tools that the selector has")
        request: dict[str, Any] = {
            "pattern": query,
            "top_k": top_k,
            "search_type": search_type,
            "always_keep": list(always_keep),
            "include": [name for name, is_wanted in (("scores", scores), ("metadata", metadata)) if is_wanted],
        }
        if explain:
            request["explain"] = list(explain)
        if query_vector is not None:
            request["query_vector"] = [float(number) for number in query_vector]
        if tools is None:
            return _read_selection(self._ask({**request, "catalog_id": catalog_id}))
        # The caller's own id may stand for other tools than it did before: then they are sent.
        text = json.dumps(tools, separators=(",", ":"))
        fingerprint = hashlib.sha256(f"{catalog_id}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()
        request["catalog_id"] = catalog_id or fingerprint[:32]
        if catalog_id is None and self._is_known(fingerprint):
            try:
                return _read_selection(self._ask(request))
            except SelectorError as error:
                if error.code != "unknown_catalog":
                    raise
        selection = _read_selection(self._ask({**request, "tools": tools}))
        self._remember(fingerprint)
        return selection

    def _is_known(self, fingerprint: str) -> bool:
        with self._lock:
            return fingerprint in self._known

    def _remember(self, fingerprint: str) -> None:
        with self._lock:
            self._known.pop(fingerprint, None)
            self._known[fingerprint] = None
            if len(self._known) > _MAX_KNOWN_CATALOGUES:
                del self._known[next(iter(self._known))]

    def _ask(self, request: Mapping[str, Any]) -> Any:
        body = json.dumps(request, separators=(",", ":")).encode("utf-8", "surrogatepass")
        status, text = self._send(body)
        try:
            response = json.loads(text)
        except ValueError:
            raise SelectorError("invalid_response", f"status {status} without JSON", status) from None
        if 200 <= status < 300:
            return response
        error = response.get("error") if isinstance(response, dict) else None
        if not isinstance(error, dict):
            raise SelectorError("invalid_response", f"status {status} without an error", status)
        raise SelectorError(str(error.get("code")), str(error.get("message")), status)

    def _send(self, body: bytes) -> tuple[int, bytes]:
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        # The other side may have closed a connection that was idle: a new one tells.
        is_idle = connection is not None and connection.sock is not None
        try:
            return self._exchange(connection or self._connect(), body)
        except (OSError, http.client.HTTPException) as error:
            if not is_idle or isinstance(error, TimeoutError):
                raise SelectorError("unreachable", _describe(error)) from error
        try:
            return self._exchange(self._connect(), body)
        except (OSError, http.client.HTTPException) as error:
            raise SelectorError("unreachable", _describe(error)) from error

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        connection: http.client.HTTPConnection
        if self._parts.scheme == "https":
            connection = http.client.HTTPSConnection(host, port, timeout=self._timeout, context=self._context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=self._timeout)
        with self._lock:
            self._connections.add(connection)
        self._local.connection = connection
        return connection

    def _exchange(self, connection: http.client.HTTPConnection, body: bytes) -> tuple[int, bytes]:
        try:
            connection.request("POST", self._path, body, self._headers)
            response = connection.getresponse()
            return response.status, response.read()
        except BaseException:
            # What is left of the exchange must not be read by the next one.
            connection.close()
            with self._lock:
                self._connections.discard(connection)
            self._local.connection = None
            raise


def _describe(error: Exception) -> str:
    return str(error) or type(error).__name__


def _read_selection(response: Any) -> Selection:
    try:
        references = response.get("tool_references") or []
        return Selection(
            names=tuple(_text(name) for name in response["selected_names"]),
            no_match=response.get("no_match") is True,
            tools=tuple(
                FoundTool(
                    name=_text(tool["tool_name"]),
                    score=float(tool["relevance_score"]),
                    summary=_text(tool["summary"]),
                    matched_on=tuple(_text(place) for place in tool["matched_on"]),
                )
                for tool in references
            ),
            metadata=response.get("search_metadata") or {},
            explanations=tuple(_read_explanation(one) for one in response.get("explanations") or []),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SelectorError("invalid_response", f"this is no selection: {_describe(error)}", 200) from error


def _read_explanation(one: Any) -> Explanation:
    rank, meaning = one["rank"], one.get("meaning")
    return Explanation(
        name=_text(one["name"]),
        rank=None if rank is None else int(rank),
        score=float(one["score"]),
        meaning=None if meaning is None else float(meaning),
        matched=tuple(_text(word) for word in one["matched"]),
        missing=tuple(_text(word) for word in one["missing"]),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value
