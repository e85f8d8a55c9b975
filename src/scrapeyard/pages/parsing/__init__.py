"""The parsers of HTML, behind one small seam; none of them is known outside this folder.

The second one is imported by its own name, `scrapeyard.pages.parsing.lexbor`: a process that does not use it need not
hold it in memory.
"""

from scrapeyard.pages.parsing.seam import Node, Parser
from scrapeyard.pages.parsing.turbo import TURBO

__all__ = ["TURBO", "Node", "Parser"]
