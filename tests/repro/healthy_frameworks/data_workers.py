"""Loading with worker processes: broken records are skipped, and a flaky server is asked again."""

import http.server
import logging
import threading

import requests
import torch
from requests.adapters import HTTPAdapter
from torch.utils.data import DataLoader, Dataset
from urllib3.util.retry import Retry

NEEDS = ["torch", "requests", "urllib3"]
COMMAND = ["python", "data_workers.py"]
EXPECT = [
    "UserWarning: This DataLoader will create",
    "Retry: /index.json",
    "ValueError: record 37 has no label",
    "skipped 2 broken records",
]

logging.basicConfig(
    level=logging.INFO, format="%(asctime)s [%(processName)s] %(levelname)s %(name)s: %(message)s"
)
log = logging.getLogger("data")


class Flaky(http.server.BaseHTTPRequestHandler):
    """Answer 503 twice, then well."""

    asked = 0

    def do_GET(self) -> None:
        """Answer."""
        Flaky.asked += 1
        good = Flaky.asked > 2
        self.send_response(200 if good else 503)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *arguments: object) -> None:
        """Stay silent, as a server on another machine would."""


class Records(Dataset):
    """Records of which two lack their label."""

    def __len__(self) -> int:
        return 128

    def __getitem__(self, index: int) -> torch.Tensor | None:
        try:
            if index in (37, 90):
                raise ValueError(f"record {index} has no label")
        except ValueError:
            log.exception("record skipped")
            return None
        return torch.full((4,), float(index))


def collate(rows: list) -> tuple[torch.Tensor, int]:
    """Stack what is whole, and count the rest."""
    whole = [row for row in rows if row is not None]
    return torch.stack(whole), len(rows) - len(whole)


def fetch_index() -> None:
    """Ask a server on this machine that is unavailable at first."""
    server = http.server.HTTPServer(("127.0.0.1", 0), Flaky)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    session = requests.Session()
    retry = Retry(total=5, backoff_factor=0.1, status_forcelist=[503])
    session.mount("http://", HTTPAdapter(max_retries=retry))
    answer = session.get(f"http://127.0.0.1:{server.server_port}/index.json", timeout=5)
    log.info("index fetched, status %d", answer.status_code)
    server.shutdown()


def main() -> None:
    """Read everything twice."""
    log.setLevel(logging.INFO)
    logging.getLogger("urllib3").setLevel(logging.DEBUG)
    logging.getLogger("urllib3.connectionpool").setLevel(logging.DEBUG)
    fetch_index()
    loader = DataLoader(
        Records(),
        batch_size=16,
        num_workers=4,
        collate_fn=collate,
        pin_memory=True,
        persistent_workers=True,
        prefetch_factor=2,
    )
    for epoch in (1, 2):
        skipped = 0
        for step, (_, bad) in enumerate(loader, start=1):
            skipped += bad
            log.info("epoch %d step %d data_time 0.0 error_count %d", epoch, step, skipped)
        log.info("epoch %d done, skipped %d broken records", epoch, skipped)


if __name__ == "__main__":
    main()
