"""Forms as data: what a page offers to send, what is filled in, and the bytes that go out."""

from scrapeyard.pages.forms.control import Control
from scrapeyard.pages.forms.encoding import Encoded
from scrapeyard.pages.forms.form import Form, Value
from scrapeyard.pages.forms.postback import postback_in
from scrapeyard.pages.forms.reading import Place, find_forms, read_form

__all__ = ["Control", "Encoded", "Form", "Place", "Value", "find_forms", "postback_in", "read_form"]
