"""What goes wrong between us and what we talk to, on purpose: around any port, and on the wire to a real server.

A fault is an object that is put around a port and is that port; neither roles nor backends know of it. Several are
put around each other, the outermost first: `wrapped(queue, "queue", Delay(clock, luck), LostAnswers(luck, 0.05))`.
"""
