#!/usr/bin/env python3
"""Receives webhooks: receiver.py PORT FILE. Appends each event id to FILE. Responds with the status in FILE.status."""
import http.server, os, sys

port, file = int(sys.argv[1]), sys.argv[2]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        status = int(open(file + ".status").read()) if os.path.exists(file + ".status") else 200
        with open(file, "a") as log:
            log.write(f"{status} {self.headers['webhook-id']}\n")
        self.send_response(status)
        self.send_header("Content-Length", "0")
        if status == 503:
            # The next attempt must not happen while rows are counted.
            self.send_header("Retry-After", "15")
        self.end_headers()

    def log_message(self, *ignored):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
