"""The page: cook with an agent, watch two of them, look into a population. `server` puts it together."""
