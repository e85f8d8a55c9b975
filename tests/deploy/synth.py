"""Writes the templates of the deployment on AWS by its own app, once for each set of choices, in one process: loading
CDK takes longer than using it. `python synth.py FOLDER…`, the choices as JSON on standard input."""

import functools
import json
import os
import runpy
import sys
from pathlib import Path

import aws_cdk as cdk

APP = Path(__file__).parents[2] / "deploy" / "aws" / "app.py"

if __name__ == "__main__":
    sys.path.insert(0, str(APP.parent))
    context = json.loads((APP.parent / "cdk.json").read_text())["context"]
    whole = cdk.App
    for folder, choices in zip(sys.argv[1:], json.load(sys.stdin), strict=True):
        os.environ["CDK_OUTDIR"] = folder
        cdk.App = functools.partial(whole, context={**context, **choices})  # type: ignore[misc] - as the CLI would say
        runpy.run_path(str(APP), run_name="__main__")
