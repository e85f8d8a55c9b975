"""Labelled endings of visits: what came back, and what a person calls it. The labels stood before the rules did."""
