"""One file per bench; each measures Toryo and its floor in turns, in the same run."""
