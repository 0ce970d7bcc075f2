"""People: their recorded games, and the policies cloned from them."""
