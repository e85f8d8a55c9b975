"""SQS keeps the promises of a queue, with ten offers to a message."""

import msgspec
import pytest

from scrapeyard.backends.sqs import queue as queue_module
from scrapeyard.backends.sqs.lines import HIDDEN
from scrapeyard.backends.sqs.opening import open_queue
from scrapeyard.backends.sqs.packing import offers_of, parcels, text_of
from scrapeyard.model.errors import Refused
from scrapeyard.testing.queue import HTTP, QueueSuite, an_offer, drained, seqs_of
from scrapeyard.testing.scenes import NOW


class TestSqsQueue(QueueSuite):
    @pytest.fixture
    def open_queue(self, sqs):
        address = sqs.fresh()

        async def opened():
            return open_queue(address)

        return opened


@pytest.fixture
async def queue(sqs):
    opened = open_queue(sqs.fresh())
    yield opened
    await opened.close()


def calls_of(queue, monkeypatch):
    """The actions that are asked of SQS from now on, with what is said."""
    told = []
    call = queue._lines.service.call

    async def telling(action, said):
        told.append((action, said))
        return await call(action, said)

    monkeypatch.setattr(queue._lines.service, "call", telling)
    return told


async def test_ten_offers_go_in_a_message_and_ten_messages_in_a_call(queue, monkeypatch):
    await queue.put([an_offer(0)])
    await queue.done(await drained(queue))
    told = calls_of(queue, monkeypatch)
    await queue.put([an_offer(n) for n in range(100)])
    assert [action for action, _ in told] == ["SendMessageBatch"]
    taken = await queue.take("w1", HTTP, 100, now=NOW)
    await queue.done(taken)
    assert [action for action, _ in told] == ["SendMessageBatch", "ReceiveMessage", "DeleteMessageBatch"]
    assert seqs_of(taken) == list(range(100))


async def test_what_was_fetched_ahead_keeps_nobody_from_fetching_the_rest(queue, monkeypatch):
    await queue.put([an_offer(n) for n in range(60)])
    taken = await queue.take("w1", HTTP, 3, now=NOW)
    told = calls_of(queue, monkeypatch)
    taken += await queue.take("w1", HTTP, 4, now=NOW)
    assert [action for action, _ in told] == []
    taken += await queue.take("w1", HTTP, 53, now=NOW)
    assert {action for action, _ in told} == {"ReceiveMessage"}
    assert sorted(one.offer.seq for one in taken) == list(range(60))


async def test_a_message_stays_until_all_of_it_is_done(queue):
    await queue.put([an_offer(n) for n in range(10)])
    taken = await queue.take("w1", HTTP, 10, now=NOW)
    await queue.done(taken[:9])
    assert len(queue._messages) == 1
    await queue.done(taken[9:])
    assert queue._messages == {}
    assert await queue.depth() == 0


async def test_what_is_given_back_of_a_message_comes_alone(sqs):
    address = sqs.fresh()
    here, there = open_queue(address), open_queue(address)
    await here.put([an_offer(n) for n in range(10)])
    taken = await here.take("w1", HTTP, 10, now=NOW)
    await here.back([one for one in taken if one.offer.seq in (3, 4)])
    assert seqs_of(await drained(there)) == [3, 4]
    await here.close()
    await there.close()


async def test_what_was_fetched_ahead_goes_back_when_the_worker_goes(sqs):
    address = sqs.fresh()
    here, there = open_queue(address), open_queue(address)
    await here.put([an_offer(n) for n in range(10)])
    await here.take("w1", HTTP, 3, now=NOW)
    await here.close()
    assert len(await drained(there)) == 7
    await there.close()


async def test_messages_are_hidden_for_longer_only_when_that_is_needed(queue, monkeypatch):
    await queue.put([an_offer(n) for n in range(30)])
    mine = await drained(queue)
    told = calls_of(queue, monkeypatch)
    await queue.keep(mine, seconds=HIDDEN)
    assert told == []
    await queue.keep(mine, seconds=2 * HIDDEN + 30)
    ((action, said),) = told
    assert action == "ChangeMessageVisibilityBatch"
    assert {entry["VisibilityTimeout"] for entry in said["Entries"]} == {2 * HIDDEN + 31}
    assert len(said["Entries"]) == 3


async def test_what_nobody_can_read_is_put_aside_and_blocks_nobody(queue):
    await queue._lines.send("http", ["what is this", text_of([an_offer(1)])[:-9] + "AAAAAAA=="])
    await queue.put([an_offer(2)])
    assert seqs_of(await drained(queue)) == [2]
    assert (await queue._lines.counts("unreadable"))[0] == 2
    assert (await queue._lines.counts("http"))[0] == 0


async def test_what_sqs_refuses_in_part_is_sent_again(queue, monkeypatch):
    await queue.put([an_offer(99)])
    call = queue._lines.service.call
    turns = []

    async def refusing(action, said):
        if action != "SendMessageBatch" or turns:
            return await call(action, said)
        turns.append(len(said["Entries"]))
        await call(action, {**said, "Entries": said["Entries"][1:]})
        return {"Failed": [{"Id": said["Entries"][0]["Id"], "SenderFault": False, "Code": "InternalError"}]}

    monkeypatch.setattr(queue._lines.service, "call", refusing)
    await queue.put([an_offer(n) for n in range(30)])
    assert turns == [3]
    assert seqs_of(await drained(queue)) == [*range(30), 99]


async def test_the_limit_of_messages_in_flight_is_watched(queue, monkeypatch, capsys):
    monkeypatch.setattr(queue_module, "IN_FLIGHT", 10)
    await queue.put([an_offer(n) for n in range(100)])
    await drained(queue)
    queue._look_at = 0.0  # a minute has passed
    await queue.put([an_offer(100)])
    assert "about to give nothing more" in "".join(capsys.readouterr())  # logs go where the last test sent them


def test_large_inputs_go_in_messages_of_their_own():
    large = [msgspec.structs.replace(an_offer(n), inputs=b'"%s"' % (b"x" * 250_000)) for n in range(3)]
    assert [len(parcel) for parcel in parcels(large)] == [1, 1, 1]
    assert offers_of(text_of(large[:1])) == large[:1]


@pytest.mark.parametrize(
    "address", ["sqs://eu-west-1", "sqs://user:word@eu-west-1/x", "sqs://x/y", "sqs://eu-west-1/x?wait=99"]
)
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(Refused, match="is no address of queues") as refused:
        open_queue(address)
    assert "word" not in str(refused.value)
