"""What a session's journal holds, in the structures that other programs know: task logs, results, evidence."""
