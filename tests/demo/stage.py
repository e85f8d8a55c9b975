"""A stage without an audience, and scenes of a size that suits a test."""

import asyncio

import msgspec

from scrapeyard.model.gate import GateName
from scrapeyard.model.states import JobState


class Quiet:
    """Follows the job, and keeps what was said and how it stood when a breaker first closed."""

    def __init__(self):
        self.said = []
        self.closed = None

    def say(self, text):
        self.said.append(text)

    async def follow(self, yard, job, work):
        while True:
            status = await yard.service.jobs.status(job.id)
            if self.closed is None and any(gate.gate is GateName.BREAKER for gate in status.gates):
                self.closed = status
            if status.job.state is JobState.COMPLETED:
                return status
            await asyncio.sleep(0.1)


def small(scene, parcels, **changed):
    """The scene with fewer parcels."""
    return msgspec.structs.replace(scene, ground=scene.ground._replace(parcels=parcels), **changed)
