"""From a person's list, in whatever format it comes, to items: streamed, checked, with the number of each bad line."""
