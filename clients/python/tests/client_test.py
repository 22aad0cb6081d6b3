"""Run by test/python-client.integration.test.ts against the running selector; WINNOW_URL is its address, WINNOW_TOKEN its token."""

import hashlib
import json
import os
import socket
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

from winnow_tools import Selector, SelectorError

URL = os.environ["WINNOW_URL"]
TOKEN = os.environ["WINNOW_TOKEN"]

TOOLS = [
    {"name": "create_pull_request", "description": "Open a new pull request. Needs a branch."},
    {"type": "function", "function": {"name": "get_weather", "description": "Current weather of a place"}},
]


class Counting(Selector):
    """Records whether each request carried tools."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.sent = []

    def _ask(self, request):
        self.sent.append("tools" in request)
        return super()._ask(request)


class Searches(unittest.TestCase):
    def setUp(self):
        self.selector = Counting(URL, token=TOKEN)
        self.addCleanup(self.selector.close)

    def test_finds_a_fitting_tool(self):
        found = self.selector.search("open a pull request", TOOLS, top_k=1)
        self.assertEqual(found.names, ("create_pull_request",))
        self.assertFalse(found.no_match)
        self.assertEqual(found.tools, ())

    def test_finds_tools_for_several_needs(self):
        found = self.selector.search(["open a pull request", "weather"], TOOLS, top_k=2)
        self.assertEqual(set(found.names), {"create_pull_request", "get_weather"})

    def test_gives_scores_and_metadata_when_asked(self):
        found = self.selector.search("weather", TOOLS, top_k=1, scores=True, metadata=True)
        self.assertEqual(found.tools[0].name, "get_weather")
        self.assertEqual(found.tools[0].score, 1.0)
        self.assertEqual(found.tools[0].summary, "Current weather of a place")
        self.assertIn("name", found.tools[0].matched_on)
        self.assertEqual(found.metadata["search_type"], "keyword")

    def test_explains_found_and_other_tools(self):
        found = self.selector.search("open weather", TOOLS, top_k=1, explain=["get_weather", "create_pull_request", "no_such_tool"])
        self.assertEqual([one.name for one in found.explanations], ["get_weather", "create_pull_request"])
        weather, pull = found.explanations
        self.assertEqual((weather.rank, weather.score, weather.meaning), (1, 1.0, None))
        self.assertEqual((weather.matched, weather.missing), (("weather",), ("open",)))
        self.assertEqual((pull.rank, pull.matched), (2, ("open",)))
        self.assertEqual(self.selector.search("weather", TOOLS).explanations, ())

    def test_accepts_vectors_from_the_caller(self):
        tools = [{**tool, "vector": vector} for tool, vector in zip(TOOLS, ([1, 0], [0, 1]))]
        for _ in range(2):
            found = self.selector.search("zebra", tools, search_type="semantic", query_vector=(0, 2), scores=True, metadata=True)
            self.assertEqual(found.names[0], "get_weather")
            self.assertEqual(found.tools[0].matched_on, ("meaning",))
            self.assertEqual(found.metadata["search_type"], "semantic")

    def test_keeps_tools_and_reports_no_match(self):
        found = self.selector.search("zebra", TOOLS, always_keep=["get_weather"])
        self.assertTrue(found.no_match)
        self.assertEqual(found.names, ("get_weather",))

    def test_sends_tools_once(self):
        for _ in range(3):
            self.selector.search("weather", [dict(tool) for tool in TOOLS])
        self.assertEqual(self.selector.sent, [True, False, False])
        self.selector.search("weather", TOOLS[:1])
        self.assertEqual(self.selector.sent[3:], [True])

    def test_sends_forgotten_tools_again(self):
        self.selector.search("weather", TOOLS)
        with Counting(URL, token=TOKEN) as other:
            other._known = {name: None for name in self.selector._known}
            tools = [*TOOLS, {"name": "never_sent"}]
            text = json.dumps(tools, separators=(",", ":"))
            other._remember(hashlib.sha256(f"None\n{text}".encode()).hexdigest())
            self.assertEqual(other.search("never sent", tools, top_k=1).names, ("never_sent",))
            self.assertEqual(other.sent, [False, True])

    def test_reports_refusals(self):
        with self.assertRaises(SelectorError) as caught:
            self.selector.search("weather", TOOLS, top_k=0)
        self.assertEqual((caught.exception.code, caught.exception.status), ("invalid_request", 400))
        with Selector(URL, token="wrong") as other, self.assertRaises(SelectorError) as caught:
            other.search("weather", TOOLS)
        self.assertEqual((caught.exception.code, caught.exception.status), ("unauthorized", 401))
        with self.assertRaises(SelectorError) as caught:
            self.selector.search("weather", catalog_id="never-sent")
        self.assertEqual(caught.exception.code, "unknown_catalog")
        with self.assertRaises(ValueError):
            self.selector.search("weather")
        with self.assertRaises(ValueError):
            Selector("ftp://example.com")

    def test_works_from_several_threads(self):
        found = []

        def search():
            for _ in range(20):
                found.append(self.selector.search("weather", TOOLS, top_k=1).names)

        threads = [threading.Thread(target=search) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [("get_weather",)] * 80)


class Troubles(unittest.TestCase):
    def serve(self, respond):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                respond(self)

            def log_message(self, *_):
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}"

    def code_of(self, url):
        with Selector(url, timeout=0.5) as selector, self.assertRaises(SelectorError) as caught:
            selector.search("weather", TOOLS)
        return caught.exception.code

    def test_reports_an_unreachable_address(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{free.getsockname()[1]}"
        self.assertEqual(self.code_of(url), "unreachable")

    def test_reports_an_invalid_response(self):
        for body in (b"<html>", b"[]", b'{"selected_names": [1]}', b'{"selected_names": null}'):

            def respond(handler, body=body):
                handler.send_response(200)
                handler.send_header("content-length", str(len(body)))
                handler.end_headers()
                handler.wfile.write(body)

            self.assertEqual(self.code_of(self.serve(respond)), "invalid_response")

    def test_reports_a_timeout(self):
        release = threading.Event()
        url = self.serve(lambda _: release.wait())
        # Stopping the server waits for this handler, so release it first.
        self.addCleanup(release.set)
        self.assertEqual(self.code_of(url), "unreachable")

    def test_replaces_a_connection_closed_while_idle(self):
        body = b'{"selected_names": ["get_weather"]}'

        def respond(handler):
            handler.send_response(200)
            handler.send_header("content-length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)
            # Closed without notice.
            handler.close_connection = True

        with Selector(self.serve(respond)) as selector:
            for _ in range(3):
                self.assertEqual(selector.search("weather", TOOLS).names, ("get_weather",))


if __name__ == "__main__":
    unittest.main()
