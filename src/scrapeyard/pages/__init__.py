"""What a page says: pages and files as values, read without a network."""

from scrapeyard.pages.dates import as_date
from scrapeyard.pages.element import Element
from scrapeyard.pages.errors import BadSelector, BadValue, Missing, PageError, TooBig, UnknownField, WrongItem
from scrapeyard.pages.files import File
from scrapeyard.pages.forms import Encoded, Form, postback_in
from scrapeyard.pages.links import Link
from scrapeyard.pages.page import Page
from scrapeyard.pages.parsing import TURBO, Parser
from scrapeyard.pages.values import as_integer, as_money, as_number

__all__ = [
    "TURBO",
    "BadSelector",
    "BadValue",
    "Element",
    "Encoded",
    "File",
    "Form",
    "Link",
    "Missing",
    "Page",
    "PageError",
    "Parser",
    "TooBig",
    "UnknownField",
    "WrongItem",
    "as_date",
    "as_integer",
    "as_money",
    "as_number",
    "postback_in",
]
