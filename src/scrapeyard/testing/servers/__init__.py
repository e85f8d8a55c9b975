"""Real servers for tests: each started on a free port of this machine, in a folder of its own, and gone afterwards.

They are the programs that are installed here (`scripts/setup dev` sees to that); nothing is downloaded and no server
that runs already is touched. They are told not to wait for the disk: a test does not outlive the machine's power.
"""
