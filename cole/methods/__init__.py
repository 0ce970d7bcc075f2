"""Ways to train an agent that cooperates: one small file each, none importing another."""
