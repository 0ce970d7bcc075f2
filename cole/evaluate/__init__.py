"""How good agents are: what they earn with each other, and with whoever else cooks here."""
