"""Language models that plan and judge: over HTTP, by an installed program, or scripted."""
