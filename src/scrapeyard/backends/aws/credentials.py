"""Whose name requests are signed in: from the environment, from the container's role, or from the machine's role.

Roles give credentials that lapse; they are asked for again a while before. Nothing is read from files in somebody's
home: a person signed in on a laptop exports what `aws configure export-credentials --format env` prints.
"""

import asyncio
import os
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import aiohttp
import msgspec

from scrapeyard.model.errors import StorageError

_CONTAINER = "http://169.254.170.2"
_MACHINE = "http://169.254.169.254/latest"
_ROLES = f"{_MACHINE}/meta-data/iam/security-credentials/"
_EARLY = 300.0
"""Seconds before credentials lapse at which others are asked for."""
_TIMEOUT = aiohttp.ClientTimeout(total=5)


class Credentials(msgspec.Struct, frozen=True):
    """One identity. `lapses` is a time on the wall clock; 0 means never."""

    key: str
    secret: str
    token: str = ""
    lapses: float = 0.0


class _Role(msgspec.Struct, frozen=True, rename="pascal"):
    """What container and machine answer."""

    access_key_id: str
    secret_access_key: str
    token: str = ""
    expiration: str = ""


class Identity:
    """Gives credentials that are good at the moment, to all requests of this process."""

    def __init__(self, env: Mapping[str, str] = os.environ) -> None:
        self._env = env
        self._known: Credentials | None = None
        self._asking = asyncio.Lock()

    async def credentials(self, session: aiohttp.ClientSession) -> Credentials:
        """Those that are known, or fresh ones."""
        if self._known is None or 0 < self._known.lapses < time.time() + _EARLY:
            async with self._asking:
                if self._known is None or 0 < self._known.lapses < time.time() + _EARLY:
                    self._known = await self._found(session)
        return self._known

    async def _found(self, session: aiohttp.ClientSession) -> Credentials:
        env = self._env
        if env.get("AWS_ACCESS_KEY_ID") and env.get("AWS_SECRET_ACCESS_KEY"):
            return Credentials(env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"], env.get("AWS_SESSION_TOKEN", ""))
        try:
            role = await self._of_container(session) or await self._of_machine(session)
        except (aiohttp.ClientError, TimeoutError, OSError, msgspec.DecodeError) as error:
            raise StorageError(f"The role of this container or machine cannot be asked for ({error!r}).") from error
        if role is None:
            raise StorageError(
                "No AWS credentials here: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the task or the "
                "machine a role.",
                final=True,
            )
        lapses = datetime.fromisoformat(role.expiration).timestamp() if role.expiration else 0.0
        return Credentials(role.access_key_id, role.secret_access_key, role.token, lapses)

    async def _of_container(self, session: aiohttp.ClientSession) -> _Role | None:
        """The task's role on ECS, the pod's on EKS."""
        env = self._env
        relative, full = (
            env.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"),
            env.get("AWS_CONTAINER_CREDENTIALS_FULL_URI"),
        )
        if not relative and not full:
            return None
        token = env.get("AWS_CONTAINER_AUTHORIZATION_TOKEN", "")
        if file := env.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"):
            token = (await asyncio.to_thread(Path(file).read_text)).strip()
        headers = {"Authorization": token} if token else {}
        async with session.get(full or f"{_CONTAINER}{relative}", headers=headers, timeout=_TIMEOUT) as answer:
            answer.raise_for_status()
            return msgspec.json.decode(await answer.read(), type=_Role)

    async def _of_machine(self, session: aiohttp.ClientSession) -> _Role | None:
        if self._env.get("AWS_EC2_METADATA_DISABLED", "").lower() == "true":
            return None
        asked = {"X-aws-ec2-metadata-token-ttl-seconds": "300"}
        async with session.put(f"{_MACHINE}/api/token", headers=asked, timeout=_TIMEOUT) as answer:
            answer.raise_for_status()
            headers = {"X-aws-ec2-metadata-token": await answer.text()}
        async with session.get(_ROLES, headers=headers, timeout=_TIMEOUT) as answer:
            answer.raise_for_status()
            name = (await answer.text()).split()[0]
        async with session.get(_ROLES + name, headers=headers, timeout=_TIMEOUT) as answer:
            answer.raise_for_status()
            return msgspec.json.decode(await answer.read(), type=_Role)
