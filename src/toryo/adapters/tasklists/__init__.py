"""Lists of tasks in Markdown, as spec-kit, other tools and people write them."""
