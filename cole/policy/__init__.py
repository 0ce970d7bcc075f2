"""Who acts: networks, scripted cooks, and how they are kept on disk."""
