"""Who is let in: keys, and how many wrong ones an address may try."""
