"""What the command line does: one module per verb, each with `run(config) -> exit code`."""
