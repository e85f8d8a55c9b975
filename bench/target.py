"""What everybody fetches: 1,000 property-tax pages of about 22 KB, served by nginx on a core of its own."""

import contextlib
import os
import random
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from bench.machine import pinned

PAGES = 1_000

_CONFIG = """
{user}daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log crit;
events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; default_type text/html;
  client_body_temp_path {folder}/tmp; proxy_temp_path {folder}/tmp; fastcgi_temp_path {folder}/tmp;
  uwsgi_temp_path {folder}/tmp; scgi_temp_path {folder}/tmp;
  charset utf-8; open_file_cache max=2000;
  server {{ listen 127.0.0.1:{port} backlog=1024; root {folder}/pages; }}
}}
"""


def page(place: int) -> str:
    """One detail page; the same for the same place in every run."""
    luck = random.Random(place)
    pin = f"{place:03d}-{luck.randrange(1000):03d}-{luck.randrange(100):02d}"
    money = lambda: f"${luck.randrange(50_000, 900_000):,}.00"  # noqa: E731
    bills = "".join(
        f"<tr class='bill'><td class='year'>{2024 - row}</td><td class='no'>{luck.randrange(10**8):08d}</td>"
        f"<td class='amount'>{money()}</td><td class='due'>03/31/{2025 - row}</td><td class='state'>PAID</td></tr>\n"
        for row in range(18)
    )
    filler = "".join(
        f"<table class='grid' id='extra{number}'><thead><tr><th>Item</th><th>Code</th><th>Value</th></tr></thead>"
        + "".join(
            f"<tr><td>Characteristic {row}</td><td>{luck.randrange(10**6):06d}</td><td>{luck.random():.6f}</td></tr>\n"
            for row in range(46)
        )
        + "</table>"
        for number in range(4)
    )
    links = "".join(
        f"<li class='item'><a href='/section/{n}' title='Section {n}'>Section {n}</a></li>" for n in range(40)
    )
    script = "var config = {" + ",".join(f'"key{n}":"{luck.randrange(10**9)}"' for n in range(80)) + "};"
    return f"""<!doctype html><html lang="en"><head><title>Parcel {pin}</title><meta charset="utf-8">
<link rel="stylesheet" href="/site.css"><script>{script}</script></head><body>
<nav><ul>{links}</ul></nav><main><h1 id="pid">{pin}</h1>
<table id="summary"><tr><td>Owner</td><td id="owner">{luck.choice("ABCDEFG")}. HOLDER {place}</td></tr>
<tr><td>Address</td><td id="situs">{luck.randrange(1, 9999)} MAIN ST</td></tr>
<tr><td>Mailing</td><td id="mailing">PO BOX {luck.randrange(9999)}</td></tr>
<tr><td>Legal</td><td id="legal">LOT {luck.randrange(99)} BLOCK {luck.randrange(99)}</td></tr>
<tr><td>Use</td><td id="use">0100 SINGLE FAMILY</td></tr><tr><td>Acres</td><td id="acres">{luck.random():.3f}</td></tr></table>
<table id="values"><tr><td>Land</td><td id="land">{money()}</td></tr><tr><td>Improvements</td><td id="impr">{money()}</td></tr>
<tr><td>Total</td><td id="total">{money()}</td></tr></table>
<table id="bills"><tbody>{bills}</tbody></table>{filler}</main><footer>County of Benchmark</footer></body></html>"""


FIELDS = ("pid", "owner", "situs", "mailing", "legal", "use", "acres", "land", "impr", "total")
"""Ten fields by id, and beside them `AMOUNTS`, a list of 18."""

AMOUNTS = "#bills td.amount"


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The pages behind nginx; gives the base address."""
    pages = folder / "pages" / "parcel"
    pages.mkdir(parents=True)
    (folder / "tmp").mkdir()
    for place in range(PAGES):
        (pages / f"{place}.html").write_text(page(place))
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    folder.chmod(0o755)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "nginx.conf").write_text(_CONFIG.format(folder=folder, port=port, user=_user()))
    binary = shutil.which("nginx") or "/usr/sbin/nginx"
    server = subprocess.Popen(pinned(0, [binary, "-c", str(folder / "nginx.conf"), "-p", str(folder)]))
    try:
        _await(port, server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def _user() -> str:
    """Started by root, nginx would read the pages as nobody, who may not enter a temporary folder."""
    return "user root; " if os.getuid() == 0 else ""


def _await(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(100):
        if server.poll() is not None:
            raise SystemExit("nginx did not start; its error.log says why")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
            return
        time.sleep(0.05)
    raise SystemExit("nginx did not answer within 5 s")
