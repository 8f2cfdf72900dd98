"""The faces of Toryo; none sees another."""
