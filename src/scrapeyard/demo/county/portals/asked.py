"""What a visitor sent, as plain text of a bounded length; aiohttp has already refused bodies that are too long."""

from html import escape

from aiohttp import web


async def posted(request: web.Request) -> dict[str, str]:
    """The text fields of a posted form; files are left out."""
    return {name: value for name, value in (await request.post()).items() if isinstance(value, str)}


def shown(text: str) -> str:
    """What a visitor typed, fit to be shown back."""
    return escape(text.strip()[:40])
