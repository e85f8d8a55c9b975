"""Both stacks of a deployment."""

import aws_cdk as cdk

from scrapeyard_aws.fleet import Fleet
from scrapeyard_aws.options import Deployment
from scrapeyard_aws.storage import Storage


def add_stacks(app: cdk.App, options: Deployment) -> tuple[Storage, Fleet]:
    """What is kept, and what works on it; the second can be deleted and made anew at any time."""
    storage = Storage(app, options)
    return storage, Fleet(app, options, storage)
