"""What is true of one model: pure functions from numbers and matches to facts."""
