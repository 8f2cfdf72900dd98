"""The code that touches the world: git, processes, files, agents."""
