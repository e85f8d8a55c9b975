"""Scrapeyard on AWS, as two stacks: what is kept, and what works on it.

    cd deploy/aws
    uv run --group aws-deploy npx aws-cdk@2.1148.1 deploy storage     # then push the images, and make the first key
    uv run --group aws-deploy npx aws-cdk@2.1148.1 deploy fleet

Choices are words of the context (`--context name=value`, or in cdk.json); `options.py` has them all. Without the CLI,
`python app.py` writes the templates into `cdk.out`.
"""

import os

import aws_cdk as cdk

from scrapeyard_aws.options import from_context
from scrapeyard_aws.stacks import add_stacks

app = cdk.App(analytics_reporting=False, outdir=os.environ.get("CDK_OUTDIR", "cdk.out"))
add_stacks(app, from_context(app.node))
app.synth()
