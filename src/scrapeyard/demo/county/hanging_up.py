"""How a server that breaks ends a connection: with a reset, so that the visitor sees no orderly end."""

import asyncio
import os
import socket
import struct


def reset(transport: asyncio.WriteTransport) -> None:
    """Drop the connection at once."""
    known: socket.socket = transport.get_extra_info("socket")
    with socket.socket(fileno=os.dup(known.fileno())) as twin:  # the loop's own socket takes no options everywhere
        twin.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
