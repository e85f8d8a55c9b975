"""The live channel without a server between: workers speak to the leading dispatcher itself, over HTTP."""
