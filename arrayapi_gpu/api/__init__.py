"""What the standard says: files named as its chapters; signatures, dtype rules, errors."""
