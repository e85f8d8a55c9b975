"""The guide to AWS names every choice of the deployment with its default, and no other."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_choice_is_in_the_guide_with_its_default():
    source = ast.parse((ROOT / "deploy" / "aws" / "scrapeyard_aws" / "options.py").read_text())
    (choices,) = (node for node in source.body if isinstance(node, ast.ClassDef))
    defaults: dict[str, object] = {}
    for node in choices.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            defaults[node.target.id] = ast.literal_eval(node.value)
    guide = (ROOT / "docs" / "guides" / "deploy-aws.md").read_text()
    shown = dict(re.findall(r"^\| `(\w+)` \| (?:`(\w*)`|–) \|", guide, re.MULTILINE))
    assert shown == {name: str(value).lower() for name, value in defaults.items()}
