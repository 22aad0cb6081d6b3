"""A client for Winnow's selector, which finds the tools that fit a query."""

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
    """Raised when a search fails.

    ``code`` is the selector's error code, such as ``invalid_request`` or ``overloaded``; ``unreachable`` if no complete response arrived in
    time; or ``invalid_response`` if the response did not come from a selector. ``status`` is the HTTP status, or None without a response.
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
    """From 0 to 1; comparable within one selection only."""
    summary: str
    """The first sentence of the description."""
    matched_on: tuple[str, ...]
    """``name``, ``description``, ``parameters``, ``regex``, ``exact_name``, ``meaning``; empty if the tool is here only because of ``always_keep``."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The rank of one tool in a search, and the reasons for it. The tool need not be among the results."""

    name: str
    rank: int | None
    """Rank among all matching tools, from 1; None if the tool does not match."""
    score: float
    """From 0 to 1, relative to the best tool's score."""
    meaning: float | None
    """The score added by meaning, where the best keyword score is 1; None if meaning was not used."""
    matched: tuple[str, ...]
    """Words of the query that match this tool, each on its own."""
    missing: tuple[str, ...]
    """Words of the query that do not match this tool."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The tools that a search selected, most relevant first."""

    names: tuple[str, ...]
    no_match: bool
    """Whether no tool matched; the names, if any, are here only because of ``always_keep``."""
    tools: tuple[FoundTool, ...]
    """One for each name, in the same order; empty unless scores were requested."""
    metadata: Mapping[str, Any]
    """Details of the search; empty unless requested."""
    explanations: tuple[Explanation, ...] = ()
    """One for each name in ``explain`` that the catalogue has."""


class Selector:
    """A client for the selector at an address. Thread-safe: each thread has its own connection.

    ``timeout`` is in seconds and applies to each step of an exchange. ``context`` is for ``https`` addresses.
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
        query: str | Sequence[str],
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
        """Returns the tools that fit a query, or several queries: one for each need, or several wordings of one.

        ``catalog_id`` names tools that the selector already has, such as ``registry``; by default it is derived from the tools. ``explain``
        names tools whose rank to explain, found or not. ``query_vector`` is the embedding of the query, by the model that also computed each
        tool's ``vector``.

        :raises SelectorError: if the search fails.
        :raises ValueError: if both tools and ``catalog_id`` are missing.
        """
        if tools is None and catalog_id is None:
            raise ValueError("pass tools, or the catalog_id of tools that the selector has")
        request: dict[str, Any] = {
            **({"pattern": query} if isinstance(query, str) else {"patterns": list(query)}),
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
        # A caller may reuse its own id for different tools, so these are sent every time.
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
        # The server may have closed an idle connection, so a failure on one is retried on a new connection.
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
            # The next exchange must not read leftovers of this one.
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
        raise SelectorError("invalid_response", f"this is not a selection: {_describe(error)}", 200) from error


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
