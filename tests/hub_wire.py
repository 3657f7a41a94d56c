"""A server that speaks HTTP/1.1 on loopback and may do it as badly as it is told to. What it says is for others to say.

One thread with an event loop for any number of servers: hundreds of connections cost no thread each.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable


class Request(NamedTuple):
    """One request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""


@dataclass
class Reply:
    """What to answer.

    Attributes:
        length: what Content-Length says; None is the truth, "" is no such header.
        delay: seconds before the first byte.
        drip: seconds between two bytes, from the first on.
        drip_body: the same, from the first of the body on.
        cut: bytes that are missing at the end, after which the connection is closed.
        reset: the connection is reset in place of an answer, or after so many bytes of one.
        endless: the body begins again and again, without a Content-Length.
        raw: these bytes and nothing else.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    length: str | None = None
    delay: float = 0.0
    drip: float = 0.0
    drip_body: float = 0.0
    cut: int = 0
    reset: int | None = None
    endless: bool = False
    raw: bytes | None = None

    def head(self) -> bytes:
        lines = [f"HTTP/1.1 {self.status} X", *(f"{k}: {v}" for k, v in self.headers.items())]
        length = str(len(self.body)) if self.length is None else self.length
        if length and not self.endless:
            lines.append(f"Content-Length: {length}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")


@dataclass
class Exchange:
    """A request and when it was there, for measuring."""

    server: str
    request: Request
    came: float
    ended: float = 0.0
    body_bytes: int = 0


Answerer = "Callable[[Request], Reply]"


class Wire:
    """Runs servers until it is closed."""

    def __init__(self) -> None:
        self.log: list[Exchange] = []
        self.latency = 0.0
        self.loop = asyncio.new_event_loop()
        self._servers: list[asyncio.Server] = []
        self._protocols: set[_Protocol] = set()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def serve(self, name: str, answer: Callable[[Request], Reply], tls: ssl.SSLContext | None = None) -> int:
        """Starts a server on a free port, which is returned."""

        async def start() -> int:
            server = await self.loop.create_server(
                lambda: _Protocol(self, name, answer), "127.0.0.1", 0, backlog=512, ssl=tls
            )
            self._servers.append(server)
            return int(server.sockets[0].getsockname()[1])

        return asyncio.run_coroutine_threadsafe(start(), self.loop).result(10)

    def close(self) -> None:
        async def stop() -> None:
            for server in self._servers:
                server.close()
            for protocol in list(self._protocols):
                protocol.transport.abort()
            tasks = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(stop(), self.loop).result(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(10)
        self.loop.close()


class _Protocol(asyncio.Protocol):
    transport: asyncio.Transport

    def __init__(self, wire: Wire, name: str, answer: Callable[[Request], Reply]) -> None:
        self.wire = wire
        self.name = name
        self.answer = answer
        self.buffer = b""
        self.gone = False
        self.room = asyncio.Event()
        self.room.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.wire._protocols.add(self)
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone = True
        self.room.set()
        self.wire._protocols.discard(self)

    def pause_writing(self) -> None:
        self.room.clear()

    def resume_writing(self) -> None:
        self.room.set()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, _, rest = self.buffer.partition(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            method, path, *_ = lines[0].split(" ")
            headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
            length = int(headers.get("content-length", 0))
            if len(rest) < length:
                return
            request, self.buffer = Request(method, path, headers, rest[:length]), rest[length:]
            exchange = Exchange(self.name, request, time.monotonic())
            self.wire.log.append(exchange)
            reply = self.answer(request)
            wait = self.wire.latency + reply.delay
            if reply.drip or reply.drip_body or reply.endless:
                task = self.wire.loop.create_task(self.slowly(request, reply, exchange, wait))
                task.add_done_callback(lambda t: t.cancelled() or t.exception())
            elif wait:
                self.wire.loop.call_later(wait, self.send, request, reply, exchange)
            else:
                self.send(request, reply, exchange)

    def send(self, request: Request, reply: Reply, exchange: Exchange) -> None:
        exchange.ended = time.monotonic()
        if self.gone:
            return
        body = b"" if request.method == "HEAD" else reply.body
        data = reply.raw if reply.raw is not None else reply.head() + body
        exchange.body_bytes = len(body)
        if reply.reset is not None:
            self.transport.write(data[: reply.reset])
            linger = struct.pack("ii", 1, 0) if hasattr(socket, "AF_UNIX") else struct.pack("hh", 1, 0)
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.transport.abort()
            return
        self.transport.write(data[: len(data) - reply.cut])
        if reply.cut or reply.raw is not None or reply.length == "":
            self.transport.close()

    async def slowly(self, request: Request, reply: Reply, exchange: Exchange, wait: float) -> None:
        await asyncio.sleep(wait)
        head = reply.head()
        for at in range(len(head)) if reply.drip else ():
            if self.gone:
                return
            self.transport.write(head[at : at + 1])
            await asyncio.sleep(reply.drip)
        if not reply.drip:
            self.transport.write(head)
        pause = reply.drip or reply.drip_body
        while not self.gone:
            if pause:
                for at in range(len(reply.body)):
                    if self.gone:
                        return
                    self.transport.write(reply.body[at : at + 1])
                    exchange.body_bytes += 1
                    await asyncio.sleep(pause)
            else:
                self.transport.write(reply.body)
                exchange.body_bytes += len(reply.body)
                await self.room.wait()
                await asyncio.sleep(0)
            if not reply.endless:
                break
        exchange.ended = time.monotonic()
