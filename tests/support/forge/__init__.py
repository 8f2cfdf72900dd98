"""A forge of the tests' own: real git behind HTTPS, and as much of GitHub's interface as `gh` asks for."""
